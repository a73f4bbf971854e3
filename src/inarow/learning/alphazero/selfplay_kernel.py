"""Compiled: games of the network against itself, many in step.

A game begins with random moves (or none), then every move is searched, unless only one is safe. It ends
by the rules, or mostly when a search proves its result. Each searched position is kept as an example: the
position, the policy that the search prefers, and a value: the proven one, or one that follows from the
result and from what searches thought on the way.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, count_cells, first_cell, load, single_cell, store
from inarow.games.kernels import kernel
from inarow.games.layout import Layout
from inarow.learning.alphazero.cache import Cache
from inarow.learning.alphazero.forest import Forest, Searches, plant
from inarow.learning.alphazero.selection import best_child, improve_policy
from inarow.learning.alphazero.selfplay_memory import (
    EVALUATIONS,
    EXAMPLES,
    GAMES_DONE,
    MOVES,
    SIMULATIONS,
    TO_BEGIN,
    Harvest,
    Play,
)
from inarow.learning.alphazero.simulation import WAITS, proven_value, simulate, take_answer
from inarow.search.tree.memory import DRAWN, UNKNOWN
from inarow.search.tree.tactics import examine


@kernel
def play_on(
    layout: Layout,
    forest: Forest,
    searches: Searches,
    cache: Cache,
    play: Play,
    harvest: Harvest,
    rules: Any,
    habits: Any,
    plan: np.ndarray,
    rng: np.random.Generator,
    planes: np.ndarray,
    waiting: np.ndarray,
    answered: int,
    logits: np.ndarray,
    values: np.ndarray,
    slots: int,
) -> int:
    """Takes the answers to the games `waiting[:answered]` and plays on in all, in each until it waits for
    the network or has ended; returns how many wait now, as `simulation.advance` does. The next call begins
    another game in the place of one that has ended, if some are to begin.
    """
    counts = harvest.counts
    counts[GAMES_DONE] = counts[EXAMPLES] = 0
    counts[EVALUATIONS] += answered
    for place in range(answered):
        take_answer(layout, forest, searches, cache, rules, logits, values, place, waiting[place], slots)
    asked = 0
    for game in range(len(waiting)):
        while True:
            if play.is_due[game]:
                if play.is_new[game]:
                    if counts[TO_BEGIN] == 0:
                        break
                    counts[TO_BEGIN] -= 1
                prepare_move(layout, forest, searches, play, rules, habits, rng, game, slots)
            if simulate(layout, forest, searches, cache, rules, plan, planes, asked, game, slots) == WAITS:
                waiting[asked] = game
                asked += 1
                break
            counts[SIMULATIONS] += searches.done[game]
            counts[MOVES] += 1
            play.is_due[game] = True
            if move(layout, forest, searches, play, rules, habits, rng, game, slots):
                end_game(layout, searches, play, habits, harvest, game)
                play.is_new[game] = True
                break
    return asked


@register_jitable
def prepare_move(
    layout: Layout,
    forest: Forest,
    searches: Searches,
    play: Play,
    rules: Any,
    habits: Any,
    rng: np.random.Generator,
    game: int,
    slots: int,
) -> None:
    """Puts a game before its next search: begins it if it is new, with random safe moves that lead to a
    position that one look does not settle, and plays moves as long as only one is safe. Then plants a
    tree and draws its noise.
    """
    stones, mask = load(searches.stones, game, layout.board), load(searches.mask, game, layout.board)
    ply, opening = searches.ply[game], 0
    is_new = play.is_new[game]
    if is_new:
        stones = mask = layout.board ^ layout.board
        ply = 0
        opening = int(rng.random() * (habits.random_plies + 1)) if rng.random() < habits.random_starts else 0
        play.stops[game] = rng.random() < habits.early_stop
    while True:
        known, cells = examine(stones, mask, ply, layout)
        if is_new and known != UNKNOWN:
            stones = mask = layout.board ^ layout.board
            ply = 0
            opening = int(rng.random() * (habits.random_plies + 1))
            continue
        if is_new and ply == opening:
            play.opening[game] = ply
            is_new = False
        if not is_new and (known != UNKNOWN or count_cells(cells) > 1):
            break
        cell = drawn_cell(cells, rng)
        play.cells[game, ply] = cell
        play.is_proven[game, ply] = play.is_example[game, ply] = False
        stones, mask = mask ^ stones, mask | single_cell(cell, mask)
        ply += 1
    store(searches.stones, game, stones)
    store(searches.mask, game, mask)
    searches.ply[game] = ply
    play.is_new[game] = play.is_due[game] = False
    plant(forest, searches, game, slots)
    play.is_quick[game] = rng.random() < habits.quick_share
    searches.wanted[game] = habits.quick_simulations if play.is_quick[game] else habits.simulations
    for child in range(searches.noise.shape[1]):
        if rules.is_gumbel != 0:
            searches.noise[game, child] = -math.log(-math.log(max(rng.random(), 1e-20)))
        elif rules.noise > 0.0:
            searches.noise[game, child] = rng.standard_gamma(habits.dirichlet)


@register_jitable
def drawn_cell(cells: Bits, rng: np.random.Generator) -> int:
    """One of the cells of a set that has some."""
    for _ in range(int(rng.random() * count_cells(cells))):
        cells = cells ^ single_cell(first_cell(cells), cells)
    return first_cell(cells)


@register_jitable
def move(
    layout: Layout,
    forest: Forest,
    searches: Searches,
    play: Play,
    rules: Any,
    habits: Any,
    rng: np.random.Generator,
    game: int,
    slots: int,
) -> bool:
    """Ends the search of a move: keeps the example and plays, or ends the game; whether it has ended."""
    root, ply = game * slots, searches.ply[game]
    proof, size = forest.proof[root], forest.size[root]
    play.is_proven[game, ply] = proof != UNKNOWN
    play.is_example[game, ply] = False
    play.values[game, ply] = -forest.total[root] / max(1, forest.visits[root])
    if proof != UNKNOWN:
        play.values[game, ply] = -proven_value(proof)
    if size > 1 and not play.is_quick[game]:
        keep_policy(layout, forest, searches, play, rules, game, root)
    if proof != UNKNOWN and (play.stops[game] or size == 0):
        return True
    child = chosen_child(forest, searches, play, rules, habits, rng, game, root)
    stones, mask = load(searches.stones, game, layout.board), load(searches.mask, game, layout.board)
    play.cells[game, ply] = forest.cell[child]
    store(searches.stones, game, mask ^ stones)
    store(searches.mask, game, mask | single_cell(forest.cell[child], mask))
    searches.ply[game] = ply + 1
    return False


@register_jitable
def chosen_child(
    forest: Forest,
    searches: Searches,
    play: Play,
    rules: Any,
    habits: Any,
    rng: np.random.Generator,
    game: int,
    root: int,
) -> int:
    """The move that the search ends with; early under PUCT one drawn by visits."""
    best = best_child(forest, root, searches.noise, game, rules)
    if rules.is_gumbel != 0 or searches.ply[game] >= habits.drawn_plies or forest.proof[best] != UNKNOWN:
        return best
    first, total = forest.first[root], 0
    for child in range(first, first + forest.size[root]):
        total += forest.visits[child] if forest.proof[child] >= UNKNOWN else 0
    left = rng.random() * total
    for child in range(first, first + forest.size[root]):
        left -= forest.visits[child] if forest.proof[child] >= UNKNOWN else 0
        if left < 0.0:
            return child
    return best


@register_jitable
def keep_policy(
    layout: Layout, forest: Forest, searches: Searches, play: Play, rules: Any, game: int, root: int
) -> None:
    """Keeps what the search prefers, by action, as an example: the winning move of a position that is proven
    won, and nothing, all zeros, where all moves are proven lost.
    """
    ply, proof = searches.ply[game], forest.proof[root]
    first, size = forest.first[root], forest.size[root]
    policy = np.zeros(size, np.float64)
    if proof != UNKNOWN and proof != DRAWN:
        if proof < 0:
            policy[best_child(forest, root, searches.noise, game, rules) - first] = 1.0
    elif rules.is_gumbel != 0:
        improve_policy(forest, root, searches.value[game], rules, policy)
    else:
        total = 0
        for child in range(size):
            policy[child] = forest.visits[first + child] if forest.proof[first + child] >= UNKNOWN else 0
            total += policy[child]
        if total == 0:
            return
        for child in range(size):
            policy[child] /= total
    for action in range(play.policies.shape[2]):  # assigning a slice takes seconds to compile
        play.policies[game, ply, action] = 0.0
    for child in range(size):
        play.policies[game, ply, action_of(forest.cell[first + child], layout)] = policy[child]
    play.is_example[game, ply] = True


@register_jitable
def action_of(cell: int, layout: Layout) -> int:
    """The action that puts a stone on a playable cell."""
    column = cell // layout.stride
    if layout.gravity:
        return column
    return (layout.rows - 1 - (cell - column * layout.stride)) * layout.columns + column


@register_jitable
def end_game(layout: Layout, searches: Searches, play: Play, habits: Any, harvest: Harvest, game: int) -> None:
    """Brings in a game whose last position is proven, and its examples."""
    counts, end = harvest.counts, searches.ply[game]
    done = counts[GAMES_DONE]
    counts[GAMES_DONE] += 1
    for ply in range(end):
        harvest.cells[done, ply] = play.cells[game, ply]
    harvest.plies[done], harvest.opening[done] = end, play.opening[game]
    value = play.values[game, end]
    harvest.results[done] = value if end % 2 == 0 else -value
    stones, mask = load(searches.stones, game, layout.board), load(searches.mask, game, layout.board)
    for ply in range(end, play.opening[game] - 1, -1):
        if ply < end:  # before the move at `ply`: its stone goes, and the sides change
            mask = mask ^ single_cell(play.cells[game, ply], mask)
            stones = mask ^ stones
            value = -value
        if play.is_proven[game, ply]:
            value = play.values[game, ply]
        elif play.is_example[game, ply]:
            value += habits.search_weight * (play.values[game, ply] - value)
        if play.is_example[game, ply]:
            example = counts[EXAMPLES]
            counts[EXAMPLES] += 1
            store(harvest.stones, example, stones)
            store(harvest.mask, example, mask)
            for action in range(play.policies.shape[2]):
                harvest.policies[example, action] = play.policies[game, ply, action]
            harvest.values[example] = value
