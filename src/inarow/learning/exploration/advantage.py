"""Queries that quantum draws save, by the number of actions and the flagged mass.

A flagged action can be found in five ways, each of which draws it by the policy:

    draws        plain draws, each checked by a query, until one is flagged
    remembered   the same, but the flag of an action that was drawn before is known
    all          the flags of all legal actions are queried
    quantum      amplified draws with the published range of m
    best         amplified draws with the best single m, the one with the most hits
    cheapest     amplified draws with the single m that needs the fewest queries

Remembered draws are the honest classical agent: they never need more queries than there are actions, nor more than
plain draws. The quantum ways are given the flagged mass, which sets m, for nothing; a real agent would have to
estimate it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from inarow.learning.exploration.selection import LEAST_MASS

Way = Literal["draws", "remembered", "all", "quantum", "best", "cheapest"]
CLASSICAL: tuple[Way, ...] = ("draws", "remembered", "all")
QUANTUM: tuple[Way, ...] = ("quantum", "best", "cheapest")
GOAL = 3.0  # queries saved: the factor asked for
ACTIONS = (7, 9, 16, 25, 36, 49, 64, 81, 100, 144, 196, 225)
_ROUNDING = 1e-9
_CHEAPEST_ANGLE = 1.16556  # x / sin^2 x is least where tan x = 2 x


def quantum_queries(masses: np.ndarray, way: Way) -> np.ndarray:
    """The mean number of queries of amplified draws until one is flagged, by flagged mass in (0, 1]; infinite below
    `LEAST_MASS`.
    """
    masses = np.minimum(np.asarray(masses, np.float64), 1.0)
    theta = np.arcsin(np.sqrt(np.maximum(masses, LEAST_MASS)))
    if way == "best":
        queries = _queries(np.ceil(math.pi / (4 * theta) - 1 - _ROUNDING), theta)
    elif way == "cheapest":
        near = np.floor(_CHEAPEST_ANGLE / (2 * theta) - 0.5)
        queries = np.min([_queries(np.maximum(near + step, 0), theta) for step in (-1, 0, 1, 2)], axis=0)
    else:
        steps = np.ceil(1 / np.sin(theta) - _ROUNDING) + 1  # number of values of m
        # The mean of sin^2((2 m + 1) theta) over m = 0 .. steps - 1.
        slope = np.maximum(4 * steps * np.sin(2 * theta), LEAST_MASS)
        chance = np.where(masses > 1 - _ROUNDING, 1.0, 0.5 - np.sin(4 * steps * theta) / slope)
        queries = ((steps - 1) / 2 + 1) / chance
    return np.where(masses < LEAST_MASS, np.inf, queries)


def _queries(m: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """With a single m."""
    return np.asarray((m + 1) / np.maximum(np.sin((2 * m + 1) * theta) ** 2, LEAST_MASS))


def remembered_queries(probabilities: Sequence[float], flags: Sequence[int]) -> float:
    """The mean number of different actions that plain draws query until one of `flags`, which have mass, is drawn."""
    mass = math.fsum(probabilities[action] for action in flags)
    others = [p for action, p in enumerate(probabilities) if action not in set(flags)]
    return 1 + math.fsum(p / (p + mass) for p in others if p > 0)


@dataclass(frozen=True, slots=True)
class Decision:
    """The queries of a decision between `actions` equally likely actions but for one, flagged, with this mass."""

    actions: int
    mass: float
    draws: float
    remembered: float
    all: float
    quantum: float
    best: float
    cheapest: float

    def saved(self, way: Way) -> float:
        """The factor by which a quantum way needs fewer queries than the best classical one."""
        return float(min(getattr(self, each) for each in CLASSICAL) / getattr(self, way))


def decision_with(actions: int, mass: float) -> Decision:
    """A decision with one flagged action."""
    share = (1 - mass) / (actions - 1)
    remembered = remembered_queries([mass, *[share] * (actions - 1)], [0])
    found = (float(quantum_queries(np.array([mass]), way)[0]) for way in QUANTUM)
    return Decision(actions, mass, 1 / mass, remembered, actions, *found)


def least_actions(goal: float = GOAL, way: Way = "best", most: int = 1000) -> int | None:
    """The smallest number of equally likely actions, one of them flagged, with which a quantum way needs `goal` times
    fewer queries than the best classical one; None if there is none up to `most`.
    """
    numbers = range(2, most + 1)
    return next((n for n in numbers if decision_with(n, 1 / n).saved(way) >= goal), None)


# --- Decisions of a training ---

TRACED = ("actions", "mass", "remembered")
"""The columns of `Explorer.record`."""


@dataclass(frozen=True, slots=True)
class TrainingQueries:
    """The flagged mass in the decisions of a training, and their mean number of queries."""

    decisions: int
    actions: float  # legal, on average
    all_flagged: float  # share of decisions in which all legal actions are flagged
    below_half: float  # share with a flagged mass below one half, as the next
    below_tenth: float
    quantiles: tuple[float, ...]  # of the flagged mass, at `QUANTILES`
    draws: float  # mean queries of each way, as what follows
    remembered: float
    all: float
    quantum: float
    best: float
    cheapest: float
    reached: float  # share of decisions in which the cheapest m needs a third of the queries of the best classical way

    def saved(self, way: Way) -> float:
        """The factor by which a quantum way needs fewer queries than the best classical one, in total."""
        return float(min(getattr(self, each) for each in CLASSICAL) / getattr(self, way))


QUANTILES = (0.01, 0.05, 0.25, 0.5)


def training_queries(trace: np.ndarray) -> TrainingQueries:
    """The queries of recorded decisions, float64 [N, 3], see `Explorer.record`; N is at least 1."""
    actions, masses, remembered = trace.T
    # A flagged mass of (nearly) nothing is found by no draw: all flags must be queried.
    draws = np.where(masses < LEAST_MASS, actions, 1 / np.maximum(masses, LEAST_MASS))
    amplified = {way: quantum_queries(masses, way) for way in QUANTUM}
    amplified = {way: np.where(np.isfinite(each), each, actions) for way, each in amplified.items()}
    least = np.min([draws, remembered, actions], axis=0)
    return TrainingQueries(
        decisions=len(trace),
        actions=float(actions.mean()),
        all_flagged=float((masses == 1).mean()),
        below_half=float((masses < 0.5).mean()),
        below_tenth=float((masses < 0.1).mean()),
        quantiles=tuple(np.quantile(masses, QUANTILES).tolist()),
        draws=float(draws.mean()),
        remembered=float(remembered.mean()),
        all=float(actions.mean()),
        **{way: float(each.mean()) for way, each in amplified.items()},
        reached=float((least >= GOAL * amplified["cheapest"]).mean()),
    )
