"""The kinds of numbers that santos-2025 published; `published.toml` has them."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from inarow.studies.published import load_published

Spread = tuple[float, float]
"""Mean and population standard deviation over the runs."""


class PublishedRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An agent of Tables I and II. Rates in percent; `training_` of all games of the training, else of the test."""

    states: Spread
    wins: Spread
    losses: Spread
    draws: Spread
    plies: Spread
    training_plies: Spread
    training_wins: Spread
    training_seconds: int
    """For one training."""
    curve_wins: tuple[float, ...]
    """By 300 episodes, as the other curves."""
    iterations: Spread | None = None
    curve_states: tuple[float, ...] = ()
    curve_plies: tuple[float, ...] = ()


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    runs: int
    games: int
    rows: dict[str, PublishedRow]


@lru_cache(maxsize=1)
def published() -> Published:
    return load_published("inarow.studies.santos_2025", Published)
