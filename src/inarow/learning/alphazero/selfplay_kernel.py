"""Compiled: self-play of the network, many games in step.

A game begins with random moves (or none); then every move is searched, unless only one is safe. It ends by the rules,
or usually when a search proves its result. Without tactics every move is searched and every game ends by the rules.

Each searched position becomes an example: the position, the policy of the search, and a value: the proven result, or a
mixture of the game's result and the values of searches.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, count_cells, first_cell, load, single_cell, store
from inarow.games.kernels import kernel
from inarow.games.rules import action_of
from inarow.search.tree.memory import DRAWN, ROOT, UNKNOWN, proven_value, reset_search, reset_tree
from inarow.search.tree.selection import best_child, improve_policy
from inarow.search.tree.simulation import NetworkBatch, SearchContext, look_at, simulate, take_answer


class SelfPlaySettings(NamedTuple):
    """Fields of `SelfPlayConfig` for kernels."""

    simulations: int
    quick_simulations: int
    quick_share: float
    random_starts: float
    random_plies: int
    early_stop: float
    drawn_plies: int
    dirichlet: float
    search_weight: float


GAMES_DONE, EXAMPLES, SIMULATIONS, EVALUATIONS, MOVES, TO_BEGIN = range(6)
"""Indices of `SelfPlayBuffers.counts`: two for this call, three for all calls, and the games that may still begin."""

ENDLESS = np.iinfo(np.int64).max


class GamesInProgress(NamedTuple):
    """The games in progress. `values` holds the result of each ply's search, if there was one."""

    cells: Annotated[np.ndarray, np.int16, "games cells"]  # the moves so far
    opening: Annotated[np.ndarray, np.int32, "games"]  # number of random moves
    values: Annotated[np.ndarray, np.float32, "games plies"]
    is_proven: Annotated[np.ndarray, np.bool_, "games plies"]  # whether the value is proven
    is_example: Annotated[np.ndarray, np.bool_, "games plies"]
    policies: Annotated[np.ndarray, np.float32, "games plies actions"]
    is_quick: Annotated[np.ndarray, np.bool_, "games"]  # whether the current move has a short search
    stops: Annotated[np.ndarray, np.bool_, "games"]  # whether a proof ends this game
    has_begun: Annotated[np.ndarray, np.bool_, "games"]
    is_searching: Annotated[np.ndarray, np.bool_, "games"]


class SelfPlayBuffers(NamedTuple):
    """The output of a call; `counts` holds the numbers of examples and games."""

    stones: Annotated[np.ndarray, np.uint64, "examples words"]  # of the side to move
    mask: Annotated[np.ndarray, np.uint64, "examples words"]
    policies: Annotated[np.ndarray, np.float32, "examples actions"]  # sum to 1; all 0 if every move loses
    values: Annotated[np.ndarray, np.float32, "examples"]  # in [-1, 1], for the side to move
    cells: Annotated[np.ndarray, np.int16, "games cells"]  # moves of a finished game
    plies: Annotated[np.ndarray, np.int32, "games"]  # number of moves
    opening: Annotated[np.ndarray, np.int32, "games"]  # number of random moves at the start
    results: Annotated[np.ndarray, np.int8, "games"]  # 1, 0 or -1 for the first side
    counts: Annotated[np.ndarray, np.int64, "counters"]


class SelfPlayState(NamedTuple):
    """The data of the self-play kernel."""

    search: SearchContext
    games: GamesInProgress
    buffers: SelfPlayBuffers
    settings: SelfPlaySettings


# --- Kernels ---


