"""Statistics of games and moves: intervals and likelihoods.

For two agents the unit is the pair: one opening played twice with swapped sides. The two games of a pair are not
independent; pairs are. The score of a pair is 0, 1/4, 1/2, 3/4 or 1; the counts of these five values, the pentanomial
counts, determine all statistics of a match.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
Z_95 = NormalDist().inv_cdf(0.975)
_PRIOR = 0.2
"""Added to each of the five counts for estimates of variance: one pair in total, so that a result without variance
still has an interval of sensible width."""

Interval = tuple[float, float]
FloatArray = npt.NDArray[np.float64]


def pair_score(counts: Sequence[float]) -> float:
    """The mean score in [0, 1] of pentanomial counts with at least one pair."""
    return sum(count * score for count, score in zip(counts, PAIR_SCORES, strict=True)) / sum(counts)


def score_interval(counts: Sequence[int]) -> Interval:
    """A 95 % interval for the expected score.

    Wilson's interval for a proportion, with the number of pairs corrected by the ratio of the variances of a Bernoulli
    trial and a pair with the same mean.
    """
    pairs, score = sum(counts), pair_score(counts)
    smoothed = [count + _PRIOR for count in counts]
    mean = pair_score(smoothed)
    tosses = pairs * mean * (1 - mean) / _variance(smoothed)
    return wilson_interval(score, tosses)


def wilson_interval(rate: float, trials: float) -> Interval:
    """Wilson's 95 % interval for the probability of success, given the rate of successes in `trials` trials."""
    shrink = 1 + Z_95**2 / trials
    centre = (rate + Z_95**2 / (2 * trials)) / shrink
    half = Z_95 * math.sqrt(rate * (1 - rate) / trials + (Z_95 / (2 * trials)) ** 2) / shrink
    return 0.0 if rate == 0 else centre - half, 1.0 if rate == 1 else centre + half


def mean_interval(values: np.ndarray) -> Interval | None:
    """A 95 % interval for the expectation of independent non-negative values, by the normal approximation; None for
    fewer than two values.
    """
    if len(values) < 2:
        return None
    mean, half = float(values.mean()), Z_95 * float(values.std(ddof=1)) / math.sqrt(len(values))
    return max(0.0, mean - half), mean + half


def runs_interval(values: np.ndarray) -> Interval | None:
    """A 95 % interval for the expectation of a few independent values, by Student's t; None for fewer than two."""
    if len(values) < 2:
        return None
    mean, half = float(values.mean()), student_reach(values) / math.sqrt(len(values))
    return mean - half, mean + half


def student_reach(values: np.ndarray) -> float:
    """Half-width of the central 95 % of a normal distribution, estimated from at least two values."""
    from scipy.special import stdtrit  # slow to import, and not needed for matches

    return float(stdtrit(len(values) - 1, 0.975)) * float(values.std(ddof=1))


def likelihood_of_superiority(counts: Sequence[int]) -> float:
    """The probability that the expected score is above one half, by the normal approximation."""
    smoothed = [count + _PRIOR for count in counts]
    deviation = math.sqrt(_variance(smoothed) / sum(smoothed))
    return NormalDist().cdf((pair_score(smoothed) - 0.5) / deviation)


def expected_score(elo: float) -> float:
    """The expected score for a rating difference; the inverse of `elo`."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo(score: float) -> float | None:
    """The rating difference with the expected score `score`; None if infinite."""
    return -400 * math.log10(1 / score - 1) if 0 < score < 1 else None


def _variance(counts: Sequence[float]) -> float:
    mean = pair_score(counts)
    return sum(count * (score - mean) ** 2 for count, score in zip(counts, PAIR_SCORES, strict=True)) / sum(counts)
