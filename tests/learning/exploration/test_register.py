"""Gates and their matrices against the closed form, and against whole-matrix reflections."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.learning.exploration.register import (
    amplitudes,
    flip_gates,
    inverse,
    lay_out,
    matrix_of,
    multiplexed_gates,
    rotation_angles,
    step_gates,
    tree_gates,
)
from inarow.learning.exploration.selection import amplification_range, marked_by_column, mass_of
from inarow.learning.exploration.theory import amplified
from tests.twins.exploration import bits


@st.composite
def decisions(draw):
    """(probabilities by action, legal, flags)"""
    size = draw(st.integers(1, 9))
    legal = draw(st.sets(st.integers(0, size - 1), min_size=1))
    flags = draw(st.sets(st.sampled_from(sorted(legal)), min_size=1))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    probabilities = np.zeros(size)
    probabilities[sorted(legal)] = rng.dirichlet(np.full(len(legal), draw(st.sampled_from([0.1, 1.0, 50.0]))))
    return probabilities, bits(legal), bits(flags)


@given(decisions(), st.booleans())
def test_the_state_vector_equals_the_closed_form(decision, column_oracle):
    probabilities, legal, flags = decision
    register = lay_out(probabilities, legal, flags, column_oracle=column_oracle)
    marked = marked_by_column(legal, flags) if column_oracle else flags
    most = min(amplification_range(mass_of(probabilities, flags), 0)[1], 100)
    for m in {0, 1, most // 2, most}:
        found = register.by_action(amplitudes(register, m) ** 2, len(probabilities))
        assert np.abs(found - amplified(probabilities, marked, m)).max() < 1e-12 * (m + 1)  # rounding adds up


@given(decisions())
def test_both_forms_of_the_preparation_make_the_same_state(decision):
    register = lay_out(*decision)
    for gates in (tree_gates(register), multiplexed_gates(register)):
        matrix = matrix_of(gates, register.qubits)
        assert matrix[:, 0] == pytest.approx(np.sqrt(register.probabilities), abs=1e-12)
        assert matrix_of([*gates, *inverse(gates)], register.qubits) == pytest.approx(
            np.eye(2**register.qubits), abs=1e-12
        )
    assert matrix_of(multiplexed_gates(register), register.qubits) == pytest.approx(matrix, abs=1e-12)


@given(decisions())
def test_a_step_is_a_flip_and_a_reflection(decision):
    register = lay_out(*decision)
    state = np.sqrt(register.probabilities)
    flip = np.diag([-1.0 if place in register.marked else 1.0 for place in range(len(state))])
    expected = (2 * np.outer(state, state) - np.eye(len(state))) @ flip
    for preparation in (tree_gates(register), multiplexed_gates(register)):
        found = -matrix_of(step_gates(register, preparation), register.qubits)
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("qubits", [1, 2, 3, 4])
def test_a_flip_changes_one_sign(qubits):
    for place in range(2**qubits):
        expected = np.ones(2**qubits)
        expected[place] = -1
        assert np.array_equal(matrix_of(flip_gates(place, qubits), qubits), np.diag(expected))


def test_seven_columns_need_three_qubits_and_seven_angles():
    register = lay_out(np.full(7, 1 / 7), 127, bits([1, 4]))
    assert register.qubits == 3
    assert register.marked == (1, 4)
    angles = rotation_angles(register)
    assert [len(level) for level in angles] == [1, 2, 4]
    assert angles[0][0] == pytest.approx(2 * np.arccos(np.sqrt(4 / 7)))
    assert angles[2][3] == 0  # the eighth place is empty
    assert [gate.kind for gate in multiplexed_gates(register)].count("x") == 6


def test_places_are_those_of_legal_actions():
    probabilities = np.array([0, 0.5, 0, 0.2, 0.3])
    register = lay_out(probabilities, bits([1, 3, 4]), bits([4]))
    assert (register.actions, register.marked, register.qubits) == ((1, 3, 4), (2,), 2)
    assert register.by_action(register.probabilities, 5).tolist() == probabilities.tolist()
    assert lay_out(probabilities, bits([1, 3, 4]), bits([1, 4]), column_oracle=True).marked == (1,)
    assert lay_out(np.array([1.0, 0]), 1, 1).qubits == 1
