"""The study kumbhakern-2025: a Q-table of 4x4 behind sliding windows, and what it published."""

from __future__ import annotations

import msgspec

from inarow.studies.experiment import published_numbers


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    games: int
    table_1: dict[str, dict[str, float]]  # wins, losses and draws after phases by name, as `figure_1`
    figure_1: dict[str, dict[str, float]]  # first, last and max of the 39 points of a phase


published = published_numbers(__name__, Published)
