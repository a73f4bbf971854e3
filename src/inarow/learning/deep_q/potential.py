"""Shaping: a potential of boards after a move, from a heuristic.

With `rewards.shaping`, a learner gets for each move, in addition to its rewards,

    F = gamma Phi(x') - Phi(x),    Phi(x) = shaping_weight * h / (1 + |h|),

where x is the board after the move, x' the board after its next move, and h the heuristic's value of a board for the
learner in units of that heuristic, so |Phi| < shaping_weight. Phi is 0 where the game is over: at x if the move ended
it, at x' if the game ended before the learner moved again. Over a game the discounted sum of F is -Phi of the first
board.

The net therefore learns Q(x) - Phi(x), where Q are the values without shaping. In training and in play, moves are
compared by the net's value plus Phi, which is Q, so shaping does not change the optimal policy. (This is necessary for
potentials of boards after a move: the net's value alone would prefer moves with a small Phi. See Wiewiora, Cottrell and
Elkan, Principled methods for advising reinforcement learning agents, ICML 2003.)
"""

from typing import Any

import numpy as np

from inarow.games.bits import count_cells, load, single_cell
from inarow.games.kernels import compiled_layout, completes_line, kernel
from inarow.games.layout import Layout
from inarow.games.rules import landing_cell
from inarow.learning.deep_q.boards import Boards
from inarow.learning.deep_q.config import DeepQConfig
from inarow.search.minimax.heuristics import make_heuristic, worth_of
from inarow.search.plugged import blaming, kernel_for


class Potential:
    """Phi on one board, by a heuristic of minimax."""

    def __init__(self, config: DeepQConfig, heuristic: str) -> None:
        """Raises InvalidLimitError if the heuristic does not exist or does not fit the board."""
        self._layout, self._heuristic = compiled_layout(config.spec), make_heuristic(heuristic, config.spec)
        part = self._heuristic.part
        self._evaluate = evaluate_moves if part is None else kernel_for(evaluate_moves, part.kind)
        self._weight = config.rewards.shaping_weight

    def after_moves(self, boards: Boards, games: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Phi after the n-th action in the n-th of `games`, for the side with the stones `own`: float64 [N]."""
        values = np.empty(len(games))
        starts, weights = self._heuristic.starts, self._heuristic.weights
        with blaming(weights):
            self._evaluate(self._layout, boards, games, actions, starts, weights, values)
        units = values / self._heuristic.unit
        return np.asarray(self._weight * units / (1.0 + np.abs(units)))


def make_potential(config: DeepQConfig) -> Potential | None:
    """The potential of a config; None without shaping."""
    heuristic = config.rewards.shaping
    return None if heuristic is None else Potential(config, heuristic)


@kernel
def evaluate_moves(
    layout: Layout,
    boards: Boards,
    games: np.ndarray,
    actions: np.ndarray,
    starts: Any,
    weights: Any,
    values: np.ndarray,
) -> None:
    """Writes the heuristic's value of each board after an action, for the side that moved; 0 if the game is over."""
    own, mask = boards.own, boards.mask
    for number in range(len(games)):
        stones, both = load(own, games[number], layout.board), load(mask, games[number], layout.board)
        cell = landing_cell(both, int(actions[number]), layout)
        stone = single_cell(cell, both)
        placed, filled = stones | stone, both | stone
        values[number] = 0.0
        if not completes_line(placed, cell, layout) and count_cells(filled) < layout.rows * layout.columns:
            values[number] = worth_of(placed, filled ^ placed, starts, weights, layout)
