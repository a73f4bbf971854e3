"""Monte Carlo tree search of harman as it was run.

A tree built anew for each move. Its first four plies are there from the start, so that every
playout goes at least four plies down; below them a node gets children when it is first visited. What
is known of its faults, and repeated here:

- Results count 1, 0, -1 for the root's side in every node, and every node prefers high ones: the
  tree takes the opponent for a friend.
- No node is known to be over. A won position is played on, and only a line through the stone placed
  last counts in a playout. So a move that wins at once is worth no more to it than any other.
- A playout from a full board ends in a "stone" on the full last column, which may still win.

The published program needs five columns; with other numbers this is what it would do.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numba.extending import register_jitable

from inarow.agents.agent import Decision
from inarow.errors import InvalidLimitError
from inarow.games.bits import Bits, from_int, single_cell
from inarow.games.kernels import compiled_layout, kernel
from inarow.games.layout import Layout
from inarow.games.playout import fill_heights, random_cell
from inarow.games.position import Position
from inarow.games.rules import has_line_through, landing_cell
from inarow.games.spec import GameSpec

_DEPTH = 4


class HarmanMctsParameters(msgspec.Struct, frozen=True, kw_only=True):
    playouts: Annotated[int, msgspec.Meta(ge=1, le=10**6, description="for a move")] = 40
    c: Annotated[float, msgspec.Meta(ge=0, le=100, description="exploration constant")] = 2.0


class HarmanMcts:
    """Plays the first of the most visited moves."""

    def __init__(self, name: str, parameters: HarmanMctsParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._playouts, self._c = parameters.playouts, parameters.c
        self._rng = rng

    def decide(self, position: Position) -> Decision:
        position.check_ongoing()
        spec = position.spec
        self.check_board(spec)
        layout = compiled_layout(spec)
        tree = make_tree(spec, self._playouts)
        stones, mask = from_int(position.stones, layout.board), from_int(position.mask, layout.board)
        action = most_visited(layout, stones, mask, position.ply, self._playouts, self._c, *tree, self._rng)
        children = tuple(tree.visits[1 : spec.columns + 1].tolist())
        return Decision(action=int(action), visits=children, nodes=int(np.count_nonzero(tree.visits)))

    def check_board(self, spec: GameSpec) -> None:
        if not spec.gravity:
            raise InvalidLimitError(f"harman/mcts plays columns; {spec} has no gravity")


class PublishedTree(NamedTuple):
    """Node 0 is the root; the children of a node lie next to each other, one for each column."""

    visits: np.ndarray  # [nodes] int64
    totals: np.ndarray  # [nodes] int64, sum of results for the root's side
    first: np.ndarray  # [nodes] int64, the first child, 0 before there is one


def make_tree(spec: GameSpec, playouts: int) -> PublishedTree:
    """Room for the tree of so many playouts."""
    upper = sum(spec.columns**level for level in range(_DEPTH))
    nodes = 1 + spec.columns * (min(upper, _DEPTH * playouts) + playouts)
    return PublishedTree(np.zeros(nodes, np.int64), np.zeros(nodes, np.int64), np.zeros(nodes, np.int64))


@kernel
def most_visited(
    layout: Layout,
    stones: Bits,
    mask: Bits,
    ply: int,
    playouts: int,
    c: float,
    visits: np.ndarray,
    totals: np.ndarray,
    first: np.ndarray,
    rng: np.random.Generator,
) -> int:
    """The action that a new tree visits most, the first of several. `visits` to `first` are a
    `PublishedTree` with enough room, whatever it was used for before.
    """
    columns, area = layout.columns, layout.rows * layout.columns
    heights = np.empty(columns, np.int64)
    path = np.empty(area + 1, np.int64)
    visits[0] = totals[0] = first[0] = 0
    used = 1
    for _ in range(playouts):
        mine, both, stone = stones, mask, ply
        node = path[0] = 0
        while stone < area and (stone - ply < _DEPTH or visits[node] > 0):
            if first[node] == 0:
                for child in range(used, used + columns):
                    visits[child] = totals[child] = first[child] = 0
                first[node] = used
                used += columns
            action = _selected(layout, both, node, c, visits, totals, first, rng)
            placed = single_cell(landing_cell(both, action, layout), both)
            mine, both = both ^ mine, both | placed
            stone += 1
            node = first[node] + action
            path[stone - ply] = node
        result = _play_on(layout, mine, both, stone, heights, rng)
        if (stone - ply) % 2 == 1:
            result = -result
        for place in range(stone - ply + 1):
            visits[path[place]] += 1
            totals[path[place]] += result
    return int(np.argmax(visits[1 : columns + 1]))


@register_jitable
def _selected(
    layout: Layout,
    mask: Bits,
    node: int,
    c: float,
    visits: np.ndarray,
    totals: np.ndarray,
    first: np.ndarray,
    rng: np.random.Generator,
) -> int:
    """Any action that was never visited, else the one with the highest bound; of equal ones the most visited."""
    chosen, unseen, highest = -1, 0, -np.inf
    for action in range(layout.columns):
        child = first[node] + action
        if landing_cell(mask, action, layout) < 0:
            continue
        if visits[child] == 0:
            unseen += 1
            if rng.random() * unseen < 1.0:
                chosen = action
        elif unseen == 0:
            bound = totals[child] / visits[child] + c * math.sqrt(math.log(visits[node]) / visits[child])
            if bound > highest or (bound == highest and visits[child] > visits[first[node] + chosen]):
                highest, chosen = bound, action
    return chosen


@register_jitable
def _play_on(layout: Layout, mine: Bits, both: Bits, stone: int, heights: np.ndarray, rng: np.random.Generator) -> int:
    """The result for the side to move of random moves until one makes a line through its own stone."""
    area, result = layout.rows * layout.columns, 1
    fill_heights(heights, both, layout)
    while True:
        if stone < area:
            cell = random_cell(both, heights, layout, rng)
        else:
            cell = (layout.columns - 1) * layout.stride + layout.rows - 1
        placed = single_cell(cell, both)
        if has_line_through(mine | placed, cell, layout):
            return result
        stone += 1
        if stone >= area:
            return 0
        mine, both = both ^ mine, both | placed
        result = -result
