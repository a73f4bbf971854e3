"""Monte Carlo tree search of harman as it was run.

A tree of four plies, built anew for each move. What is known of its faults, and repeated here:

- Results count 1, 0, -1 for the root's side in every node, and every node prefers high ones: the
  tree takes the opponent for a friend.
- No node is known to be over. A won position is played on; whoever has a line wins with the next
  stone that this side places, wherever it is.
"""

from __future__ import annotations

import math
from typing import Annotated

import msgspec
import numpy as np

from inarow.agents.agent import Decision
from inarow.errors import InvalidLimitError
from inarow.games.bits import Bits, from_int, single_cell
from inarow.games.kernels import compiled_layout, kernel
from inarow.games.layout import Layout
from inarow.games.playout import fill_heights, random_cell
from inarow.games.position import Position
from inarow.games.rules import has_line, landing_cell

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
        spec = position.spec
        if not spec.gravity:
            raise InvalidLimitError(f"harman/mcts plays columns; {spec} has no gravity")
        layout = compiled_layout(spec)
        nodes = sum(spec.columns**level for level in range(_DEPTH + 1))
        visits, totals = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
        stones, mask = from_int(position.stones, layout.board), from_int(position.mask, layout.board)
        _simulate(layout, stones, mask, position.ply, self._playouts, self._c, visits, totals, self._rng)
        children = visits[1 : spec.columns + 1].tolist()
        return Decision(action=children.index(max(children)), visits=tuple(children), nodes=int((visits > 0).sum()))


@kernel
def _simulate(
    layout: Layout,
    stones: Bits,
    mask: Bits,
    ply: int,
    playouts: int,
    c: float,
    visits: np.ndarray,
    totals: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """Runs playouts through the complete tree: node i has the children columns * i + 1 + action."""
    columns, area = layout.columns, layout.rows * layout.columns
    heights = np.empty(columns, np.int64)
    path = np.empty(_DEPTH + 1, np.int64)
    for _ in range(playouts):
        mine, both, stone = stones, mask, ply
        node = level = path[0] = 0
        is_new = False
        while level < _DEPTH and stone < area and not is_new:
            action, is_new = _selected(layout, both, node, c, visits, totals, rng)
            placed = single_cell(landing_cell(both, action, layout), both)
            mine, both = both ^ mine, both | placed
            stone += 1
            node = columns * node + 1 + action
            level += 1
            path[level] = node
        fill_heights(heights, both, layout)
        result = 0
        while stone < area and result == 0:
            placed = single_cell(random_cell(both, heights, layout, rng), both)
            if has_line(mine | placed, layout):
                result = 1 if (stone - ply) % 2 == 0 else -1
            mine, both = both ^ mine, both | placed
            stone += 1
        for place in range(level + 1):
            visits[path[place]] += 1
            totals[path[place]] += result


@kernel
def _selected(
    layout: Layout, mask: Bits, node: int, c: float, visits: np.ndarray, totals: np.ndarray, rng: np.random.Generator
) -> tuple[int, bool]:
    """The action to follow and whether it is new: any that was never visited, else the one with the highest bound."""
    chosen, unseen, highest = -1, 0, -np.inf
    for action in range(layout.columns):
        child = layout.columns * node + 1 + action
        if landing_cell(mask, action, layout) < 0:
            continue
        if visits[child] == 0:
            unseen += 1
            if rng.random() * unseen < 1.0:
                chosen = action
        elif unseen == 0:
            bound = totals[child] / visits[child] + c * math.sqrt(math.log(visits[node]) / visits[child])
            if bound > highest:
                highest, chosen = bound, action
    return chosen, unseen > 0
