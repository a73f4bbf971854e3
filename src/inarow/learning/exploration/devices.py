"""Quantum draws on devices with the noise and the coupling of qubits of Qiskit's generic backend (extra `quantum`).

`GenericBackendV2` draws the errors and durations of gates and readout, T1 and T2 of each qubit from ranges of
calibrated devices. Here all of them can be scaled: at `factor` 0.1 errors are ten times smaller, T1 and T2 ten times
longer. A circuit is transpiled to the device and its outcome computed exactly, by the density matrix of the qubits
that it uses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, get_args

import numpy as np

from inarow.errors import MissingExtraError
from inarow.learning.exploration.circuits import elementary_circuit
from inarow.learning.exploration.config import Amplification
from inarow.learning.exploration.register import Register, lay_out
from inarow.learning.exploration.theory import step_range
from inarow.workers import Progress

try:
    from qiskit import QuantumCircuit, transpile
    from qiskit.providers.fake_provider import GenericBackendV2
    from qiskit.transpiler import CouplingMap, QubitProperties
    from qiskit_aer import AerSimulator
    from qiskit_aer.noise import NoiseModel
    from qiskit_aer.noise.device import basic_device_gate_errors
except ImportError:
    raise MissingExtraError("qiskit", "quantum") from None

Coupling = Literal["all-to-all", "line", "heavy-hex"]
COUPLINGS: tuple[Coupling, ...] = get_args(Coupling)
_GATES = ["rz", "sx", "x", "cx"]
_HEAVY_HEX_DISTANCE = 3  # 19 qubits


@dataclass(frozen=True, slots=True)
class DeviceCost:
    """A decision with one flagged action on a device."""

    actions: int
    mass: float
    coupling: Coupling
    factor: float  # of all errors
    amplification: Amplification
    double_gates: float  # mean over m
    chance: float  # of a flagged action in a draw, mean over m
    queries: float  # for a flagged action, on average


def make_device(coupling: Coupling, qubits: int, factor: float, seed: int) -> GenericBackendV2:
    """A device with at least this many qubits; errors times `factor`, which is positive."""
    graph = {
        "all-to-all": lambda: CouplingMap.from_full(qubits),
        "line": lambda: CouplingMap.from_line(qubits),
        "heavy-hex": lambda: CouplingMap.from_heavy_hex(_HEAVY_HEX_DISTANCE),
    }[coupling]()
    device = GenericBackendV2(graph.size(), _GATES, coupling_map=graph, seed=seed)
    target = device.target
    for name in [*_GATES, "measure"]:
        for places, properties in target[name].items():
            if properties is not None and properties.error is not None:
                properties.error *= factor
                target.update_instruction_properties(name, places, properties)
    target.qubit_properties = [
        QubitProperties(t1=each.t1 / factor, t2=each.t2 / factor, frequency=each.frequency)
        for each in target.qubit_properties
    ]
    return device


def outcome(register: Register, m: int, device: GenericBackendV2) -> tuple[np.ndarray, int]:
    """(The probability of reading each basis state, float64 [2^qubits], number of two-qubit gates) of a draw."""
    circuit = elementary_circuit(register, m, is_measured=False)
    # Also remembers where routing leaves each qubit.
    placed = transpile(circuit, device, optimization_level=3, seed_transpiler=0)
    last = placed.layout.final_index_layout()
    used = sorted({placed.find_bit(qubit).index for gate in placed.data for qubit in gate.qubits} | set(last))
    number = {qubit: place for place, qubit in enumerate(used)}
    compact = QuantumCircuit(len(used))
    for gate in placed.data:
        compact.append(gate.operation, [number[placed.find_bit(qubit).index] for qubit in gate.qubits])
    compact.save_probabilities([number[qubit] for qubit in last])
    noise = NoiseModel()
    for name, places, error in basic_device_gate_errors(target=device.target):
        if name in _GATES and set(places) <= set(used):
            noise.add_quantum_error(error, name, [number[place] for place in places], warnings=False)
    simulator = AerSimulator(method="density_matrix", noise_model=noise, max_parallel_threads=1, fusion_enable=True)
    found = np.asarray(simulator.run(compact, shots=1).result().data()["probabilities"])
    readout = [device.target["measure"][(qubit,)].error for qubit in last]
    return misread_qubits(found, readout), placed.count_ops().get("cx", 0)


def misread_qubits(chances: np.ndarray, errors: Sequence[float]) -> np.ndarray:
    """The probabilities of basis states if qubit q, bit q, is misread with probability `errors[q]`."""
    matrices = [np.array([[1 - error, error], [error, 1 - error]]) for error in reversed(errors)]
    whole: np.ndarray = reduce(np.kron, matrices)
    return np.asarray(whole @ chances)


def one_flagged(actions: int, mass: float) -> Register:
    """A decision with one flagged action of this mass, in the middle; the others are equally likely."""
    probabilities = np.full(actions, (1 - mass) / (actions - 1))
    probabilities[actions // 2] = mass
    return lay_out(probabilities, (1 << actions) - 1, 1 << actions // 2)


def device_costs(
    actions: int,
    mass: float,
    amplifications: Sequence[Amplification],
    devices: Sequence[tuple[Coupling, float]],
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[DeviceCost]:
    """The cost of a decision with one flagged action on each device (coupling, factor of errors)."""
    register, costs = one_flagged(actions, mass), []
    ranges = {name: step_range(mass, name) for name in amplifications}
    steps = sorted({m for least, most in ranges.values() for m in range(least, most + 1)})
    for number, (coupling, factor) in enumerate(devices):
        device, found = make_device(coupling, register.qubits, factor, seed), {}
        for done, m in enumerate(steps):
            if progress is not None:
                progress(number * len(steps) + done, len(devices) * len(steps))
            found[m] = outcome(register, m, device)
        for name, (least, most) in ranges.items():
            values = [found[m] for m in range(least, most + 1)]
            chance = float(np.mean([each[list(register.marked)].sum() for each, _ in values]))
            gates = float(np.mean([count for _, count in values]))
            queries = ((least + most) / 2 + 1) / chance
            costs.append(DeviceCost(actions, mass, coupling, factor, name, gates, chance, queries))
    return costs
