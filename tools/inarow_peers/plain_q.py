"""Q-learning in plain Python: the equivalent of `learning/tabular/episode.py`, to compare speeds.

It draws random numbers in the same order, so with the same seed it learns the same values.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from inarow.games.position import Position
from inarow.games.spec import GameSpec

Values = dict[int, list[float]]
"""By the key of a position: the value of each action for the side to move."""


class PlainQ:
    """Learns from the empty board with rewards 1 for a win, -1 for a loss, 0 for a draw."""

    def __init__(
        self,
        spec: GameSpec,
        rng: np.random.Generator,
        *,
        opponent: Literal["self", "random", "winblock"],
        is_negamax: bool,
        alpha: float,
        gamma: float,
        epsilon: float,
    ) -> None:
        self.values: Values = {}
        self._spec, self._rng, self._opponent, self._is_negamax = spec, rng, opponent, is_negamax
        self._alpha, self._gamma, self._epsilon = alpha, gamma, epsilon

    def learn(self, episodes: int) -> None:
        """The learner moves first in the first episode, second in the next, and so on."""
        for episode in range(episodes):
            self._play(learner=episode % 2)

    def _play(self, learner: int) -> None:
        position = Position.start(self._spec)
        waiting: dict[int, tuple[list[float], int]] = {}  # by side: the move that waits for its update
        while True:
            side = position.ply % 2
            action = None
            if self._opponent != "self" and side != learner:
                action = self._reply(position)
            if action is None or self._is_negamax:
                row = self.values.setdefault(position.key, [0.0] * self._spec.actions)
                best = max(row[each] for each in position.legal_actions)
                own = self._own_choice(position, row)
                other = 1 - side if self._is_negamax else side
                self._teach(waiting.get(other), -self._gamma * best if self._is_negamax else self._gamma * best)
                if action is None:
                    action = own
                    if self._rng.random() < self._epsilon:
                        action = self._random_action(position)
                waiting[side] = row, action
            position = position.play(action)
            if position.is_over:
                result = 0.0 if position.winner is None else 1.0
                self._teach(waiting.get(side), result)
                if not self._is_negamax:
                    self._teach(waiting.get(1 - side), -result)
                return

    def _own_choice(self, position: Position, row: list[float]) -> int:
        """One of the best actions. A random number is drawn for every tie met, also for values exceeded later."""
        highest, ties, choice = -np.inf, 0, -1
        for action in position.legal_actions:
            if row[action] > highest:
                highest, ties = row[action], 0
            if row[action] == highest:
                ties += 1
                if ties == 1 or self._rng.random() * ties < 1.0:
                    choice = action
        return choice

    def _teach(self, move: tuple[list[float], int] | None, target: float) -> None:
        if move is not None:
            row, action = move
            row[action] += self._alpha * (target - row[action])

    def _reply(self, position: Position) -> int:
        if self._opponent == "winblock":
            urgent = position.winning_actions() or position.winning_actions(of_opponent=True)
            if urgent:
                return urgent[0]
        return self._random_action(position)

    def _random_action(self, position: Position) -> int:
        while True:
            action = int(self._rng.random() * self._spec.actions)
            if action in position.legal_actions:
                return action
