"""Compiled: the choice of an action by draws, classical or quantum (reflecting projective simulation).

Sets of actions (`legal`, `flags`, ...) are those of `action_sets.py`. Probabilities are
float64 [A] that sum to 1 over the legal actions and are 0 elsewhere.

A quantum draw prepares the state with amplitudes sqrt(p), applies m times the phase flip of the
flagged actions and the reflection about that state, and measures. Let eps be the flagged mass and
theta = asin(sqrt(eps)). An action is measured with probability

    p / eps * sin^2((2 m + 1) theta)          if it is flagged,
    p / (1 - eps) * cos^2((2 m + 1) theta)    if it is not,

so a draw needs no quantum simulator: it is a draw from p with two weights.
"""

import math

import numpy as np
from numba.extending import register_jitable

from inarow.learning.exploration.action_sets import ActionSet, any_action, has_action, single_action

RULES = ("epsilon-greedy", "classical", "quantum")
EPSILON_GREEDY, CLASSICAL, QUANTUM = range(3)
AMPLIFICATIONS = ("ceil-inclusive", "ceil-exclusive", "floor", "optimal")
CEIL_INCLUSIVE, CEIL_EXCLUSIVE, FLOOR, OPTIMAL = range(4)


class Selection:
    """The settings of the selection of actions, as a record."""

    rule: int  # index of RULES
    rounds: int  # maximum number of draws; the last action drawn is taken, flagged or not
    amplification: int  # index of AMPLIFICATIONS
    presamples: int  # plain draws before the first quantum draw, in addition to `rounds`
    column_oracle: int  # the fault of santos-2025
    by_reward: int  # flags follow rewards instead of values


LEAST_MASS = 1e-18  # less flagged mass than this is treated as none: its amplification would take a billion steps
_ROUNDING = 1e-9


@register_jitable
def softmax(values: np.ndarray, legal: ActionSet, temperature: float, probabilities: np.ndarray) -> None:
    """Writes p(a) ~ exp((value - best value) / temperature) over the legal actions, of which one must exist."""
    best = -np.inf
    for action in range(len(values)):
        if has_action(legal, action) and values[action] > best:
            best = values[action]
    total = 0.0
    for action in range(len(values)):
        weight = math.exp((values[action] - best) / temperature) if has_action(legal, action) else 0.0
        probabilities[action] = weight
        total += weight
    for action in range(len(values)):
        probabilities[action] /= total


@register_jitable
def choose_epsilon_greedy(values: np.ndarray, legal: ActionSet, epsilon: float, rng: np.random.Generator) -> int:
    """A uniformly drawn legal action with probability `epsilon`, otherwise the first of the best actions."""
    if rng.random() < epsilon:
        while True:
            action = int(rng.random() * len(values))
            if has_action(legal, action):
                return action
    choice = -1
    for action in range(len(values)):
        if has_action(legal, action) and (choice < 0 or values[action] > values[choice]):
            choice = action
    return choice


@register_jitable
def select(
    probabilities: np.ndarray, legal: ActionSet, flags: ActionSet, selection: Selection, rng: np.random.Generator
) -> tuple[int, int, bool, int]:
    """Draws by the classical or quantum rule until a flagged action comes up or the limit is reached: (action, number
    of draws, whether it is flagged, applications of the oracle). Each quantum draw has its own m.
    """
    plain = limit = selection.rounds  # number of draws without amplification, maximum number of draws
    least = most = 0
    marked, marked_mass = flags, 1.0
    if selection.rule == QUANTUM:
        plain, limit = selection.presamples, selection.rounds + selection.presamples
        least, most = amplification_range(mass_of(probabilities, flags), selection.amplification)
        marked = marked_by_column(legal, flags) if selection.column_oracle else flags
        marked_mass = mass_of(probabilities, marked)
    rounds = calls = 0
    while True:
        inside = outside = 1.0
        if rounds >= plain:
            m = least + int(rng.random() * (most - least + 1))
            if m > 0:
                inside, outside = amplified_weights(marked_mass, m)
                calls += m
        action = draw(probabilities, marked, inside, outside, rng)
        rounds += 1
        is_flagged = has_action(flags, action)
        if is_flagged or rounds == limit:
            return action, rounds, is_flagged, calls


@register_jitable
def mass_of(probabilities: np.ndarray, actions: ActionSet) -> float:
    """The probability of a set of actions: exactly 1 or 0 if all or none of the mass is in it."""
    inside = outside = 0.0
    for action in range(len(probabilities)):
        if has_action(actions, action):
            inside += probabilities[action]
        else:
            outside += probabilities[action]
    return inside / (inside + outside)


@register_jitable
def amplification_range(mass: float, amplification: int) -> tuple[int, int]:
    """The smallest and the largest m of a draw, for a flagged mass; both 0 without mass."""
    if mass < LEAST_MASS:
        return 0, 0
    scale = 1.0 / math.sqrt(mass)
    if amplification == OPTIMAL:
        # The nearest integer to pi / (4 theta) - 1/2, the smaller one of two.
        best = math.ceil(math.pi / (4.0 * math.asin(math.sqrt(mass))) - 1.0 - _ROUNDING)
        return best, best
    if amplification == FLOOR:
        return 0, math.floor(scale + _ROUNDING)
    ceiling = math.ceil(scale - _ROUNDING)
    return 0, ceiling - 1 if amplification == CEIL_EXCLUSIVE else ceiling


@register_jitable
def amplified_weights(mass: float, m: int) -> tuple[float, float]:
    """The factors of the probabilities after m steps: (of marked actions, with total `mass`; of others)."""
    if mass <= 0.0 or mass >= 1.0:
        return 1.0, 1.0  # all or none are marked: only the sign of the state changes
    angle = (2 * m + 1) * math.asin(math.sqrt(mass))
    share = math.sin(angle) ** 2
    return share / mass, (1.0 - share) / (1.0 - mass)


@register_jitable
def marked_by_column(legal: ActionSet, flags: ActionSet) -> ActionSet:
    """The actions that an oracle marks if it takes the numbers of flagged actions for indices of the
    list of legal actions: wrong as soon as a column is full. A number beyond the list marks nothing.
    """
    marked = legal ^ legal
    place = action = 0
    while any_action(legal >> action):
        if has_action(legal, action):
            if has_action(flags, place):
                marked = marked | single_action(action, legal)
            place += 1
        action += 1
    return marked


@register_jitable
def draw(probabilities: np.ndarray, marked: ActionSet, inside: float, outside: float, rng: np.random.Generator) -> int:
    """An action drawn with its probability times `inside` if marked, times `outside` if not. Not checked: these sum to
    1.
    """
    left = rng.random()
    last = -1
    for action in range(len(probabilities)):
        weight = probabilities[action] * (inside if has_action(marked, action) else outside)
        if weight > 0.0:
            last = action
            left -= weight
            if left < 0.0:
                break
    return last  # reached if the sum is below 1 by rounding
