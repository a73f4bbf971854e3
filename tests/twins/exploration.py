"""Slow, obvious twins of the exploration kernels, and kernels that call parts of them."""

import numpy as np

from inarow.games.kernels import kernel
from inarow.learning.exploration.selection import select, softmax


def amplified_twin(probabilities, marked, m):
    """Probabilities after m steps of flip and reflection, with whole matrices."""
    state = np.sqrt(np.asarray(probabilities, float))
    reflection = 2 * np.outer(state, state) - np.eye(len(state))
    flip = np.diag([-1.0 if action in marked else 1.0 for action in range(len(state))])
    return (np.linalg.matrix_power(reflection @ flip, m) @ state) ** 2


def m_values_twin(mass, amplification):
    """The values of m of which each draw takes one, all as likely."""
    scale = round(1 / np.sqrt(mass), 9)
    if amplification == "optimal":
        return [round(np.pi / (4 * np.arcsin(np.sqrt(mass))) - 0.5)]
    last = {"ceil-inclusive": np.ceil(scale), "ceil-exclusive": np.ceil(scale) - 1, "floor": np.floor(scale)}
    return list(range(int(last[amplification]) + 1))


def decision_twin(probabilities, legal, flagged, policy):
    """{(action, draws, flagged): probability} of a decision, by going through all draws."""
    marked = set(flagged)
    if policy.column_oracle:
        marked = {action for place, action in enumerate(legal) if place in flagged}
    mass = min(sum(probabilities[action] for action in flagged), 1.0)
    chances, open_chance = {}, 1.0
    draws = policy.rounds + policy.presamples
    for number in range(1, draws + 1):
        is_plain = policy.rule == "classical" or number <= policy.presamples or mass == 0
        values = [0] if is_plain else m_values_twin(mass, policy.amplification)
        outcome = np.mean([amplified_twin(probabilities, marked, m) for m in values], axis=0)
        missed = 0.0
        for action, chance in enumerate(outcome):
            if action in flagged:
                chances[action, number, True] = open_chance * chance
            else:
                missed += chance
                if number == draws:
                    chances[action, number, False] = open_chance * chance
        open_chance *= missed
    return chances


@kernel
def select_many(probabilities, legal, flags, selection, draws, rng):
    """int64 [draws, 4]: action, draws, flagged, oracle calls."""
    results = np.empty((draws, 4), np.int64)
    for place in range(draws):
        action, rounds, is_flagged, calls = select(probabilities, legal, flags, selection, rng)
        results[place, 0] = action
        results[place, 1] = rounds
        results[place, 2] = is_flagged
        results[place, 3] = calls
    return results


@kernel
def softmax_of(values, legal, temperature):
    probabilities = np.empty(len(values))
    softmax(values, legal, temperature, probabilities)
    return probabilities


def bits(actions):
    return sum(1 << action for action in actions)
