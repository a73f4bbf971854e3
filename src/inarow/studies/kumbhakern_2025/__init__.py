"""The study kumbhakern-2025: a 4x4 Q-table with sliding windows, and its published numbers."""

from typing import Literal, get_args

import msgspec

from inarow.studies.experiment import published_numbers

Rate = Literal["wins", "losses", "draws"]
End = Literal["first", "last", "max"]  # of the 39 points of a phase
RATES: tuple[Rate, ...] = get_args(Rate)
ENDS: tuple[End, ...] = get_args(End)


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By name of the phase."""

    games: int
    table_1: dict[str, dict[Rate, float]]
    figure_1: dict[str, dict[End, float]]
    curve: dict[str, tuple[float, ...]]  # all points of the figure


published = published_numbers(__name__, Published)
