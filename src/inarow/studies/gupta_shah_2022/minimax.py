"""Minimax of gupta-shah-2022 as it was submitted to Kaggle, not as the paper describes it.

It looks four plies ahead, not five. Finished games are judged by the heuristic as well: a line is a
window of four stones and counts 10^9, one of the opponent -8 * 10^9, and everything else on the
board is added, so it does not prefer a quick win. Only the bound of the parent is used to cut.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from inarow.agents.agent import Decision
from inarow.agents.simple import NoParameters
from inarow.games.bits import Bits, from_int, single_cell
from inarow.games.kernels import compiled_layout, completes_line, kernel
from inarow.games.layout import Layout
from inarow.games.position import Position
from inarow.games.rules import landing_cell
from inarow.games.spec import GameSpec
from inarow.search.minimax.heuristics import Heuristic, evaluate, window_heuristic

_DEPTH = 4


class GuptaShahMinimax:
    """Draws among the best moves of a search of four plies."""

    def __init__(self, name: str, parameters: NoParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._rng = rng

    def decide(self, position: Position) -> Decision:
        position.check_ongoing()
        layout, heuristic = compiled_layout(position.spec), _heuristic(position.spec)
        nodes = np.zeros(1, np.int64)
        values: dict[int, float] = {}
        bound = -np.inf
        for action in position.legal_actions:
            stones, mask = from_int(position.stones, layout.board), from_int(position.mask, layout.board)
            values[action] = _value_after(
                layout, stones, mask, position.ply, action, 1, bound, heuristic.starts, heuristic.weights[0], nodes
            )
            bound = max(bound, values[action])
        best = [action for action, value in values.items() if value == bound]
        return Decision(action=best[int(self._rng.random() * len(best))], nodes=int(nodes[0]), depth=_DEPTH)


@lru_cache(maxsize=64)
def _heuristic(spec: GameSpec) -> Heuristic:
    """`powers` with lines as windows like others."""
    stones = range(2, spec.inarow + 1)
    own = [0.0, 0.0, *(1000.0 ** (count - 1) for count in stones)]
    other = [0.0, 0.0, *(-(2000.0 ** (count - 1)) for count in stones)]
    return window_heuristic(spec, own, other, 1.0)


@kernel
def _value_after(
    layout: Layout,
    stones: Bits,
    mask: Bits,
    ply: int,
    action: int,
    level: int,
    bound: float,
    starts: Any,
    weights: Any,
    nodes: np.ndarray,
) -> float:
    """The value for the root's side of a legal action; `level` counts it. A value beyond `bound`, which the
    side that moved has already (as a least or a most), need not be exact.
    """
    nodes[0] += 1
    cell = landing_cell(mask, action, layout)
    mine = stones | single_cell(cell, stones)
    others = mask ^ stones
    is_roots = level % 2 == 1
    if level == _DEPTH or ply + 1 == layout.rows * layout.columns or completes_line(mine, cell, layout):
        if is_roots:
            return evaluate(mine, others, starts, weights, layout)
        return evaluate(others, mine, starts, weights, layout)
    best = np.inf if is_roots else -np.inf
    for reply in range(layout.columns if layout.gravity else layout.rows * layout.columns):
        if landing_cell(mask | mine, reply, layout) < 0:
            continue
        value = _value_after(layout, others, mask | mine, ply + 1, reply, level + 1, best, starts, weights, nodes)
        best = min(best, value) if is_roots else max(best, value)
        if (is_roots and best < bound) or (not is_roots and best > bound):
            break
    return best
