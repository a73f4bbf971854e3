"""Players that look one move ahead, or not at all."""

from __future__ import annotations

import random

from inarow.adapters.kaggle_export.player.base import Deadline, Rules


class SimplePlayer:
    """Takes a win if `wins`, else blocks one if `blocks`, else (or with probability `epsilon`) plays at random."""

    def __init__(self, wins: bool, blocks: bool, epsilon: float) -> None:
        self._wins, self._blocks, self._epsilon = wins, blocks, epsilon

    def choose(self, rules: Rules, own: int, both: int, deadline: Deadline) -> int:
        choices = rules.winning_columns(own, both) if self._wins else []
        if self._blocks:  # the first of several, as win and block come in the order of the columns
            choices = (choices or rules.winning_columns(both ^ own, both))[:1]
        if not choices or random.random() < self._epsilon:
            choices = rules.legal_columns(both)
        return random.choice(choices)
