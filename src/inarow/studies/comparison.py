"""A published number beside ours: how sure ours is, and whether the two agree.

A published number mostly comes from a single run. So the question is not whether it lies in the
interval of our mean, but whether a single run like theirs may well give it. How far single runs
scatter is seen from our own runs; for a rate also from the number of games behind it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from inarow.arena.statistics import Interval, runs_interval, student_reach, wilson_interval

_PERCENT = 100.0


class Estimate(msgspec.Struct, frozen=True):
    """The mean of runs and what is known of it."""

    mean: float
    interval: Interval | None
    """95 %, for the expectation; None for a single run of something that is no rate."""
    scatter: float
    """Half the width of the 95 % interval for one more run; 0 if all are equal or there is one."""
    runs: int


def estimate(values: Sequence[float], *, is_rate: bool = False, games: int | None = None) -> Estimate | None:
    """What runs say about their expectation; None without runs.

    Rates are in percent. With `games`, each is that of so many alike games: then the interval is
    Wilson's over all games if that is the wider one, as it is where all runs are equal.
    """
    if not values:
        return None
    mean = float(np.mean(values))
    interval = runs_interval(np.array(values))
    if interval is not None and is_rate:
        interval = max(0.0, interval[0]), min(_PERCENT, interval[1])
    if games is not None:
        low, high = (_PERCENT * end for end in wilson_interval(mean / _PERCENT, games * len(values)))
        if interval is None or high - low > interval[1] - interval[0]:
            interval = low, high
    scatter = student_reach(np.array(values)) * math.sqrt(1 + 1 / len(values)) if len(values) > 1 else 0.0
    return Estimate(mean, interval, scatter, len(values))


class Agreement(msgspec.Struct, frozen=True):
    agrees: bool
    sentence: str


def agreement(published: float, ours: Estimate, *, digits: int, games: int | None = None) -> Agreement | None:
    """Whether a single run may well give `published`, printed with so many `digits` after the point;
    None where nothing is known of how single runs scatter. `games` is as in `estimate`, for the published rate.
    """
    difference = published - ours.mean
    rounding = 0.5 * 10.0**-digits
    if abs(difference) <= rounding * 1.000001:
        return Agreement(True, "equal")
    reach = ours.scatter
    if games is not None:
        low, high = (_PERCENT * end for end in wilson_interval(published / _PERCENT, games))
        reach = max(reach, high - published if difference < 0 else published - low)
    if reach == 0.0 and ours.runs == 1:
        return None
    if reach == 0.0:
        return Agreement(False, f"outside: differs by {difference:+,.{digits}f}, every run of ours is the same")
    if abs(difference) <= reach + rounding:
        return Agreement(True, f"within: single runs scatter ± {reach:,.{digits}f}")
    side = "above" if difference > 0 else "below"
    distance, scatter = f"{abs(difference):,.{digits}f}", f"{reach:,.{digits}f}"
    return Agreement(False, f"outside: {distance} {side}, single runs scatter ± {scatter}")
