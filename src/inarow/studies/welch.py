"""Do two sets of runs differ? Welch's test, which needs no equal deviations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inarow.arena.statistics import Interval
from inarow.studies.comparison import Estimate

_POWER = 0.8


@dataclass(frozen=True, slots=True)
class Spread:
    """What runs say together; of published ones often nothing else is known."""

    mean: float
    deviation: float
    """Of the population: the root of the mean square."""
    runs: int

    @property
    def variance_of_mean(self) -> float:
        """With at least two runs."""
        return self.deviation**2 / (self.runs - 1)


def spread(values: Sequence[float]) -> Spread | None:
    """Of at least two runs, else None."""
    return Spread(float(np.mean(values)), float(np.std(values)), len(values)) if len(values) > 1 else None


def deviation_estimate(values: Sequence[float]) -> Estimate | None:
    """The population deviation of runs as a figure of its own; None for fewer than two.

    Its 95 % interval is that of normal runs: nothing but a hint for others.
    """
    from scipy.special import chdtri

    found = spread(values)
    if found is None:
        return None
    ends = (found.deviation * math.sqrt(found.runs / float(chdtri(found.runs - 1, share))) for share in (0.025, 0.975))
    low, high = ends
    return Estimate(found.deviation, (low, high), 0.0, found.runs)


@dataclass(frozen=True, slots=True)
class Difference:
    """Of two means."""

    mean: float
    interval: Interval
    """95 %."""
    t: float
    p: float
    """Two-sided: how often chance alone would give a difference as large."""
    detectable: float
    """A true difference of this size would be seen (p below 0.05) in four of five such studies."""
    runs: int
    """Of both."""


def difference(a: Spread | None, b: Spread | None) -> Difference | None:
    """The first minus the second; None where one is missing, or where no run differs from another."""
    from scipy.special import stdtr, stdtrit

    if a is None or b is None:
        return None
    variances = a.variance_of_mean, b.variance_of_mean
    error = math.sqrt(sum(variances))
    if error == 0:
        return None
    freedom = sum(variances) ** 2 / sum(
        variance**2 / (runs - 1) for variance, runs in zip(variances, (a.runs, b.runs), strict=True)
    )
    mean = a.mean - b.mean
    reach = float(stdtrit(freedom, 0.975)) * error
    t = mean / error
    detectable = (float(stdtrit(freedom, 0.975)) + float(stdtrit(freedom, _POWER))) * error
    return Difference(
        mean=mean,
        interval=(mean - reach, mean + reach),
        t=t,
        p=2 * float(stdtr(freedom, -abs(t))),
        detectable=detectable,
        runs=a.runs + b.runs,
    )