@kernel
def play_on(play: SelfPlayState, batch: NetworkBatch, rng: np.random.Generator) -> int:
    """Takes the network's answers and continues all games, each until it waits for the network or ends; returns the
    number of waiting games, like `simulation.advance`. The next call starts new games, if any are left, in place of
    finished ones.
    """
    search, games, counts = play.search, play.games, play.buffers.counts
    counts[GAMES_DONE] = counts[EXAMPLES] = 0
    counts[EVALUATIONS] += len(batch.values)
    for place in range(len(batch.values)):
        take_answer(search, batch, place)
    asked = 0
    for game in range(len(batch.waiting)):
        while True:
            if not games.is_searching[game]:
                if not games.has_begun[game]:
                    if counts[TO_BEGIN] == 0:
                        break
                    counts[TO_BEGIN] -= 1
                prepare_move(play, rng, game)
            if simulate(search, batch, asked, game):
                batch.waiting[asked] = game
                asked += 1
                break
            counts[SIMULATIONS] += search.state.done[game]
            counts[MOVES] += 1
            games.is_searching[game] = False
            if move(play, rng, game):
                end_game(play, game)
                games.has_begun[game] = False
                break
    return asked


@register_jitable
def prepare_move(play: SelfPlayState, rng: np.random.Generator, game: int) -> None:
    """Prepares the next search of a game: begins a new game with random safe moves that lead to a position not settled
    by `look_at`, and plays moves as long as only one is safe. Then resets the tree and draws its noise.
    """
    search, games, settings = play.search, play.games, play.settings
    layout, state, rules = search.layout, search.state, search.rules
    stones, mask = load(state.stones, game, layout.board), load(state.mask, game, layout.board)
    ply, opening = state.ply[game], 0
    is_new = not games.has_begun[game]
    if is_new:
        stones = mask = layout.board ^ layout.board
        ply = 0
        opening = int(rng.random() * (settings.random_plies + 1)) if rng.random() < settings.random_starts else 0
        games.stops[game] = rng.random() < settings.early_stop
    while True:
        known, cells = look_at(stones, mask, ply, rules.tactics, layout)
        if is_new and known != UNKNOWN:
            stones = mask = layout.board ^ layout.board
            ply = 0
            opening = int(rng.random() * (settings.random_plies + 1))
            continue
        if is_new and ply == opening:
            games.opening[game] = ply
            is_new = False
        if not is_new and (known != UNKNOWN or count_cells(cells) > 1 or not rules.tactics):
            break
        cell = drawn_cell(cells, rng)
        games.cells[game, ply] = cell
        games.is_proven[game, ply] = games.is_example[game, ply] = False
        stones, mask = mask ^ stones, mask | single_cell(cell, mask)
        ply += 1
    store(state.stones, game, stones)
    store(state.mask, game, mask)
    state.ply[game] = ply
    games.has_begun[game] = games.is_searching[game] = True
    reset_tree(search.tree, game)
    reset_search(state, game)
    games.is_quick[game] = rng.random() < settings.quick_share
    state.wanted[game] = settings.quick_simulations if games.is_quick[game] else settings.simulations
    for child in range(state.noise.shape[1]):
        if rules.is_gumbel:
            state.noise[game, child] = -math.log(-math.log(max(rng.random(), 1e-20)))
        elif rules.noise > 0.0:
            state.noise[game, child] = rng.standard_gamma(settings.dirichlet)


@register_jitable
def drawn_cell(cells: Bits, rng: np.random.Generator) -> int:
    """A uniformly drawn cell of a set that is not empty."""
    for _ in range(int(rng.random() * count_cells(cells))):
        cells = cells ^ single_cell(first_cell(cells), cells)
    return first_cell(cells)


@register_jitable
def move(play: SelfPlayState, rng: np.random.Generator, game: int) -> bool:
    """Ends the search of a move: keeps the example, then plays the move or ends the game; True if it has ended."""
    search, games = play.search, play.games
    layout, tree, state = search.layout, search.tree, search.state
    root, ply = tree.counts[game, ROOT], state.ply[game]
    proof, size = tree.proof[root], tree.size[root]
    games.is_proven[game, ply] = proof != UNKNOWN
    games.is_example[game, ply] = False
    games.values[game, ply] = -tree.total[root] / max(1, tree.visits[root])
    if proof != UNKNOWN:
        games.values[game, ply] = -proven_value(proof)
    if size > 1 and not games.is_quick[game]:
        keep_policy(play, game, root)
    if proof != UNKNOWN and (games.stops[game] or size == 0):
        return True
    child = chosen_child(search, play.settings.drawn_plies, rng, game, root)
    stones, mask = load(state.stones, game, layout.board), load(state.mask, game, layout.board)
    games.cells[game, ply] = tree.cell[child]
    store(state.stones, game, mask ^ stones)
    store(state.mask, game, mask | single_cell(tree.cell[child], mask))
    state.ply[game] = ply + 1
    return False


