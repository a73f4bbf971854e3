"""The quantum draw as Qiskit circuits on Aer. Needs the extra `quantum`; import this file only where it is used."""

from collections.abc import Sequence

import numpy as np

from inarow.errors import MissingExtraError
from inarow.learning.exploration.register import Gate, Register, multiplexed_gates, step_gates, tree_gates

try:
    from qiskit import QuantumCircuit, transpile
    from qiskit.circuit.library import RYGate, XGate, ZGate
    from qiskit_aer import AerSimulator
    from qiskit_aer.noise import NoiseModel, depolarizing_error
except ImportError:
    raise MissingExtraError("qiskit", "quantum") from None


def drawn_circuit(register: Register, m: int) -> QuantumCircuit:
    """The circuit for diagrams: the tree of controlled rotations, then m steps, separated by barriers."""
    circuit = QuantumCircuit(register.qubits)
    tree = tree_gates(register)
    _append(circuit, tree)
    for _ in range(m):
        circuit.barrier()
        _append(circuit, step_gates(register, tree))
    circuit.measure_all()
    return circuit


def elementary_circuit(register: Register, m: int, *, is_measured: bool = True) -> QuantumCircuit:
    """The same circuit in gates that Aer supports: x, h, ry, and controlled x."""
    circuit = QuantumCircuit(register.qubits)
    preparation = multiplexed_gates(register)
    _append_elementary(circuit, [*preparation, *step_gates(register, preparation) * m])
    if is_measured:
        circuit.measure_all()
    return circuit


def device_circuit(register: Register, m: int) -> QuantumCircuit:
    """The same without measurement, transpiled to the gates of common devices (rz, sx, x, cx; all qubits connected)."""
    circuit = elementary_circuit(register, m, is_measured=False)
    return transpile(circuit, basis_gates=["rz", "sx", "x", "cx"], optimization_level=3, seed_transpiler=0)


def noisy_chances(circuit: QuantumCircuit, single_error: float, double_error: float) -> np.ndarray:
    """The exact probability of each basis state, float64 [2^qubits], at the end of a `device_circuit` whose one- and
    two-qubit gates, except rz (virtual on devices), depolarise with these probabilities.
    """
    noise = NoiseModel()
    noise.add_all_qubit_quantum_error(depolarizing_error(single_error, 1), ["sx", "x"])
    noise.add_all_qubit_quantum_error(depolarizing_error(double_error, 2), ["cx"])
    simulator = AerSimulator(method="density_matrix", noise_model=noise, max_parallel_threads=1)
    saved = circuit.copy()
    saved.save_probabilities()
    return np.asarray(simulator.run(saved, shots=1).result().data()["probabilities"])


def sample(register: Register, m: int, shots: int, seed: int) -> np.ndarray:
    """The number of measurements of each basis state, int64 [2^qubits], in one run."""
    run = AerSimulator(seed_simulator=seed, max_parallel_threads=1).run(elementary_circuit(register, m), shots=shots)
    counts = np.zeros(2**register.qubits, np.int64)
    for place, count in run.result().get_counts().items():
        counts[int(place, 2)] = count
    return counts


def sample_draws(register: Register, steps: np.ndarray, seed: int) -> np.ndarray:
    """The number of measurements of each basis state in draws with m = steps[i], in one run for each m."""
    counts = np.zeros(2**register.qubits, np.int64)
    for m, shots in zip(*np.unique(steps, return_counts=True), strict=True):
        counts += sample(register, int(m), int(shots), seed + int(m))
    return counts


def _append(circuit: QuantumCircuit, gates: Sequence[Gate]) -> None:
    for gate in gates:
        plain = {"ry": RYGate(gate.angle), "x": XGate(), "z": ZGate()}[gate.kind]
        if gate.controls:
            # In Qiskit the first control is the lowest bit of ctrl_state.
            state = sum(value << place for place, value in enumerate(gate.values))
            plain = plain.control(len(gate.controls), ctrl_state=state, annotated=False)
        circuit.append(plain, [*gate.controls, gate.target])


def _append_elementary(circuit: QuantumCircuit, gates: Sequence[Gate]) -> None:
    for gate in gates:
        inverted = [control for control, value in zip(gate.controls, gate.values, strict=True) if not value]
        if inverted:
            circuit.x(inverted)
        if gate.kind == "ry":
            assert not gate.controls
            circuit.ry(gate.angle, gate.target)
        elif not gate.controls:
            getattr(circuit, gate.kind)(gate.target)
        else:  # z = h x h
            if gate.kind == "z":
                circuit.h(gate.target)
            circuit.mcx(list(gate.controls), gate.target)
            if gate.kind == "z":
                circuit.h(gate.target)
        if inverted:
            circuit.x(inverted)
