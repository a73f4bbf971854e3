"""What paired games say about two agents, and how surely.

The unit is the pair: one opening played twice with sides swapped. The two games of a pair are not
independent, the pairs are. A pair scores 0, 1/4, 1/2, 3/4 or 1 of its two points; the five counts
are the pentanomial from which everything here follows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

_PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
Z_95 = NormalDist().inv_cdf(0.975)
_PRIOR = 0.2
"""Added to each of the five counts where a variance is estimated: one imagined pair in all, so that
a result without variance still has an interval of sensible width."""

Interval = tuple[float, float]


def pair_score(counts: Sequence[int]) -> float:
    """The mean score in [0, 1] of pentanomial counts with at least one pair."""
    return _mean(counts)


def score_interval(counts: Sequence[int]) -> Interval:
    """A 95 % interval for the expected score.

    Wilson's interval for a proportion, with the number of pairs corrected by how much less a pair
    varies than a single toss with the same mean.
    """
    pairs, score = sum(counts), _mean(counts)
    smoothed = [count + _PRIOR for count in counts]
    mean = _mean(smoothed)
    tosses = pairs * mean * (1 - mean) / _variance(smoothed)
    shrink = 1 + Z_95**2 / tosses
    centre = (score + Z_95**2 / (2 * tosses)) / shrink
    half = Z_95 * math.sqrt(score * (1 - score) / tosses + (Z_95 / (2 * tosses)) ** 2) / shrink
    return 0.0 if score == 0 else centre - half, 1.0 if score == 1 else centre + half


def likelihood_of_superiority(counts: Sequence[int]) -> float:
    """The chance that the expected score is above one half, by the normal approximation."""
    smoothed = [count + _PRIOR for count in counts]
    deviation = math.sqrt(_variance(smoothed) / sum(smoothed))
    return NormalDist().cdf((_mean(smoothed) - 0.5) / deviation)


def elo(score: float) -> float | None:
    """The rating difference that makes `score` the expected one; None where it is infinite."""
    return -400 * math.log10(1 / score - 1) if 0 < score < 1 else None


def _mean(counts: Sequence[float]) -> float:
    return sum(count * score for count, score in zip(counts, _PAIR_SCORES, strict=True)) / sum(counts)


def _variance(counts: Sequence[float]) -> float:
    mean = _mean(counts)
    return sum(count * (score - mean) ** 2 for count, score in zip(counts, _PAIR_SCORES, strict=True)) / sum(counts)
