"""The kinds of numbers that kumbhakern-2025 published; `published.toml` has them."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from inarow.studies.published import load_published


class TestGames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    wins: float
    losses: float
    draws: float


class CurveFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of the 39 points of a phase."""

    first: float
    last: float
    max: float


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    games: int
    table_1: dict[str, TestGames]
    """After phases by name, as `figure_1`."""
    figure_1: dict[str, CurveFigures]


@lru_cache(maxsize=1)
def published() -> Published:
    return load_published("inarow.studies.kumbhakern_2025", Published)
