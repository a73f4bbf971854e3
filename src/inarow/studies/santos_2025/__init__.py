"""The study santos-2025: deep Q-learning with flags, classical and quantum, and its published numbers."""

import msgspec

from inarow.studies.experiment import published_numbers

Spread = tuple[float, float]  # mean and population standard deviation over the runs


class PublishedRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An agent of Tables I and II. Rates in percent; `training_` over all training games, others over the test
    games.
    """

    states: Spread
    wins: Spread
    losses: Spread
    draws: Spread
    plies: Spread
    training_plies: Spread
    training_wins: Spread
    training_seconds: int  # for one training
    curve_wins: tuple[float, ...]  # per 300 episodes, like the other curves
    iterations: Spread | None = None
    curve_states: tuple[float, ...] = ()
    curve_plies: tuple[float, ...] = ()


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    runs: int
    games: int
    rows: dict[str, PublishedRow]


published = published_numbers(__name__, Published)
