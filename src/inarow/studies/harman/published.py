"""The numbers that harman published; `published.toml` has them."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from inarow.studies.published import load_published


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


@lru_cache(maxsize=1)
def published() -> Published:
    return load_published("inarow.studies.harman", Published)
