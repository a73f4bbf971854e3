"""Compiled: the randomised negamax of santos-2025, for many positions at once.

With probability omega, drawn before the search, it plays a random move of positive value, or any move if none is
positive, unless a move forces a win or a loss within its depth. Otherwise it plays the first best move.
"""

import numpy as np
from numba.extending import register_jitable

from inarow.games import GameSpec
from inarow.games.bits import Bits, any_cell, has_cell
from inarow.games.rules import landing_cell, playable, winning_cells
from inarow.search.minimax.alphabeta import MinimaxContext, WalkRecord, begin, walk_on
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import Minimax

FLAT_WIN = 10_000.0  # the value of a line, however soon it is completed
_ALL_NODES = 1 << 62


def negamax_search(spec: GameSpec, *, prune: bool = True) -> Minimax:
    """The search of this agent on one board; `negamax_move` takes its `context`."""
    wins, order = np.full(spec.cells + 1, FLAT_WIN), np.arange(spec.actions)
    return Minimax(spec, make_heuristic("squares", spec), prune=prune, order=order, wins=wins)


@register_jitable
def negamax_move(
    context: MinimaxContext, stones: Bits, mask: Bits, ply: int, depth: int, omega: float, rng: np.random.Generator
) -> int:
    """The action in a position that is not over. It draws the same random numbers as the agent `negamax`."""
    layout, walk = context.layout, context.walk
    is_random = rng.random() < omega
    share = rng.random() if is_random else 0.0
    wins = winning_cells(stones, mask, layout) & playable(mask, layout)
    if any_cell(wins):  # nothing is better, and a later win must not be chosen instead
        for action in range(walk.actions):
            cell = landing_cell(mask, action, layout)
            if cell >= 0 and has_cell(wins, cell):
                return action
    walk.prune = not is_random
    begin(walk, stones, mask, ply, min(depth, layout.rows * layout.columns - ply))
    walk_on(context, _ALL_NODES)
    return _randomised(walk, share) if is_random else walk.best_action


@register_jitable
def _randomised(walk: WalkRecord, share: float) -> int:
    """A move chosen by `share`, a random number in [0, 1)."""
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
