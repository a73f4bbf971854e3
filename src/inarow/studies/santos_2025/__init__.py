"""The study santos-2025: deep Q-learning with flags, classical and quantum, and what it published."""

import msgspec

from inarow.studies.experiment import published_numbers

Spread = tuple[float, float]  # mean and population standard deviation over the runs


class PublishedRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An agent of Tables I and II. Rates in percent; `training_` of all games of the training, else of the test."""

    states: Spread
    wins: Spread
    losses: Spread
    draws: Spread
    plies: Spread
    training_plies: Spread
    training_wins: Spread
    training_seconds: int  # for one training
    curve_wins: tuple[float, ...]  # by 300 episodes, as the other curves
    iterations: Spread | None = None
    curve_states: tuple[float, ...] = ()
    curve_plies: tuple[float, ...] = ()


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    runs: int
    games: int
    rows: dict[str, PublishedRow]


published = published_numbers(__name__, Published)
