"""Compiled: simulations of searches with a network, for many games in step, each until it needs the network.

A simulation descends its tree to a node that is proven or new. A new node is examined first (`examine`): a proof
needs no network, and where a single move is safe the simulation continues with it. Without tactics only finished games
are known, every legal move is searched, and proofs stay where they are (`look_for_end`).

Otherwise the leaf is looked up in the cache and, if missing, evaluated by the network together with the leaves of all
games; the next call has the answers.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, any_cell, count_cells, first_cell, load, single_cell, store
from inarow.games.kernels import board_sizes, hash_key, kernel, new_arrays
from inarow.games.layout import Layout
from inarow.games.rules import has_line, playable, row_and_column, winning_cells
from inarow.search.tree.config import SearchRules
from inarow.search.tree.evaluation import PLANES, Cache, entry_of, has_entry, keep, make_cache, write_planes
from inarow.search.tree.memory import (
    DRAWN,
    ROOT,
    SOONEST_WIN,
    UNKNOWN,
    SearchState,
    TreeArrays,
    make_network_trees,
    prove,
    proven_value,
    take_slots,
)
from inarow.search.tree.selection import best_by_halving, best_in_network_tree, mix_in_noise


class SearchContext(NamedTuple):
    """The data of searches of several games on one board."""

    layout: Layout
    tree: TreeArrays
    state: SearchState
    cache: Cache
    rules: SearchRules
    plan: np.ndarray  # `halving_plan` of at least as many simulations as a search may run; unused under PUCT


def new_search(layout: Layout, games: int, slots: int, cache_memory: int, rules: SearchRules) -> SearchContext:
    """Searches of several games, each in a tree of `slots` nodes, with one cache and without a plan."""
    sizes = board_sizes(layout)
    tree, state = make_network_trees(games, slots), new_arrays(SearchState, games=games, **sizes)
    cache = make_cache(cache_memory, sizes["actions"])
    return SearchContext(layout, tree, state, cache, rules, plan=np.zeros((0, 0), np.int32))


class NetworkBatch(NamedTuple):
    """Leaves for the network, and its answers for the leaves of the previous call in the same order."""

    planes: Annotated[np.ndarray, np.float32, "games planes rows columns"]
    waiting: Annotated[np.ndarray, np.int64, "games"]  # the games of the leaves
    logits: Annotated[np.ndarray, np.float32, "answers rows columns"]
    values: Annotated[np.ndarray, np.float32, "answers"]


def make_batch(games: int, layout: Layout) -> NetworkBatch:
    """An empty batch with space for one leaf per game."""
    return new_arrays(NetworkBatch, games=games, answers=0, planes=PLANES, **board_sizes(layout))


@kernel
def advance(search: SearchContext, batch: NetworkBatch) -> int:
    """Takes the answers and continues all searches; returns the number of games that now wait for the network."""
    for place in range(len(batch.values)):
        take_answer(search, batch, place)
    asked = 0
    for game in range(len(batch.waiting)):
        if simulate(search, batch, asked, game):
            batch.waiting[asked] = game
            asked += 1
    return asked


@register_jitable
def simulate(search: SearchContext, batch: NetworkBatch, place: int, game: int) -> bool:
    """Runs simulations of one game. True if one waits for the network, with its leaf in `batch.planes[place]`; False if
    the search is done: the root is proven, all simulations have run, or the tree is full.
    """
    layout, tree, state, cache, rules, plan = search
    proof, path = tree.proof, state.path[game]
    root = tree.counts[game, ROOT]
    while state.done[game] < state.wanted[game] and proof[root] == UNKNOWN:
        node, length = root, 0
        path[0] = root
        mine, both = load(state.stones, game, layout.board), load(state.mask, game, layout.board)
        ply = state.ply[game]
        value = 0.0  # for the side that moved into the last node
        while True:
            if proof[node] != UNKNOWN:
                value = proven_value(proof[node])
                break
            if tree.size[node] == 0:
                known, cells = look_at(mine, both, ply, rules.tactics, layout)
                if known != UNKNOWN:
                    proof[node] = known
                    if rules.tactics:
                        prove(path, length, tree)
                    value = proven_value(known)
                    break
                if not expand(tree, game, node, cells):
                    return False
                if tree.size[node] > 1 or not rules.tactics:
                    key = hash_key(mine, both, layout)
                    entry = entry_of(key, cache)
                    state.length[game] = length
                    if not has_entry(key, entry, cache):
                        store(state.leaf_stones, game, mine)
                        store(state.leaf_mask, game, both)
                        write_planes(batch.planes, place, mine, both, ply, layout)
                        return True
                    for child in range(tree.size[node]):
                        tree.prior[tree.first[node] + child] = cache.priors[entry, child]
                    value = -cache.values[entry]
                    break
            if node == root and rules.is_gumbel:
                child = best_by_halving(tree, root, state.noise, game, plan, rules)
            else:
                child = best_in_network_tree(rules.rule, tree, node)
            placed = mine | single_cell(tree.cell[child], mine)
            mine, both = both ^ mine, both | placed
            ply += 1
            length += 1
            path[length] = node = child
        finish(tree, state, rules, game, length, value)
    return False


@register_jitable
def expand(tree: TreeArrays, game: int, node: int, cells: Bits) -> bool:
    """Gives a node a child on each of `cells`, ascending and with equal priors; False if they do not fit."""
    size = count_cells(cells)
    first = take_slots(tree.counts, game, size)
    if first < 0:
        return False
    tree.first[node], tree.size[node] = first, size
    for child in range(first, first + size):
        cell = first_cell(cells)
        cells = cells ^ single_cell(cell, cells)
        tree.cell[child] = cell
        tree.prior[child] = 1.0 / size
        tree.visits[child] = tree.first[child] = tree.size[child] = 0
        tree.total[child] = 0.0
        tree.proof[child] = UNKNOWN
    return True


@register_jitable
def finish(tree: TreeArrays, state: SearchState, rules: SearchRules, game: int, length: int, value: float) -> None:
    """Ends a simulation: adds its value, for the side that moved into the last node, along the path."""
    if length == 0:
        state.value[game] = -value
        if not rules.is_gumbel and rules.noise > 0.0:
            mix_in_noise(tree, tree.counts[game, ROOT], state.noise, game, rules.noise)
    for at in range(length, -1, -1):
        node = state.path[game, at]
        tree.visits[node] += 1
        tree.total[node] += value
        value = -value
    state.done[game] += 1


@register_jitable
def take_answer(search: SearchContext, batch: NetworkBatch, place: int) -> None:
    """Ends the waiting simulation with the network's `batch.logits[place]` and `batch.values[place]`."""
    layout, tree, state, cache, rules, _ = search
    game, value = batch.waiting[place], batch.values[place]
    length = state.length[game]
    node = state.path[game, length]
    first, size = tree.first[node], tree.size[node]
    highest = -np.inf
    for child in range(first, first + size):
        row, column = row_and_column(tree.cell[child], layout)
        tree.prior[child] = batch.logits[place, row, column]
        highest = max(highest, tree.prior[child])
    total = 0.0
    for child in range(first, first + size):
        tree.prior[child] = math.exp((tree.prior[child] - highest) / rules.softness)
        total += tree.prior[child]
    for child in range(first, first + size):
        tree.prior[child] /= total
    stones = load(state.leaf_stones, game, layout.board)
    mask = load(state.leaf_mask, game, layout.board)
    key = hash_key(stones, mask, layout)
    keep(key, entry_of(key, cache), value, tree.prior, first, size, cache)
    finish(tree, state, rules, game, length, -value)


