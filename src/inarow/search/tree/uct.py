"""Compiled: upper confidence bounds applied to trees, the classical Monte Carlo tree search.

A simulation goes down the tree to a node that is over, proven, or has a move that was never tried;
such a move becomes a new node, from which a game is played to its end; the result goes back up.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, count_cells, first_cell, single_cell
from inarow.games.kernels import completes_line, kernel
from inarow.games.layout import Layout
from inarow.games.playout import fill_heights, playout
from inarow.games.rules import landing_cell, playable
from inarow.search.minimax.alphabeta import ENTRY, advance, begin
from inarow.search.tree.memory import DRAWN, EXHAUSTED, SOONEST_WIN, UNKNOWN, USED, VISITED, Tree, prove

PLAN = np.dtype(
    [
        ("exploration", "f8"),  # the constant c: how much an uncertain move is preferred
        ("solve", "i8"),  # whether proven results go up the tree
        ("informed", "i8"),  # so many first moves of a rollout are those of a minimax, all others random
        ("depth", "i8"),  # of that minimax
    ],
    align=True,
)
"""What kind of search."""

_NO_LIMIT = 2**62
_HALF = np.float32(0.5)


@kernel
def grow(
    layout: Layout,
    tree: Tree,
    stones: Bits,
    mask: Bits,
    ply: int,
    plan: Any,
    starts: Any,
    weights: Any,
    walk: Any,
    rng: np.random.Generator,
    simulations: int,
) -> int:
    """Runs simulations from the root, a position that is not over; returns how many: fewer than
    asked for once the root is proven. `starts`, `weights` and `walk` are those of `alphabeta.advance`.
    """
    visits, points, spread = tree.visits, tree.points, tree.spread
    first, size, tried, cells, proof = tree.first, tree.size, tree.tried, tree.cell, tree.proof
    counts = tree.counts
    area = layout.rows * layout.columns
    path = np.empty(area + 1, np.int64)
    heights = np.empty(layout.columns, np.int64)
    for done in range(simulations):
        if proof[0] != UNKNOWN:
            return done
        node = length = 0
        mine, both, stone = stones, mask, ply  # of the side to move, of both, number of stones
        path[0] = 0
        is_new = False
        while proof[node] == UNKNOWN and not is_new:
            if size[node] == 0 and not _make_children(tree, node, playable(both, layout), rng):
                break  # no room: another rollout from here
            if tried[node] < size[node]:
                child = first[node] + tried[node]
                tried[node] += 1
                is_new = True
            else:
                breadth = np.float32(plan.exploration * math.sqrt(math.log(visits[node])))
                highest = np.float32(-1.0)
                child = -1
                for candidate in range(first[node], first[node] + size[node]):
                    width = spread[candidate]  # its square is 1 / visits: mean plus c sqrt(ln N / n) is
                    bound = width * (_HALF * np.float32(points[candidate]) * width + breadth)
                    if bound > highest and not (plan.solve and proof[candidate] < 0):
                        highest = bound
                        child = candidate
            cell = cells[child]
            placed = mine | single_cell(cell, mine)
            mine, both = both ^ mine, both | placed
            stone += 1
            length += 1
            path[length] = node = child
            if is_new:
                counts[VISITED] += 1
                if completes_line(placed, cell, layout):
                    proof[node] = SOONEST_WIN - stone
                elif stone == area:
                    proof[node] = DRAWN
        if proof[node] != UNKNOWN:
            result = 1 if proof[node] == DRAWN else 2 if proof[node] > 0 else 0
            if plan.solve:
                prove(path, length, first, size, proof)
        elif plan.informed == 0:
            fill_heights(heights, both, layout)
            result = 1 - playout(layout, mine, both, stone, heights, rng)[0]
        else:
            result = 1 - _informed_playout(layout, mine, both, stone, plan, starts, weights, walk, heights, rng)
        for place in range(length, -1, -1):
            node = path[place]
            visits[node] += 1
            points[node] += result
            spread[node] = np.float32(1.0) / np.float32(math.sqrt(visits[node]))
            result = 2 - result
    return simulations


@register_jitable
def _make_children(tree: Tree, node: int, free: Bits, rng: np.random.Generator) -> bool:
    """Gives a node its block of children on the cells `free`, shuffled; False if there is no room."""
    block, wanted = tree.counts[USED], count_cells(free)
    if block + wanted > len(tree.visits):
        tree.counts[EXHAUSTED] = 1
        return False
    tree.counts[USED] += wanted
    tree.first[node], tree.size[node] = block, wanted
    for child in range(block, block + wanted):
        tree.visits[child] = tree.points[child] = 0
        tree.first[child] = tree.size[child] = tree.tried[child] = 0
        tree.spread[child] = 0.0
        tree.proof[child] = UNKNOWN
        cell = first_cell(free)
        free = free ^ single_cell(cell, free)
        other = block + int(rng.random() * (child + 1 - block))
        tree.cell[child] = tree.cell[other]
        tree.cell[other] = cell
    return True


@register_jitable
def _informed_playout(
    layout: Layout,
    stones: Bits,
    mask: Bits,
    ply: int,
    plan: Any,
    starts: Any,
    weights: Any,
    walk: Any,
    heights: np.ndarray,
    rng: np.random.Generator,
) -> int:
    """The result, 1 win, 0 draw, -1 loss for the side to move, of a game that minimax begins."""
    area = layout.rows * layout.columns
    table = np.empty(0, ENTRY)
    result = 1
    for _ in range(min(plan.informed, area - ply)):
        begin(walk, stones, mask, ply, min(plan.depth, area - ply))
        advance(layout, starts, weights, walk, table, _NO_LIMIT)
        cell = landing_cell(mask, _one_of_the_best(walk, rng), layout)
        mine = stones | single_cell(cell, stones)
        if completes_line(mine, cell, layout):
            return result
        mask, stones = mask | mine, mask ^ stones
        ply += 1
        result = -result
    if ply == area:
        return 0
    fill_heights(heights, mask, layout)
    return result * playout(layout, stones, mask, ply, heights, rng)[0]


@register_jitable
def _one_of_the_best(walk: Any, rng: np.random.Generator) -> int:
    """Draws uniformly among the best root actions of a finished walk with `all_best`."""
    best, seen = -1, 0
    for action in range(walk.actions):
        if walk.values[action] == walk.best[0]:
            seen += 1
            if rng.random() * seen < 1.0:
                best = action
    return best
