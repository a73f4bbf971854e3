"""Compiled: minimax, with alpha-beta cut-offs or without, on every kind of board.

The walk through the tree keeps its state in a record instead of a recursion: it can be suspended after any number of
nodes, and other kernels can call it (Numba cannot cache a kernel that calls a recursive one). A record is one pointer;
arrays in tuples would be reference-counted at every use.

Values are for the side to move at their level; level 0 is the root. Nodes are positions entered and not over, without
the root.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import WORDS, Bits, first_cell, has_cell, load, single_cell, store
from inarow.games.compiled_bits import mixed
from inarow.games.kernels import completes_line, hash_key, kernel
from inarow.games.layout import Layout
from inarow.games.rules import playable
from inarow.games.spec import MAX_SIDE
from inarow.search.minimax.heuristics import worth_of

_CELLS = MAX_SIDE * MAX_SIDE


class WalkRecord:
    """The state of a search, as a record."""

    # How to search
    prune: bool  # whether to cut off
    all_best: bool  # exact values for all best root moves, or only for the first
    order: Annotated[np.ndarray, "i8", _CELLS]  # the lowest cell of each action, in the order in which they are tried
    actions: int
    wins: Annotated[np.ndarray, "f8", _CELLS + 1]  # the value of a line, by the number of the stone that completes it
    # State of the search
    boards: Annotated[np.ndarray, "u8", (2, WORDS)]  # stones and mask of the current position
    level: int
    ply: int
    depth: int  # level of the leaves
    nodes: int
    is_done: bool
    tried: Annotated[np.ndarray, "i8", _CELLS + 1]  # by level: how many actions of `order`
    cells: Annotated[np.ndarray, "i8", _CELLS + 1]  # by level: the move that is being searched
    alpha: Annotated[np.ndarray, "f8", _CELLS + 1]
    beta: Annotated[np.ndarray, "f8", _CELLS + 1]
    best: Annotated[np.ndarray, "f8", _CELLS + 1]
    # Results
    best_action: int
    values: Annotated[np.ndarray, "f8", _CELLS]  # of root moves: an upper bound where cut off, NaN where unknown
    number: int  # of this search; table entries with another number are ignored


ENTRY = np.dtype([("key", "u8"), ("bound", "f8"), ("search", "i4"), ("kind", "i4")], align=True)
"""An entry of the transposition table. The number of entries is 0 or a power of two."""


class MinimaxContext(NamedTuple):
    """The data of a search on one board; `Minimax` creates it. Not thread-safe."""

    layout: Layout
    starts: Any  # this and `weights`: of the heuristic
    weights: Any
    walk: WalkRecord
    table: np.ndarray  # [slots] ENTRY


_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2
_DRAW = 0.0


@register_jitable
def begin(walk: WalkRecord, stones: Bits, mask: Bits, ply: int, depth: int) -> None:
    """Puts the walk on a position that is not over, `depth` plies (at least 1) above its leaves."""
    store(walk.boards, 0, stones)
    store(walk.boards, 1, mask)
    walk.level = walk.nodes = 0
    walk.is_done = False
    walk.ply, walk.depth, walk.best_action = ply, depth, -1
    for action in range(walk.actions):
        walk.values[action] = np.nan
    walk.number += 1
    _enter(walk, 0, -np.inf, np.inf)


@register_jitable
def _enter(walk: WalkRecord, level: int, alpha: float, beta: float) -> None:
    walk.tried[level] = 0
    walk.alpha[level], walk.beta[level], walk.best[level] = alpha, beta, -np.inf


begin_walk = kernel(begin)  # for calls from Python


@register_jitable
def walk_on(context: MinimaxContext, budget: int) -> None:
    """Continues for about `budget` nodes, or until `walk.is_done`."""
    layout, starts, weights, walk, table = context
    stones, mask = load(walk.boards, 0, layout.board), load(walk.boards, 1, layout.board)
    level, ply, depth = walk.level, walk.ply, walk.depth
    nodes, done = 0, False
    while nodes < budget and not done:
        cell = _next_cell(mask, level, layout, walk)
        if cell >= 0:
            walk.cells[level] = cell
            mine = stones | single_cell(cell, stones)
            if completes_line(mine, cell, layout):
                value = walk.wins[ply + 1]
            elif ply + 1 == layout.rows * layout.columns:
                value = _DRAW
            else:
                nodes += 1
                others = mask ^ stones
                if level + 1 == depth:
                    if level & 1 == 0:  # the root's side moved
                        value = worth_of(mine, others, starts, weights, layout)
                    else:
                        value = -worth_of(others, mine, starts, weights, layout)
                else:
                    stones, mask = others, mask | mine
                    level, ply = level + 1, ply + 1
                    _enter(walk, level, -walk.beta[level - 1], -_floor(walk, level - 1, layout))
                    if len(table) == 0 or not _recall(stones, mask, level, layout, walk, table):
                        continue
                    value = -walk.best[level]
                    level, ply = level - 1, ply - 1
                    mask = mask ^ single_cell(cell, mask)
                    stones = mask ^ stones
        elif level > 0:
            if len(table) > 0:
                _remember(stones, mask, level, layout, walk, table)
            value = -walk.best[level]
            level, ply = level - 1, ply - 1
            mask = mask ^ single_cell(walk.cells[level], mask)
            stones = mask ^ stones
        else:
            done = True
            continue
        if level > 0:
            walk.best[level] = max(walk.best[level], value)
        else:
            _offer_at_root(walk, value, layout)
    store(walk.boards, 0, stones)
    store(walk.boards, 1, mask)
    walk.level, walk.ply = level, ply
    walk.nodes += nodes
    walk.is_done = done


advance = kernel(walk_on)  # for calls from Python


@register_jitable
def _next_cell(mask: Bits, level: int, layout: Layout, walk: WalkRecord) -> int:
    """The next move to search at a level; -1 if there is none or the rest cannot change the result."""
    if walk.prune and walk.best[level] >= walk.beta[level]:
        return -1
    lift = layout.rows - 1 if layout.gravity else 0
    for number in range(walk.tried[level], walk.actions):
        lowest = int(walk.order[number])  # an int, because a uint64 cannot be shifted by an int64 array element
        if not has_cell(mask, lowest + lift):
            walk.tried[level] = number + 1
            return lowest + first_cell(playable(mask, layout) >> lowest) if layout.gravity else lowest
    walk.tried[level] = walk.actions
    return -1


@register_jitable
def _action(cell: int, layout: Layout) -> int:
    column = cell // layout.stride
    if layout.gravity:
        return column
    return (layout.rows - 1 - (cell - column * layout.stride)) * layout.columns + column


@register_jitable
def _floor(walk: WalkRecord, level: int, layout: Layout) -> float:
    """The value that the current move at `level` must exceed to change the result."""
    if level > 0:
        return max(walk.alpha[level], walk.best[level])
    if walk.all_best or _action(walk.cells[0], layout) < walk.best_action:
        return np.nextafter(walk.best[0], -np.inf)  # an equal value changes the list of best moves
    return walk.best[0]


@register_jitable
def _offer_at_root(walk: WalkRecord, value: float, layout: Layout) -> None:
    """Records the value of a root move. Of equally good actions the lowest is kept, in whatever order they are
    searched.
    """
    action = _action(walk.cells[0], layout)
    walk.values[action] = value
    if value > walk.best[0] or (value == walk.best[0] and action < walk.best_action):
        walk.best[0] = value
        walk.best_action = action


# --- The transposition table ---


@register_jitable
def _slot(key: np.uint64, table: np.ndarray) -> int:
    return np.int64(mixed(key) & np.uint64(len(table) - 1))


@register_jitable
def _recall(stones: Bits, mask: Bits, level: int, layout: Layout, walk: WalkRecord, table: np.ndarray) -> bool:
    """Whether the table has the value of a position just entered; the value is then in its `best`."""
    key = hash_key(stones, mask, layout)
    entry = table[_slot(key, table)]
    if entry.key != key or entry.search != walk.number:
        return False
    if (
        entry.kind == _EXACT
        or (entry.kind == _AT_LEAST and entry.bound >= walk.beta[level])
        or (entry.kind == _AT_MOST and entry.bound <= walk.alpha[level])
    ):
        walk.best[level] = entry.bound
        return True
    return False


@register_jitable
def _remember(stones: Bits, mask: Bits, level: int, layout: Layout, walk: WalkRecord, table: np.ndarray) -> None:
    """Stores the value of a position that is being left."""
    key = hash_key(stones, mask, layout)
    entry = table[_slot(key, table)]
    entry.key, entry.bound, entry.search = key, walk.best[level], walk.number
    entry.kind = _EXACT
    if walk.prune and walk.best[level] >= walk.beta[level]:
        entry.kind = _AT_LEAST
    elif walk.prune and walk.best[level] <= walk.alpha[level]:
        entry.kind = _AT_MOST
