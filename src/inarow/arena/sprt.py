"""Sequential probability ratio test on pairs: a match is played until one of two hypotheses is accepted.

Under H0 the expected score is that of `elo0`, under H1 that of `elo1`. The test is the generalised SPRT: a hypothesis
is represented by the pentanomial distribution with its expected score that is most likely to give the observed pairs.
As in fishtest (Van den Bergh), it is computed exactly, not by the normal approximation: with the frequencies f of the
five pair scores a and the expected score s, the most likely distribution is

    p = f / (1 + x (a - s))        where x satisfies        sum p (a - s) = 0

so the log-likelihood ratio of n pairs is  n sum f log((1 + x0 (a - s0)) / (1 + x1 (a - s1))).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from inarow.arena.statistics import PAIR_SCORES, FloatArray, expected_score
from inarow.arena.tally import Tally
from inarow.errors import InvalidLimitError
from inarow.games import GameRecord

ERROR_RATE = 0.05  # probability of accepting either hypothesis when the other is true: alpha and beta
_UPPER = math.log((1 - ERROR_RATE) / ERROR_RATE)
_TRACE = 1e-3  # weight of a pair score that did not occur: with 0, no distribution would fit some hypotheses

Verdict = Literal["H0", "H1"]


@dataclass(frozen=True, slots=True)
class Sprt:
    """Two hypotheses about the Elo difference of a match."""

    elo0: float
    elo1: float

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise InvalidLimitError(
                f"SPRT from {self.elo0:g} to {self.elo1:g} Elo; the first must be less, both within 1000"
            )

    def log_likelihood_ratio(self, counts: Sequence[int]) -> float:
        """The log-likelihood ratio of H1 against H0, given pentanomial counts."""
        weights = np.array([count or _TRACE for count in counts])
        log0, log1 = (_log_tilt(weights, expected_score(elo)) for elo in (self.elo0, self.elo1))
        return float(weights @ (log0 - log1))

    def result(self, counts: Sequence[int]) -> SprtResult:
        """The state of the test after these pairs."""
        ratio = self.log_likelihood_ratio(counts)
        return SprtResult(
            elo0=self.elo0,
            elo1=self.elo1,
            alpha=ERROR_RATE,
            beta=ERROR_RATE,
            llr=ratio,
            bounds=(-_UPPER, _UPPER),
            accepted="H1" if ratio >= _UPPER else "H0" if ratio <= -_UPPER else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtResult:
    """The state of a test."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    llr: float  # log-likelihood ratio of H1 against H0
    bounds: tuple[float, float]  # of `llr`: at the first H0 is accepted, at the second H1
    accepted: Verdict | None


def until_decided(records: Iterable[GameRecord], sprt: Sprt) -> Iterator[GameRecord]:
    """The games of a match, in order, up to the pair that decides the test."""
    tally = Tally()
    played: list[GameRecord] = []
    for record in records:
        yield record
        played.append(record)
        if len(played) % 2 == 0:
            tally += Tally.of_pairs(played[-2:])
            if sprt.result(tally.pairs).accepted is not None:
                return


def _log_tilt(weights: FloatArray, score: float) -> FloatArray:
    """log(f / p) of the five pair scores, for the most likely p with that expected score."""
    from scipy.optimize import brentq  # loads slowly

    distances = np.array(PAIR_SCORES) - score
    frequencies = weights / weights.sum()
    low, high = -1 / distances[-1], -1 / distances[0]  # between them, every p is positive
    margin = 1e-12 * (high - low)
    x = brentq(lambda x: frequencies @ (distances / (1 + x * distances)), low + margin, high - margin)
    tilt: FloatArray = np.log1p(x * distances)
    return tilt
