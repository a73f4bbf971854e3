"""Compiled: the randomised negamax of santos-2025, for many positions at once.

With chance omega, drawn before it searches, it plays a randomised move: if nobody can win within its depth whatever
it plays, any move of positive value, or if there is none any move. In all other cases it plays the first best move.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, any_cell, has_cell
from inarow.games.kernels import compiled_layout
from inarow.games.layout import Layout
from inarow.games.rules import landing_cell, playable, winning_cells
from inarow.games.spec import GameSpec
from inarow.search.minimax.alphabeta import ENTRY, advance, begin
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import make_walk

FLAT_WIN = 10_000.0
"""What a line is worth, however soon it comes."""
_ALL_NODES = 1 << 62


class Negamax:
    """What `negamax_move` needs on one board: `layout`, `starts`, `weights`, `walk`, `table`; not for two threads."""

    def __init__(self, spec: GameSpec) -> None:
        heuristic = make_heuristic("squares", spec)
        wins, order = np.full(spec.cells + 1, FLAT_WIN), np.arange(spec.actions)
        self.layout = compiled_layout(spec)
        self.starts, self.weights = heuristic.starts, heuristic.weights[0]
        self.walk = make_walk(spec, prune=True, all_best=False, order=order, wins=wins)[0]
        self.table: Any = np.zeros(0, ENTRY).view(np.recarray)


@register_jitable
def negamax_move(
    layout: Layout,
    starts: Any,
    weights: Any,
    walk: Any,
    table: np.ndarray,
    stones: Bits,
    mask: Bits,
    ply: int,
    depth: int,
    omega: float,
    rng: np.random.Generator,
) -> int:
    """The action in a position that is not over. It draws as the agent `negamax` does."""
    is_random = rng.random() < omega
    share = rng.random() if is_random else 0.0
    wins = winning_cells(stones, mask, layout) & playable(mask, layout)
    if any_cell(wins):  # nothing is better, and no win that comes later shall be taken for it
        for action in range(walk.actions):
            cell = landing_cell(mask, action, layout)
            if cell >= 0 and has_cell(wins, cell):
                return action
    walk.prune = not is_random
    begin(walk, stones, mask, ply, min(depth, layout.rows * layout.columns - ply))
    advance(layout, starts, weights, walk, table, _ALL_NODES)
    return _randomised(walk, share) if is_random else walk.best_action


@register_jitable
def _randomised(walk: Any, share: float) -> int:
    """The move that `share`, from 0 to below 1, chooses."""
    legal = positive = 0
    worst = np.inf
    for action in range(walk.actions):
        value = walk.values[action]
        if not np.isnan(value):
            legal += 1
            positive += value > 0.0
            worst = min(worst, value)
    if walk.best[0] >= FLAT_WIN or worst <= -FLAT_WIN:
        return walk.best_action
    left = int(share * (positive if positive > 0 else legal))
    for action in range(walk.actions):
        value = walk.values[action]
        if not np.isnan(value) and (positive == 0 or value > 0.0):
            if left == 0:
                return action
            left -= 1
    return walk.best_action
