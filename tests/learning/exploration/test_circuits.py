"""Qiskit circuits against the state vector, and their samples."""

import sys

import numpy as np
import pytest
from scipy.stats import chisquare

from inarow.errors import MissingExtraError
from inarow.learning.exploration.register import amplitudes, lay_out
from tests.twins.exploration import bits

pytest.importorskip("qiskit_aer", reason="the extra `quantum` is not installed")
quantum_info = pytest.importorskip("qiskit.quantum_info")

CASES = [
    (np.array([0.05, 0.1, 0.15, 0.2, 0.3, 0.15, 0.05]), bits(range(7)), bits([1, 4])),
    (np.array([0, 0.1, 0, 0.4, 0.05, 0.4, 0.05]), bits([1, 3, 4, 5, 6]), bits([4, 6])),
    (np.array([0.7, 0, 0.3]), bits([0, 2]), bits([2])),
    (np.array([0, 1.0]), bits([1]), bits([1])),
    (np.arange(12) / 66, bits(range(12)), bits([3, 7, 11])),
]


def circuits():
    from inarow.learning.exploration import circuits

    return circuits


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("m", [0, 1, 2])
def test_circuits_make_the_state_of_the_matrices(case, m):
    register = lay_out(*case)
    expected = amplitudes(register, m) * (-1) ** m  # a step has the other sign
    for build in (circuits().drawn_circuit, circuits().elementary_circuit):
        circuit = build(register, m).remove_final_measurements(inplace=False)
        assert quantum_info.Statevector(circuit).data == pytest.approx(expected, abs=1e-9)


def test_aer_needs_no_transpiling():
    known = {"x", "h", "z", "ry", "cx", "ccx", "mcx", "measure", "barrier"}
    for case in CASES:
        assert set(circuits().elementary_circuit(lay_out(*case), 1).count_ops()) <= known


@pytest.mark.parametrize("case", CASES)
def test_samples_come_as_often_as_they_should(case):
    register = lay_out(*case)
    shots = {0: 500, 1: 1000, 3: 2500}
    steps = np.repeat(list(shots), list(shots.values()))
    expected = sum(number * amplitudes(register, m) ** 2 for m, number in shots.items())
    found = circuits().sample_draws(register, steps, seed=3)
    assert found.sum() == len(steps)
    usual = expected > 1e-9
    assert found[~usual].sum() == 0
    if usual.sum() > 1:
        assert chisquare(found[usual], expected[usual]).pvalue > 1e-6


def test_the_same_seed_measures_the_same():
    register = lay_out(*CASES[0])
    first = circuits().sample(register, 1, 100, seed=1)
    assert first.tolist() == circuits().sample(register, 1, 100, seed=1).tolist()
    assert first.tolist() != circuits().sample(register, 1, 100, seed=2).tolist()


def test_a_draw_finds_what_is_certain():
    register = lay_out(np.full(4, 0.25), 15, bits([2]))  # one step makes the flagged one of four certain
    assert circuits().sample(register, 1, 1, seed=0).tolist() == [0, 0, 1, 0]


def test_without_qiskit_the_extra_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "inarow.learning.exploration.circuits", raising=False)
    monkeypatch.setitem(sys.modules, "qiskit", None)
    with pytest.raises(MissingExtraError, match=r"qiskit is not installed; run: pip install 'inarow\[quantum\]'"):
        import inarow.learning.exploration.circuits  # noqa: F401
