"""The Q-learner of paranji-2025 as its report describes it.

The same rates, rewards and number of games as in the published program; but it learns on both sides,
from losses and draws as well, and looks ahead to its own next turn.
"""

from __future__ import annotations

import numpy as np

from inarow.agents.agent import Decision
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.tabular.config import Exploration, Phase, QConfig, Rewards
from inarow.learning.tabular.q_table import QTable
from inarow.learning.tabular.trainer import Trainer
from inarow.studies.paranji_2025.q import decide_by_table

_CURVE_POINTS = 20


def train_corrected(spec: GameSpec, episodes: int, seed: int) -> Trainer:
    """A finished trainer: its table, and its curve in twenty points or a few more."""
    config = QConfig(
        board=str(spec),
        phases=(Phase(episodes=episodes, opponent="winblock", side="alternating"),),
        seed=seed,
        target="own-turn",
        alpha=0.1,
        gamma=0.9,
        symmetry=False,
        rewards=Rewards(win=1.0, loss=-1.0, draw=0.2),
        exploration=Exploration(start=0.3, floor=0.01, decay=0.995),
        report=max(1, episodes // _CURVE_POINTS),
    )
    trainer = Trainer(config)
    trainer.run(episodes)
    return trainer


class CorrectedQ:
    """Plays the action of the greatest value, uniformly among equals."""

    def __init__(self, table: QTable, rng: np.random.Generator) -> None:
        self.name = "paranji-2025 corrected Q"
        self._table, self._rng = table, rng

    def decide(self, position: Position) -> Decision:
        return decide_by_table(position, self._table, self._rng)
