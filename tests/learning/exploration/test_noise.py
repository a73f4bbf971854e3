"""Noisy draws against samples of Aer with its own noise models."""

import numpy as np
import pytest

from inarow.learning.exploration.theory import (
    NoisePoint,
    draw_cost,
    misread,
    noisy_decision,
    study_noise,
    success,
    vanishing_error,
)

aer = pytest.importorskip("qiskit_aer", reason="the extra `quantum` is not installed")


@pytest.fixture(scope="module")
def study():
    return study_noise(masses=(0.1,))


def test_without_noise_the_cost_is_that_of_theory(study):
    points = [point for point in study.points if point.error == 0]
    assert len(points) == 4
    for point in points:
        cost = draw_cost(point.mass, point.amplification)
        assert point.chance == pytest.approx(cost.success, abs=1e-9)
        assert point.queries == pytest.approx(cost.queries)
        assert point.advantage == pytest.approx(cost.classical_rounds / cost.queries)


def test_noise_costs_queries_until_nothing_is_gained(study):
    assert len(study.thresholds) == 4
    for threshold in study.thresholds:
        row = [
            point.advantage
            for point in study.points
            if (point.source, point.amplification) == (threshold.source, threshold.amplification)
        ]
        assert row[0] > 1 > row[-1]
        assert 1e-4 < threshold.error < 0.5


def test_nothing_but_noise_finds_one_place_in_eight(study):
    from inarow.learning.exploration.circuits import device_circuit, noisy_chances

    assert noisy_chances(device_circuit(noisy_decision(0.05), 4), 0.5, 0.9) == pytest.approx(
        np.full(8, 1 / 8), abs=1e-3
    )
    last = [point for point in study.points if (point.source, point.error) == ("readout", 0.5)]
    assert [point.chance for point in last] == pytest.approx([1 / 8] * 2)


def test_exact_chances_are_what_aer_samples():
    from qiskit_aer.noise import NoiseModel, ReadoutError, depolarizing_error

    from inarow.learning.exploration.circuits import device_circuit, noisy_chances

    register = noisy_decision(0.2)
    circuit = device_circuit(register, 1)
    expected = misread(noisy_chances(circuit, 0.002, 0.02), 0.03)
    noise = NoiseModel()
    noise.add_all_qubit_quantum_error(depolarizing_error(0.002, 1), ["sx", "x"])
    noise.add_all_qubit_quantum_error(depolarizing_error(0.02, 2), ["cx"])
    noise.add_all_qubit_readout_error(ReadoutError([[0.97, 0.03], [0.03, 0.97]]))
    circuit.measure_all()
    shots = 4000
    simulator = aer.AerSimulator(noise_model=noise, seed_simulator=1)
    counts = simulator.run(circuit, shots=shots).result().get_counts()
    found = np.array([counts.get(f"{place:03b}", 0) for place in range(8)])
    assert found / shots == pytest.approx(expected, abs=5 * np.sqrt(0.25 / shots))
    assert expected[3] < success(0.2, 1) - 0.1  # the noise was felt


def test_more_steps_take_more_gates(study):
    sizes = [(size.double_gates, size.single_gates, size.depth) for size in study.circuits]
    assert [size.m for size in study.circuits] == [0, 1, 2, 3, 4]
    assert sizes == sorted(sizes)
    assert sizes[0][0] == 6


@pytest.mark.parametrize(
    ("queries", "expected"),
    [([2, 4, 16], 10**-1.5), ([2, 4, 7], None), ([4, 16, 20], 0.005), ([8, 9, 10], 0.0), ([9, 7, 10], 0.0)],
)
def test_the_threshold_lies_where_the_queries_are_those_of_the_rival(queries, expected):
    row = [
        NoisePoint("gates", error, 0.1, "optimal", 0.5, each, 8 / each)
        for error, each in zip([0, 0.01, 0.1], queries, strict=True)
    ]
    assert vanishing_error(row, 8) == (expected if expected is None else pytest.approx(expected))


def test_asking_for_all_flags_is_the_stricter_rival():
    """It takes seven queries; classical draws take ten at a mass of 0.1, and a hundred at 0.01."""
    study = study_noise(masses=(0.01,), errors={"gates": np.array([0.1]), "readout": np.array([0.5])})
    assert [threshold.error for threshold in study.thresholds] == [None] * 4
    assert [threshold.error_asking_all for threshold in study.thresholds] == [0.0] * 4


def test_each_rival_has_its_threshold(study):
    assert len(study.thresholds) == 4
    for threshold in study.thresholds:
        assert threshold.error_asking_all < threshold.error
