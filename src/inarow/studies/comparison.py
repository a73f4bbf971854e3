"""Comparison of a published number with ours: the uncertainty of ours, and whether they agree.

A published number usually comes from a single run. So the question is not whether it is in the confidence interval
of our mean, but whether a single run may plausibly give it. The scatter of single runs is estimated from our own
runs; for a rate also from its number of games.

With fewer than five runs there is no verdict: the interval of two runs contains nearly everything. That holds for
rates too, however many games they have: games of a run share its tables or nets, so that only runs show how much these
differ. The number of games can only widen the range. Where agents are fixed, each game or pair of games is a run.

Where the mean and deviation of several runs were published, Welch's test compares the means; it does
not need equal deviations.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from inarow.arena.statistics import Interval, runs_interval, student_reach, wilson_interval

PERCENT = 100.0
LEAST_RUNS = 5  # for a verdict
_POWER = 0.8


class Estimate(msgspec.Struct, frozen=True):
    """The mean of runs and its uncertainty."""

    mean: float
    interval: Interval | None = None  # 95 %, for the expectation; None for a single run of a figure that is not a rate
    scatter: float = (
        0.0  # half-width of the 95 % interval for one more run; 0 if all runs are equal or there is only one
    )
    runs: int = 1


def estimate(values: Sequence[float], *, is_rate: bool = False, games: int | None = None) -> Estimate | None:
    """The expectation of runs; None without runs.

    Rates are in percent. `games` is the number of independent games per rate: then Wilson's interval over all games is
    used if it is wider, for example if all runs are equal.
    """
    if not values:
        return None
    mean = float(np.mean(values))
    interval = runs_interval(np.array(values))
    if interval is not None and is_rate:
        interval = max(0.0, interval[0]), min(PERCENT, interval[1])
    if games is not None:
        low, high = (PERCENT * end for end in wilson_interval(mean / PERCENT, games * len(values)))
        if interval is None or high - low > interval[1] - interval[0]:
            interval = low, high
    scatter = student_reach(np.array(values)) * math.sqrt(1 + 1 / len(values)) if len(values) > 1 else 0.0
    return Estimate(mean, interval, scatter, len(values))


class Agreement(msgspec.Struct, frozen=True):
    agrees: bool | None  # None: no verdict
    sentence: str


def no_verdict(runs: int) -> Agreement:
    """What takes the place of a verdict if there are fewer than `LEAST_RUNS` runs."""
    return Agreement(None, f"none: {runs} run{'s' * (runs != 1)} of {LEAST_RUNS}")


def agreement(published: float, ours: Estimate, *, digits: int, games: int | None = None) -> Agreement:
    """Whether a single run may plausibly give `published`, printed with `digits` decimals; no verdict with fewer than
    `LEAST_RUNS` runs. `games` as in `estimate`, for the published rate.
    """
    if ours.runs < LEAST_RUNS:
        return no_verdict(ours.runs)
    difference = published - ours.mean
    rounding = 0.5 * 10.0**-digits
    if abs(difference) <= rounding * 1.000001:
        return Agreement(True, "equal")
    reach = ours.scatter
    if games is not None:
        low, high = (PERCENT * end for end in wilson_interval(published / PERCENT, games))
        reach = max(reach, high - published if difference < 0 else published - low)
    if reach == 0.0:
        return Agreement(False, "outside: all our runs are equal")
    agrees = abs(difference) <= reach + rounding
    return Agreement(agrees, f"{'within' if agrees else 'outside'} ± {reach:,.{digits}f}")


# --- Welch's test ---


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and deviation of runs; often only these are published."""

    mean: float
    deviation: float  # population standard deviation
    runs: int


def spread(values: Sequence[float]) -> Spread | None:
    """The mean and deviation of at least two runs; None for fewer."""
    return Spread(float(np.mean(values)), float(np.std(values)), len(values)) if len(values) > 1 else None


def deviation_estimate(values: Sequence[float]) -> Estimate | None:
    """The population deviation of runs as an estimate; None for fewer than two.

    Its 95 % interval is exact only for normally distributed runs.
    """
    from scipy.special import chdtri

    found = spread(values)
    if found is None:
        return None
    low, high = (found.deviation * math.sqrt(found.runs / float(chdtri(found.runs - 1, p))) for p in (0.025, 0.975))
    return Estimate(found.deviation, (low, high), 0.0, found.runs)


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two means."""

    mean: float
    interval: Interval  # 95 %
    t: float
    p: float  # two-sided: the probability of a difference at least this large by chance
    detectable: float  # a true difference of this size is detected (p below 0.05) in four of five such studies
    runs: int  # total of both sets
    fewest: int  # of the smaller set

    @property
    def estimate(self) -> Estimate:
        return Estimate(self.mean, self.interval, 0.0, self.runs)

    def agreement(self) -> Agreement:
        """Whether the interval contains 0; no verdict if a set has fewer than `LEAST_RUNS` runs."""
        if self.fewest < LEAST_RUNS:
            return no_verdict(self.fewest)
        low, high = self.interval
        agrees = low <= 0 <= high
        return Agreement(agrees, f"{'within' if agrees else 'outside'}, p = {self.p:.2g}")


def difference(a: Spread | None, b: Spread | None) -> Difference | None:
    """The first minus the second; None if one is missing or all runs are equal."""
    from scipy.special import stdtr, stdtrit

    if a is None or b is None:
        return None
    variances = [each.deviation**2 / (each.runs - 1) for each in (a, b)]  # of the means
    error = math.sqrt(sum(variances))
    if error == 0:
        return None
    freedom = sum(variances) ** 2 / (variances[0] ** 2 / (a.runs - 1) + variances[1] ** 2 / (b.runs - 1))
    mean, t = a.mean - b.mean, (a.mean - b.mean) / error
    quantile, power = float(stdtrit(freedom, 0.975)), float(stdtrit(freedom, _POWER))
    interval = mean - quantile * error, mean + quantile * error
    p = 2 * float(stdtr(freedom, -abs(t)))
    return Difference(mean, interval, t, p, (quantile + power) * error, a.runs + b.runs, min(a.runs, b.runs))