@register_jitable
def look_at(stones: Bits, mask: Bits, ply: int, tactics: bool, layout: Layout) -> tuple[int, Bits]:
    """`examine` with tactics, otherwise `look_for_end`."""
    return examine(stones, mask, ply, layout) if tactics else look_for_end(stones, mask, ply, layout)


@register_jitable
def look_for_end(stones: Bits, mask: Bits, ply: int, layout: Layout) -> tuple[int, Bits]:
    """(proof, playable cells) of a position, by the rules only: it is known if the last move ended the game."""
    if has_line(mask ^ stones, layout):
        return SOONEST_WIN - ply, mask ^ mask
    if ply == layout.rows * layout.columns:
        return DRAWN, mask ^ mask
    return UNKNOWN, playable(mask, layout)


@register_jitable
def examine(stones: Bits, mask: Bits, ply: int, layout: Layout) -> tuple[int, Bits]:
    """(proof, cells) of a position without a line; like `safe_cells` of `solver/fast_kernel.py`, for any board.

    The proof is for the side that moved into the position: it loses if the side to move can complete a line, and wins
    if it threatens two lines or leaves no safe move; the cells are then those that win, or block a threat, or all
    playable ones. Otherwise the proof is UNKNOWN and the cells are the safe ones: they block any threat and are not
    directly below a winning cell of the opponent. On a full board there are none.
    """
    if ply == layout.rows * layout.columns:
        return DRAWN, mask ^ mask
    free = playable(mask, layout)
    wins = winning_cells(stones, mask, layout) & free
    if any_cell(wins):
        return ply + 1 - SOONEST_WIN, wins
    other_wins = winning_cells(mask ^ stones, mask, layout)
    threats = other_wins & free
    number = count_cells(threats)
    if number > 1:
        return SOONEST_WIN - ply - 2, threats
    candidates = threats if number == 1 else free
    safe = candidates & ~(other_wins >> 1) if layout.gravity else candidates
    if any_cell(safe):
        return UNKNOWN, safe
    return SOONEST_WIN - ply - 2, candidates


look = kernel(examine)  # for calls from Python
