"""The study harman: Q-learning against Monte Carlo tree search on small boards, and what it published."""

from __future__ import annotations

import msgspec

from inarow.studies.experiment import published_numbers


class CurveFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of the moving average of rewards a game; `crosses_zero` is an episode."""

    start: float
    crosses_zero: float
    at_4500: float
    at_10000: float
    at_50000: float
    peak: float
    end: float


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    window: int
    curve: CurveFigures


published = published_numbers(__name__, Published)
