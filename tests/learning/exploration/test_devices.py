"""Draws on devices against the closed form without noise, and against samples of Aer."""

import numpy as np
import pytest

from inarow.learning.exploration.theory import amplified

pytest.importorskip("qiskit_aer", reason="the extra `quantum` is not installed")

from qiskit import transpile
from qiskit_aer import AerSimulator

from inarow.learning.exploration.advantage import decision_with
from inarow.learning.exploration.circuits import elementary_circuit
from inarow.learning.exploration.devices import (
    COUPLINGS,
    device_costs,
    make_device,
    misread_qubits,
    one_flagged,
    outcome,
)
from inarow.learning.exploration.theory import misread


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("actions", [5, 12])
def test_with_hardly_any_noise_draws_are_those_of_the_closed_form(coupling, actions):
    register = one_flagged(actions, 0.1)
    found, gates = outcome(register, 2, make_device(coupling, register.qubits, 1e-9, 0))
    expected = amplified(register.probabilities, 1 << actions // 2, 2)
    assert found == pytest.approx(expected, abs=1e-5)
    assert gates > 5


def test_a_calibrated_device_is_what_aer_simulates():
    register, shots = one_flagged(6, 0.1), 20_000
    device = make_device("line", register.qubits, 1.0, 3)
    found, _ = outcome(register, 1, device)
    circuit = transpile(elementary_circuit(register, 1), device, optimization_level=3, seed_transpiler=0)
    simulator = AerSimulator.from_backend(device, seed_simulator=1, max_parallel_threads=1)
    counts = simulator.run(circuit, shots=shots).result().get_counts()
    sampled = np.array([counts.get(f"{place:03b}", 0) for place in range(8)]) / shots
    assert np.abs(found - sampled).max() < 0.015
    assert found.sum() == pytest.approx(1)


def test_devices_with_more_coupling_or_less_noise_do_better():
    costs = device_costs(7, 0.1, ("optimal",), [("all-to-all", 1.0), ("line", 1.0), ("line", 0.01)])
    by_device = {(cost.coupling, cost.factor): cost for cost in costs}
    assert by_device["all-to-all", 1.0].double_gates < by_device["line", 1.0].double_gates
    assert by_device["line", 0.01].queries < by_device["line", 1.0].queries
    assert by_device["line", 0.01].queries == pytest.approx(decision_with(7, 0.1).best, rel=0.02)


def test_qubits_are_misread_by_their_own_errors():
    chances = np.array([0.5, 0.2, 0.2, 0.1])
    assert misread_qubits(chances, [0.1, 0.1]) == pytest.approx(misread(chances, 0.1))
    assert misread_qubits(np.array([1.0, 0, 0, 0]), [0.1, 0.0]) == pytest.approx([0.9, 0.1, 0, 0])
