"""What quantum draws gain and cost, by the formulas of `selection.py`.

A draw asks the oracle m times; whether its result is flagged is one question more. A classical draw
asks that one question only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inarow.learning.exploration.config import Amplification, Policy
from inarow.learning.exploration.decisions import total_cost
from inarow.learning.exploration.selection import (
    AMPLIFICATIONS,
    LEAST_MASS,
    amplification_range,
    amplified_weights,
    mass_of,
)

TABLE_MASSES = (
    0.01, 0.05, 0.1, 1 / 7, 0.2, 0.25, 2 / 7, 0.4, 3 / 7, 0.5, 4 / 7, 0.7, 0.8, 6 / 7, 0.9, 0.95, 0.99, 1.0
)  # fmt: skip
"""Flagged masses that show the whole range; sevenths are those of equally likely columns."""
_NO_LIMIT = 10**6


def amplified(probabilities: np.ndarray, marked: int, m: int) -> np.ndarray:
    """The probabilities of actions after m steps, in closed form."""
    inside, outside = amplified_weights(mass_of(probabilities, marked), m)
    is_marked = marked >> np.arange(len(probabilities)) & 1
    return np.asarray(probabilities * np.where(is_marked, inside, outside))


def success(mass: float, m: int) -> float:
    """The chance that a draw after m steps is flagged, with a flagged mass in (0, 1]."""
    return mass * amplified_weights(mass, m)[0]


@dataclass(frozen=True, slots=True)
class DrawCost:
    """Draws until one is flagged, at a flagged mass."""

    mass: float
    largest_m: int
    success: float  # of one quantum draw, on average over m
    rounds: float  # quantum draws for a hit, on average, as what follows
    oracle_calls: float
    queries: float  # oracle calls and a look at each draw
    classical_rounds: float  # also the queries of classical draws


def draw_cost(mass: float, amplification: Amplification = "ceil-inclusive") -> DrawCost:
    """For draws without limit; `mass` in (0, 1]."""
    assert LEAST_MASS <= mass <= 1
    least, most = amplification_range(mass, AMPLIFICATIONS.index(amplification))
    steps = range(least, most + 1)
    chance = float(np.mean([success(mass, m) for m in steps]))
    mean_m = (least + most) / 2
    return DrawCost(mass, most, chance, 1 / chance, mean_m / chance, (mean_m + 1) / chance, 1 / mass)


@dataclass(frozen=True, slots=True)
class MeasuredCost:
    """The same, found by drawing."""

    rounds: float  # quantum draws for a hit, on average, as what follows
    oracle_calls: float
    classical_rounds: float


def measured_cost(
    mass: float, decisions: int, rng: np.random.Generator, amplification: Amplification = "ceil-inclusive"
) -> MeasuredCost:
    """The mean cost of decisions between a flagged action, which has `mass`, and another."""
    probabilities = np.array([mass, 1 - mass])
    quantum = Policy(rounds=_NO_LIMIT, amplification=amplification).selection()
    rounds, calls = total_cost(probabilities, 0b11, 0b01, quantum, decisions, rng)
    classical = Policy(rule="classical", rounds=_NO_LIMIT).selection()
    classical_rounds, _ = total_cost(probabilities, 0b11, 0b01, classical, decisions, rng)
    return MeasuredCost(rounds / decisions, calls / decisions, classical_rounds / decisions)
