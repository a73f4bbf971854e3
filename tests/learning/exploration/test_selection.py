"""Draws of the kernels against the exact distribution of the twin."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from inarow.learning.exploration.config import Policy
from inarow.learning.exploration.selection import (
    amplification_range,
    amplified_weights,
    marked_by_column,
    mass_of,
)
from tests.twins.exploration import (
    amplified_twin,
    bits,
    decision_twin,
    m_values_twin,
    select_many,
    softmax_of,
)

POLICIES = [
    Policy(rule="classical"),
    Policy(),
    Policy(amplification="ceil-exclusive", rounds=3),
    Policy(amplification="floor", presamples=5),
    Policy(amplification="optimal", rounds=2),
    Policy(column_oracle=True),
    Policy(column_oracle=True, amplification="optimal"),
]
CASES = [  # probabilities by action, legal actions, flagged actions
    ([0.05, 0.1, 0.15, 0.2, 0.3, 0.15, 0.05], [0, 1, 2, 3, 4, 5, 6], [1, 4]),
    ([0, 0.1, 0, 0.4, 0.05, 0.4, 0.05], [1, 3, 4, 5, 6], [4]),
    ([0, 0.25, 0.25, 0, 0.25, 0.25, 0], [1, 2, 4, 5], [1]),
    ([0, 0, 0.6, 0.4, 0, 0, 0], [2, 3], [2, 3]),  # all flagged
    ([0, 0, 0, 0, 0, 0, 1.0], [6], [6]),  # one legal action
    ([0.5, 0.5, 0, 0, 0, 0, 0], [0, 1, 2], [2]),  # flags without mass
    ([0.998, 0.002], [0, 1], [1]),
]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("case", CASES)
def test_decisions_come_as_often_as_they_should(policy, case):
    probabilities, legal, flagged = case
    draws = 4000
    rng = np.random.default_rng(5)
    found = select_many(np.array(probabilities, float), bits(legal), bits(flagged), policy.selection(), draws, rng)
    expected = {key: draws * chance for key, chance in decision_twin(probabilities, legal, flagged, policy).items()}
    counts = dict.fromkeys(expected, 0)
    for action, rounds, is_flagged, _ in found.tolist():
        counts[action, rounds, bool(is_flagged)] += 1  # what cannot happen is a KeyError
    usual = [key for key, number in expected.items() if number >= 5]
    rare = sum(number for key, number in expected.items() if number < 5)
    rare_found = sum(counts[key] for key in expected if key not in usual)
    if rare < 1e-6:
        assert rare_found == 0
    numbers = [[counts[key] for key in usual] + [rare_found], [expected[key] for key in usual] + [max(rare, 1e-9)]]
    assert chisquare(*numbers, sum_check=False).pvalue > 1e-6


@given(st.integers(0, 2**32), st.sampled_from(["ceil-inclusive", "ceil-exclusive", "floor", "optimal"]))
def test_the_closed_form_is_what_the_matrices_do(seed, amplification):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 9))
    probabilities = rng.dirichlet(np.full(size, 0.4))
    marked = [action for action in range(size) if rng.random() < 0.4] or [0]
    mass = mass_of(probabilities, bits(marked))
    assume(mass >= 1e-6)
    least, most = amplification_range(mass, Policy(amplification=amplification).selection().amplification)
    values = m_values_twin(mass, amplification)
    assert (least, most) == (values[0], values[-1])
    for m in (least, most):
        inside, outside = amplified_weights(mass, m)
        weights = [inside if action in marked else outside for action in range(size)]
        assert probabilities * weights == pytest.approx(amplified_twin(probabilities, marked, m), abs=1e-9)


def test_the_best_m_has_a_better_chance_than_its_neighbours():
    for mass in np.linspace(0.001, 0.999, 777):
        best, _ = amplification_range(mass, 3)
        success = [amplified_weights(mass, m)[0] * mass for m in (max(best - 1, 0), best, best + 1)]
        assert success[1] >= max(success) - 1e-9


def test_oracle_calls_are_the_sum_of_m():
    probabilities = np.array([0.96, 0.04])
    rng = np.random.default_rng(1)
    plain = select_many(probabilities, 3, 2, Policy(rule="classical").selection(), 100, rng)
    assert (plain[:, 3] == 0).all()
    best = select_many(probabilities, 3, 2, Policy(amplification="optimal").selection(), 1000, rng)
    assert (best[:, 3] == 3 * best[:, 1]).all()  # pi / (4 asin 0.2) - 1/2 is 3.4
    uniform = select_many(probabilities, 3, 2, Policy(rounds=1).selection(), 20_000, rng)
    assert sorted(set(uniform[:, 3].tolist())) == [0, 1, 2, 3, 4, 5]
    assert uniform[:, 3].mean() == pytest.approx(2.5, abs=0.06)
    presampled = select_many(probabilities, 3, 2, Policy(presamples=5).selection(), 20_000, rng)
    assert (presampled[presampled[:, 1] <= 5, 3] == 0).all()
    assert presampled[:, 1].max() == 10


def test_the_published_oracle_confuses_columns_and_places():
    full_board = [0, 1, 2, 3, 4, 5, 6]
    assert marked_by_column(bits(full_board), bits([2, 5])) == bits([2, 5])
    # Columns 0 and 3 are full: places 0 1 2 3 4 are columns 1 2 4 5 6, and there is no place 5.
    assert marked_by_column(bits([1, 2, 4, 5, 6]), bits([2, 5])) == bits([4])


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9),
    st.integers(1, 2**9 - 1),
    st.floats(1e-3, 1e3),
)
def test_softmax_is_the_quotient_of_exponentials(values, legal, temperature):
    legal &= bits(range(len(values)))
    assume(legal)
    found = softmax_of(np.array(values), legal, temperature)
    best = max(value for action, value in enumerate(values) if legal >> action & 1)
    weights = [
        np.exp((value - best) / temperature) if legal >> action & 1 else 0.0 for action, value in enumerate(values)
    ]
    assert found == pytest.approx(np.array(weights) / sum(weights), abs=1e-9)
    assert found.sum() == pytest.approx(1)
