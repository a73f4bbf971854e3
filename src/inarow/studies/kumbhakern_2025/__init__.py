"""The study kumbhakern-2025: a Q-table of 4x4 behind sliding windows, and what it published."""

from __future__ import annotations

import msgspec

from inarow.studies.experiment import published_numbers


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
    table_1: dict[str, TestGames]  # after phases by name, as `figure_1`
    figure_1: dict[str, CurveFigures]


published = published_numbers(__name__, Published)