@register_jitable
def chosen_child(search: SearchContext, drawn_plies: int, rng: np.random.Generator, game: int, root: int) -> int:
    """The final choice of the search; in the first plies under PUCT a move drawn by visits."""
    tree, state, rules = search.tree, search.state, search.rules
    best = best_child(tree, root, state.noise, game, rules)
    is_known = rules.tactics and tree.proof[best] != UNKNOWN
    if rules.is_gumbel or state.ply[game] >= drawn_plies or is_known:
        return best
    first, total = tree.first[root], 0
    for child in range(first, first + tree.size[root]):
        total += tree.visits[child] if tree.proof[child] >= UNKNOWN else 0
    left = rng.random() * total
    for child in range(first, first + tree.size[root]):
        left -= tree.visits[child] if tree.proof[child] >= UNKNOWN else 0
        if left < 0.0:
            return child
    return best


@register_jitable
def keep_policy(play: SelfPlayState, game: int, root: int) -> None:
    """Keeps the policy of the search for an example: only the winning move if proven won, all zeros if every move
    loses.
    """
    search, games = play.search, play.games
    tree, state, rules = search.tree, search.state, search.rules
    ply, proof = state.ply[game], tree.proof[root]
    first, size = tree.first[root], tree.size[root]
    policy = np.zeros(size, np.float64)
    if proof != UNKNOWN and proof != DRAWN:
        if proof < 0:
            policy[best_child(tree, root, state.noise, game, rules) - first] = 1.0
    elif rules.is_gumbel:
        improve_policy(tree, root, state.value[game], rules, policy)
    else:
        total = 0
        for child in range(size):
            policy[child] = tree.visits[first + child] if tree.proof[first + child] >= UNKNOWN else 0
            total += policy[child]
        if total == 0:
            return
        for child in range(size):
            policy[child] /= total
    for action in range(games.policies.shape[2]):  # assigning a slice takes seconds to compile
        games.policies[game, ply, action] = 0.0
    for child in range(size):
        games.policies[game, ply, action_of(tree.cell[first + child], search.layout)] = policy[child]
    games.is_example[game, ply] = True


@register_jitable
def end_game(play: SelfPlayState, game: int) -> None:
    """Writes a game whose last position is proven, and its examples, to the buffers."""
    state, games, buffers = play.search.state, play.games, play.buffers
    counts, end = buffers.counts, state.ply[game]
    done = counts[GAMES_DONE]
    counts[GAMES_DONE] += 1
    for ply in range(end):
        buffers.cells[done, ply] = games.cells[game, ply]
    buffers.plies[done], buffers.opening[done] = end, games.opening[game]
    value = games.values[game, end]
    buffers.results[done] = value if end % 2 == 0 else -value
    board = play.search.layout.board
    stones, mask = load(state.stones, game, board), load(state.mask, game, board)
    for ply in range(end, games.opening[game] - 1, -1):
        if ply < end:  # before the move at `ply`: remove its stone and exchange the sides
            mask = mask ^ single_cell(games.cells[game, ply], mask)
            stones = mask ^ stones
            value = -value
        if games.is_proven[game, ply]:
            value = games.values[game, ply]
        elif games.is_example[game, ply]:
            value += play.settings.search_weight * (games.values[game, ply] - value)
        if games.is_example[game, ply]:
            example = counts[EXAMPLES]
            counts[EXAMPLES] += 1
            store(buffers.stones, example, stones)
            store(buffers.mask, example, mask)
            for action in range(games.policies.shape[2]):
                buffers.policies[example, action] = games.policies[game, ply, action]
            buffers.values[example] = value
