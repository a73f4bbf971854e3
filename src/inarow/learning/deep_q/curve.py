"""What trainings and tests report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A batch of training. Rates and means are over its games; the last four over the training so far."""

    episode: int
    """The last one of the batch."""
    episodes: int
    reward: float
    wins: float
    draws: float
    losses: float
    plies: float
    loss: float
    """Mean squared error in the last epoch of the fit."""
    states: int
    """Positions in which the learner was to move."""
    iterations: float | None
    """See `exploration.metrics`."""
    oracle_calls: int
    decisions: int


@dataclass(frozen=True, slots=True)
class TestResult:
    """Greedy games."""

    games: int
    wins: int
    draws: int
    losses: int
    plies: float
