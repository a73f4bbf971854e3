"""The phases in which kumbhakern-2025 trained its table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inarow.games.kernels import compiled_layout
from inarow.games.spec import GameSpec
from inarow.learning.tabular.q_table import QTable
from inarow.studies.kumbhakern_2025 import episode

WINDOW = GameSpec(4, 4, 4)
GENERATIONS = 5
LOG = 5_000
"""Episodes between points of the curve, and between changes of epsilon."""
_FIRST_EPSILON, _LAST_EPSILON = 0.8, 0.05
_BETTER, _WORSE, _TOLERANCE = 0.9, 1.01, 0.005
_MEMORY = 256 << 20
"""Bytes: room for more positions than there are, so that none is ever refused."""


@dataclass(frozen=True, slots=True)
class Phase:
    """Part of the training. Epsilon begins anew with each."""

    name: str
    split: float
    """Share of episodes against the opponent; the others are "self-play"."""
    opponent: int = episode.RANDOM


def phases(opponent: int, generations: int) -> tuple[Phase, ...]:
    """All phases; in the generations of the last, seven in ten episodes are against `opponent`.

    The published curve is that of random opponents, although frozen ones are described.
    """
    return (
        Phase("random", 1.0),
        Phase("self-play", 0.0),
        *(Phase(f"generation {number}", 0.7, opponent) for number in range(1, generations + 1)),
    )


class PublishedTrainer:
    """Trains a table phase by phase. All its chance comes from `rng`."""

    def __init__(self, rng: np.random.Generator, *, random_starts: float = 0.0) -> None:
        self.table = QTable(WINDOW, memory=_MEMORY)
        self._random_starts = random_starts
        self._rng = rng
        self._layout = compiled_layout(WINDOW)

    def run(self, phase: Phase, episodes: int) -> list[float]:
        """The mean rewards of each `LOG` episodes."""
        table, curve = self.table, []
        frozen = table.values[: len(table) if phase.opponent != episode.RANDOM else 0].copy()
        epsilon, best = _FIRST_EPSILON, -np.inf
        for first in range(0, episodes, LOG):
            count = min(LOG, episodes - first)
            mean = self._play(phase, frozen, epsilon, first, count) / count
            epsilon *= _BETTER if mean - best > -_TOLERANCE else _WORSE
            epsilon = min(max(epsilon, _LAST_EPSILON), _FIRST_EPSILON)
            best = max(best, mean)
            curve.append(mean)
        assert table.refused == 0
        return curve

    def _play(self, phase: Phase, frozen: np.ndarray, epsilon: float, first: int, episodes: int) -> float:
        """The sum of the rewards."""
        table, rewards, done = self.table, np.zeros(1), 0
        while done < episodes:
            table.reserve()
            done += episode.train_episodes(
                self._layout,
                first + done,
                episodes - done,
                epsilon,
                phase.split,
                phase.opponent,
                self._random_starts,
                table.index,
                table.old_index,
                table.keys,
                table.values,
                table.visits,
                table.state,
                frozen,
                rewards,
                self._rng,
            )
        return float(rewards[0])
