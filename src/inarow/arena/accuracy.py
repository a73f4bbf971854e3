"""How well moves were chosen, measured by exact scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inarow.arena.statistics import Interval, mean_interval, wilson_interval
from inarow.arena.suite import ILLEGAL, Suite

FAULT = -1
"""Stands for the action where an agent crashed or chose an illegal one."""
_SIDES = ("first", "second")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """Figures of a number of moves, each counted once; None where there is no move to tell."""

    positions: int
    critical: int
    """Positions in which some legal action does not keep the outcome."""
    outcome_accuracy: float | None
    """How often the move keeps the outcome: win, draw or loss under perfect play."""
    critical_accuracy: float | None
    """The same on critical positions only."""
    optimal_accuracy: float | None
    """How often the move has the best score: the quickest win, the slowest loss."""
    mean_regret: float | None
    """How much score a move gives away."""
    intervals: dict[str, Interval | None]
    """95 % intervals of the four figures, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlyAccuracy(Accuracy):
    """The figures of one ply: `ply` stones were on the board before the move."""

    ply: int


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen in the positions of a suite, in numbers."""

    plies: np.ndarray  # [N] int64, stones on the board
    best: np.ndarray  # [N] int64, score of the best action
    worst: np.ndarray  # [N] int64, score of the worst one
    chosen: np.ndarray  # [N] int64, score of the one that was chosen

    @classmethod
    def of(cls, suite: Suite, actions: np.ndarray) -> Choices:
        """The choices `actions` ([N] int64, legal or FAULT), a fault being a loss by the opponent's next move."""
        scores = suite.scores.astype(np.int64)
        legal = scores != ILLEGAL
        plies = np.array([position.ply for position in suite.positions], np.int64)
        lost_at_once = -np.maximum(1, (suite.spec.cells - plies) // 2)
        return cls(
            plies=plies,
            best=scores.max(axis=1),
            worst=np.where(legal, scores, -ILLEGAL).min(axis=1),
            chosen=np.where(actions == FAULT, lost_at_once, scores[np.arange(len(scores)), actions]),
        )

    def where(self, members: np.ndarray) -> Choices:
        return Choices(self.plies[members], self.best[members], self.worst[members], self.chosen[members])

    def figures(self) -> dict[str, Any]:
        """The fields of an `Accuracy` of all choices."""
        keeps_outcome = np.sign(self.chosen) == np.sign(self.best)
        is_critical = np.sign(self.worst) < np.sign(self.best)
        regret = self.best - self.chosen
        rates = {
            "outcome_accuracy": keeps_outcome,
            "critical_accuracy": keeps_outcome[is_critical],
            "optimal_accuracy": regret == 0,
        }
        means = {name: _mean(values) for name, values in {**rates, "mean_regret": regret}.items()}
        intervals = {name: _rate_interval(hits) for name, hits in rates.items()}
        return {
            "positions": len(regret),
            "critical": int(is_critical.sum()),
            **means,
            "intervals": {**intervals, "mean_regret": mean_interval(regret)},
        }

    def by_ply(self) -> tuple[PlyAccuracy, ...]:
        """Those of each ply that occurs, ascending."""
        return tuple(
            PlyAccuracy(ply=int(ply), **self.where(self.plies == ply).figures()) for ply in np.unique(self.plies)
        )

    def by_side(self) -> dict[str, Accuracy]:
        """Those of each side to move: `first` and `second`."""
        return {name: Accuracy(**self.where(self.plies % 2 == side).figures()) for side, name in enumerate(_SIDES)}


def _mean(values: np.ndarray) -> float | None:
    return float(values.mean()) if len(values) else None


def _rate_interval(hits: np.ndarray) -> Interval | None:
    return wilson_interval(float(hits.mean()), len(hits)) if len(hits) else None
