"""Results of two studies of the same question: their differences pooled, and their deviations compared."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from inarow.arena.statistics import Interval
from inarow.studies.comparison import Estimate, Spread

_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Measurement:
    """A difference of two means and its standard error."""

    mean: float
    error: float


def measurement(a: Spread | None, b: Spread | None) -> Measurement | None:
    """The first minus the second; None if one is missing or all runs are equal."""
    if a is None or b is None:
        return None
    error = math.sqrt(sum(each.deviation**2 / (each.runs - 1) for each in (a, b)))
    return Measurement(a.mean - b.mean, error) if error > 0 else None


@dataclass(frozen=True, slots=True)
class Pooled:
    """The mean of measurements, weighted by the inverse of their variances, with normal errors."""

    mean: float
    interval: Interval  # 95 %
    p: float  # two-sided, of the hypothesis that it is 0
    p_equal: float  # of the hypothesis that all measure the same quantity (Cochran's Q); 1 for a single one
    measurements: int

    @property
    def estimate(self) -> Estimate:
        return Estimate(self.mean, self.interval, 0.0, self.measurements)


def pool(measurements: Sequence[Measurement]) -> Pooled:
    """The weighted mean of at least one measurement."""
    from scipy.special import chdtrc, ndtr

    weights = [1 / each.error**2 for each in measurements]
    mean = sum(weight * each.mean for weight, each in zip(weights, measurements, strict=True)) / sum(weights)
    error = 1 / math.sqrt(sum(weights))
    scatter = sum(weight * (each.mean - mean) ** 2 for weight, each in zip(weights, measurements, strict=True))
    p_equal = float(chdtrc(len(measurements) - 1, scatter)) if len(measurements) > 1 else 1.0
    interval = mean - _NORMAL_95 * error, mean + _NORMAL_95 * error
    return Pooled(mean, interval, 2 * float(ndtr(-abs(mean) / error)), p_equal, len(measurements))


def variances_differ(a: Spread, b: Spread) -> float:
    """The two-sided p-value of an F-test that two sets of runs have the same variance; it assumes normal runs and is
    sensitive to single outliers. 1 if neither varies, 0 if only one does.
    """
    from scipy.special import fdtr, fdtrc

    variances = [each.deviation**2 * each.runs / (each.runs - 1) for each in (a, b)]
    if min(variances) == 0:
        return 1.0 if max(variances) == 0 else 0.0
    freedom, ratio = (a.runs - 1, b.runs - 1), variances[0] / variances[1]
    return min(1.0, 2 * min(float(fdtr(*freedom, ratio)), float(fdtrc(*freedom, ratio))))
