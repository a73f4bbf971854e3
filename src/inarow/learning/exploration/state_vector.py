"""The quantum draw by the matrices of its gates, in NumPy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np

from inarow.learning.exploration.register import Gate, Register, step_gates, tree_gates

_KEEP = (np.diag([1.0, 0.0]), np.diag([0.0, 1.0]))
"""The projections on the values of a control."""


def amplitudes(register: Register, m: int) -> np.ndarray:
    """The state after m steps, float64 [2^qubits]; gates of this kind keep it real."""
    tree = tree_gates(register)
    state = matrix_of(tree, register.qubits)[:, 0]
    step = -matrix_of(step_gates(register, tree), register.qubits)
    for _ in range(m):
        state = step @ state
    return state


def matrix_of(gates: Sequence[Gate], qubits: int) -> np.ndarray:
    """What gates do, one after the other: float64 [2^qubits, 2^qubits]."""
    return reduce(lambda done, gate: _gate_matrix(gate, qubits) @ done, gates, np.eye(2**qubits))


def _gate_matrix(gate: Gate, qubits: int) -> np.ndarray:
    change = _local_matrix(gate) - np.eye(2)  # added where the controls have their values
    factors = {gate.target: change, **dict(zip(gate.controls, (_KEEP[value] for value in gate.values), strict=True))}
    whole = np.eye(1)
    for qubit in reversed(range(qubits)):
        whole = np.kron(whole, factors.get(qubit, np.eye(2)))
    return np.eye(2**qubits) + whole


def _local_matrix(gate: Gate) -> np.ndarray:
    if gate.kind == "ry":
        cos, sin = math.cos(gate.angle / 2), math.sin(gate.angle / 2)
        return np.array([[cos, -sin], [sin, cos]])
    return np.array([[0.0, 1.0], [1.0, 0.0]]) if gate.kind == "x" else np.diag([1.0, -1.0])
