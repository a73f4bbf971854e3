"""Compiled: simulations of many games in step, each up to the point where it needs the network.

A simulation goes down its tree to a node that is proven or new. A new node is looked at first
(`search/tactics.py`): what that proves needs no network, and where a single move is safe the simulation
goes on with it. Only then the cache and at last the network are asked, all games at once; the answer
comes back in the next call.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, count_cells, first_cell, load, single_cell, store
from inarow.games.kernels import hash_key, kernel
from inarow.games.layout import Layout
from inarow.learning.alphazero.cache import Cache, entry_of, has_entry, keep
from inarow.learning.alphazero.forest import Forest, Searches
from inarow.learning.alphazero.planes import write_planes
from inarow.learning.alphazero.selection import best_by_halving, best_by_puct, mix_in_noise
from inarow.search.tree.memory import DRAWN, UNKNOWN, prove
from inarow.search.tree.tactics import examine

WAITS, IS_DONE = True, False
"""What `simulate` returns."""


@register_jitable
def simulate(
    layout: Layout,
    forest: Forest,
    searches: Searches,
    cache: Cache,
    rules: Any,
    plan: np.ndarray,
    planes: np.ndarray,
    place: int,
    game: int,
    slots: int,
) -> bool:
    """Runs simulations of one game until one WAITS for the network, its leaf written to `planes[place]`,
    or the search IS_DONE: the root is proven, or there were enough, or the tree is full.
    """
    proof = forest.proof
    path = searches.path[game]
    root = game * slots
    while searches.done[game] < searches.wanted[game] and proof[root] == UNKNOWN:
        node, length = root, 0
        path[0] = root
        mine, both = load(searches.stones, game, layout.board), load(searches.mask, game, layout.board)
        ply = searches.ply[game]
        value = 0.0  # for the side that moved into the last node
        while True:
            if proof[node] != UNKNOWN:
                value = proven_value(proof[node])
                break
            if forest.size[node] == 0:
                known, cells = examine(mine, both, ply, layout)
                if known != UNKNOWN:
                    proof[node] = known
                    prove(path, length, forest.first, forest.size, proof)
                    value = proven_value(known)
                    break
                if not make_children(forest, searches, node, cells, game, slots):
                    return IS_DONE
                if forest.size[node] > 1:
                    key = hash_key(mine, both, layout)
                    entry = entry_of(key, cache)
                    searches.length[game] = length
                    if not has_entry(key, entry, cache):
                        store(searches.leaf_stones, game, mine)
                        store(searches.leaf_mask, game, both)
                        write_planes(planes, place, mine, both, ply, layout)
                        return WAITS
                    for child in range(forest.size[node]):
                        forest.prior[forest.first[node] + child] = cache.priors[entry, child]
                    value = -cache.values[entry]
                    break
            if node == root and rules.is_gumbel != 0:
                child = best_by_halving(forest, root, searches.noise, game, plan, rules)
            else:
                child = best_by_puct(forest, node, rules)
            placed = mine | single_cell(forest.cell[child], mine)
            mine, both = both ^ mine, both | placed
            ply += 1
            length += 1
            path[length] = node = child
        finish(forest, searches, rules, game, slots, length, value)
    return IS_DONE


@register_jitable
def proven_value(proof: int) -> float:
    """1, 0 or -1 for the side that a proof is for."""
    return 0.0 if proof == DRAWN else 1.0 if proof > 0 else -1.0


@register_jitable
def make_children(forest: Forest, searches: Searches, node: int, cells: Bits, game: int, slots: int) -> bool:
    """Gives a node a child on each of `cells`, with equal priors; False if there is no room."""
    size = count_cells(cells)
    if searches.used[game] + size > slots:
        return False
    first = game * slots + searches.used[game]
    searches.used[game] += size
    forest.first[node], forest.size[node] = first, size
    for child in range(first, first + size):
        cell = first_cell(cells)
        cells = cells ^ single_cell(cell, cells)
        forest.cell[child] = cell
        forest.prior[child] = 1.0 / size
        forest.visits[child] = forest.first[child] = forest.size[child] = 0
        forest.total[child] = 0.0
        forest.proof[child] = UNKNOWN
    return True


@register_jitable
def finish(forest: Forest, searches: Searches, rules: Any, game: int, slots: int, length: int, value: float) -> None:
    """Ends a simulation: its value, for the side that moved into the last node, goes up the path."""
    root = game * slots
    if length == 0:
        searches.value[game] = -value
        if rules.is_gumbel == 0 and rules.noise > 0.0:
            mix_in_noise(forest, root, searches.noise, game, rules.noise)
    for at in range(length, -1, -1):
        node = searches.path[game, at]
        forest.visits[node] += 1
        forest.total[node] += value
        value = -value
    searches.done[game] += 1


@register_jitable
def take_answer(
    layout: Layout,
    forest: Forest,
    searches: Searches,
    cache: Cache,
    rules: Any,
    logits: np.ndarray,
    values: np.ndarray,
    place: int,
    game: int,
    slots: int,
) -> None:
    """Ends the simulation that waits with the network's `logits[place]` of cells and `values[place]`."""
    length = searches.length[game]
    node = searches.path[game, length]
    first, size = forest.first[node], forest.size[node]
    highest = -np.inf
    for child in range(first, first + size):
        column = forest.cell[child] // layout.stride
        row = layout.rows - 1 - (forest.cell[child] - column * layout.stride)
        forest.prior[child] = logits[place, row, column]
        highest = max(highest, forest.prior[child])
    total = 0.0
    for child in range(first, first + size):
        forest.prior[child] = math.exp((forest.prior[child] - highest) / rules.softness)
        total += forest.prior[child]
    for child in range(first, first + size):
        forest.prior[child] /= total
    stones = load(searches.leaf_stones, game, layout.board)
    mask = load(searches.leaf_mask, game, layout.board)
    key = hash_key(stones, mask, layout)
    keep(key, entry_of(key, cache), values[place], forest.prior, first, size, cache)
    finish(forest, searches, rules, game, slots, length, -values[place])


@kernel
def advance(
    layout: Layout,
    forest: Forest,
    searches: Searches,
    cache: Cache,
    rules: Any,
    plan: np.ndarray,
    planes: np.ndarray,
    waiting: np.ndarray,
    answered: int,
    logits: np.ndarray,
    values: np.ndarray,
    slots: int,
) -> int:
    """Takes the answers to the games `waiting[:answered]` and searches on in all; returns how many wait
    now: their leaves are in `planes`, their numbers in `waiting`, in the same order.
    """
    for place in range(answered):
        take_answer(layout, forest, searches, cache, rules, logits, values, place, waiting[place], slots)
    asked = 0
    for game in range(len(waiting)):
        if simulate(layout, forest, searches, cache, rules, plan, planes, asked, game, slots) == WAITS:
            waiting[asked] = game
            asked += 1
    return asked
