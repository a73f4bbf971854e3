"""The default agent of paranji-2025 as it was run."""

from __future__ import annotations

import numpy as np

from inarow.agents.agent import Decision
from inarow.agents.simple import NoParameters, draw
from inarow.games.position import Position


class ParanjiWinBlock:
    """Looks for wins of player 1, then for cells where player 2 would win, then plays at random.

    It believes that it is player 1. As the second player it hence finds no win in its first rule,
    takes its own wins in the rule that was to block, and never blocks.
    """

    def __init__(self, name: str, parameters: NoParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._rng = rng

    def decide(self, position: Position) -> Decision:
        urgent = position.winning_actions()
        if not urgent and position.side_to_move == 1:
            urgent = position.winning_actions(of_opponent=True)
        return draw(position, urgent[:1] or position.legal_actions, self._rng)
