"""Compiled: decisions of an exploring learner, flags and counts included."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.kernels import kernel
from inarow.learning.exploration.flags import flags_row, updated_flags
from inarow.learning.exploration.metrics import count_decision
from inarow.learning.exploration.selection import EPSILON_GREEDY, choose_epsilon_greedy, select, softmax


@register_jitable
def choose_action(
    selection: Any,
    key: np.uint64,
    legal: int,
    values: np.ndarray,
    heat: float,
    index: np.ndarray,
    old: np.ndarray,
    keys: np.ndarray,
    flags: np.ndarray,
    state: Any,
    counts: Any,
    probabilities: np.ndarray,
    rng: np.random.Generator,
) -> int:
    """One decision: the action. `values` float64 [A], `heat` the temperature or the epsilon of the
    episode, `index` to `state` those of a `FlagTable` with room for one more, `probabilities` scratch.
    Under epsilon-greedy the table only counts positions and `counts` stays as it is.
    """
    row = flags_row(key, legal, index, old, keys, flags, state)
    if selection.rule == EPSILON_GREEDY:
        return choose_epsilon_greedy(values, legal, heat, rng)
    softmax(values, legal, heat, probabilities)
    action, rounds, is_flagged, calls = select(probabilities, legal, flags[row], selection, rng)
    count_decision(rounds, is_flagged, calls, counts)
    flags[row] = updated_flags(flags[row], legal, action, values[action])
    return action


@kernel
def choose_actions(
    selection: Any,
    decision_keys: np.ndarray,
    legal: np.ndarray,
    values: np.ndarray,
    heat: np.ndarray,
    index: np.ndarray,
    old: np.ndarray,
    keys: np.ndarray,
    flags: np.ndarray,
    state: Any,
    counts: Any,
    probabilities: np.ndarray,
    actions: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """Writes the action of each decision, one after the other."""
    for place in range(len(decision_keys)):
        actions[place] = choose_action(
            selection,
            decision_keys[place],
            legal[place],
            values[place],
            heat[place],
            index,
            old,
            keys,
            flags,
            state,
            counts,
            probabilities,
            rng,
        )


@kernel
def count_selections(
    probabilities: np.ndarray, legal: int, flags: int, selection: Any, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """How often each action is selected in so many decisions that are all the same: int64 [A]."""
    counts = np.zeros(len(probabilities), np.int64)
    for _ in range(draws):
        counts[select(probabilities, legal, flags, selection, rng)[0]] += 1
    return counts


@kernel
def total_cost(
    probabilities: np.ndarray, legal: int, flags: int, selection: Any, decisions: int, rng: np.random.Generator
) -> tuple[int, int]:
    """(Draws, applications of the oracle) in so many decisions that are all the same."""
    total_rounds = total_calls = 0
    for _ in range(decisions):
        _, rounds, _, calls = select(probabilities, legal, flags, selection, rng)
        total_rounds += rounds
        total_calls += calls
    return total_rounds, total_calls
