"""A quantum draw as gates on a register of qubits, and its state vector by the matrices of these gates.

Place (basis state) i of the register represents the i-th legal action; qubit q is bit q of the place. The state
with amplitudes sqrt(p) is prepared by a binary tree of Y rotations ("coherent controlization"): the top qubit
splits the probability between the lower and the upper half of the places, each half is split by the next qubit,
controlled on those above it, and so on. A step of amplification is the phase flip of the marked places and the
reflection U D0 U+, where U is that tree and D0 the reflection about place 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np

from inarow.learning.exploration.selection import marked_by_column

_KEEP = (np.diag([1.0, 0.0]), np.diag([0.0, 1.0]))  # the projections on the values of a control


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate on `target` that acts if each qubit of `controls` has its value in `values`."""

    kind: Literal["ry", "x", "z"]
    target: int
    controls: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    angle: float = 0.0  # only of a Y rotation


@dataclass(frozen=True, slots=True)
class Register:
    """The register of one decision: the action and the probability of each place, and the marked places."""

    actions: tuple[int, ...]  # the legal ones, ascending: the i-th at place i
    probabilities: np.ndarray  # float64 [2^qubits], zero after the last action
    marked: tuple[int, ...]  # the places that the oracle marks

    @property
    def qubits(self) -> int:
        return len(self.probabilities).bit_length() - 1

    def by_action(self, chances: np.ndarray, actions: int) -> np.ndarray:
        """Probabilities by place as probabilities by action, [actions]; places without an action are left out."""
        found = np.zeros(actions)
        found[list(self.actions)] = chances[: len(self.actions)]
        return found


def lay_out(probabilities: np.ndarray, legal: int, flags: int, *, column_oracle: bool = False) -> Register:
    """The register of a decision; arguments as for `selection.select`."""
    actions = tuple(action for action in range(len(probabilities)) if legal >> action & 1)
    marked = marked_by_column(legal, flags) if column_oracle else flags
    qubits = max(1, (len(actions) - 1).bit_length())
    padded = np.zeros(2**qubits)
    padded[: len(actions)] = probabilities[list(actions)]
    return Register(actions, padded, tuple(place for place, action in enumerate(actions) if marked >> action & 1))


def rotation_angles(register: Register) -> list[list[float]]:
    """The angles of the tree by level: one, two, four, ... An angle is 0 if there is no mass to split."""
    levels = []
    for level in range(register.qubits):
        halves = register.probabilities.reshape(2**level, 2, -1).sum(axis=2)
        levels.append([2 * math.atan2(math.sqrt(upper), math.sqrt(lower)) for lower, upper in halves])
    return levels


def tree_gates(register: Register) -> list[Gate]:
    """U as the tree of rotations, each controlled on the path that leads to it."""
    gates = []
    for level, angles in enumerate(rotation_angles(register)):
        target = register.qubits - 1 - level
        controls = tuple(range(register.qubits - 1, target, -1))
        for way, angle in enumerate(angles):
            gates.append(Gate("ry", target, controls, _bits_of(way, level), angle))
    return gates


def multiplexed_gates(register: Register) -> list[Gate]:
    """U with plain rotations and controlled NOTs only: 2^level of each for a level of the tree.

    A NOT before and after a Y rotation inverts it, so the rotations of a level add up to a different angle for
    each path. The NOTs follow a Gray code, in which one control changes at a time.
    """
    gates = []
    for level, angles in enumerate(rotation_angles(register)):
        target = register.qubits - 1 - level
        ways = range(2**level)
        for number in ways:
            gray, following = number ^ number >> 1, (number + 1) % 2**level
            signs = [(-1) ** (way & gray).bit_count() for way in ways]
            gates.append(Gate("ry", target, angle=float(np.dot(signs, angles)) / 2**level))
            changed = gray ^ following ^ following >> 1
            if changed:
                gates.append(Gate("x", target, (target + changed.bit_length(),), (1,)))
    return gates


def step_gates(register: Register, preparation: Sequence[Gate]) -> list[Gate]:
    """A step of amplification, up to the global sign, which no measurement shows; `preparation` is U."""
    return [*oracle_gates(register), *inverse(preparation), *flip_gates(0, register.qubits), *preparation]


def oracle_gates(register: Register) -> list[Gate]:
    """Changes the sign of all marked places."""
    return [gate for place in register.marked for gate in flip_gates(place, register.qubits)]


def flip_gates(place: int, qubits: int) -> list[Gate]:
    """Changes the sign of one place."""
    controls = tuple(range(qubits - 1, 0, -1))
    flip = [Gate("z", 0, controls, _bits_of(place >> 1, qubits - 1))]
    return flip if place & 1 else [Gate("x", 0), *flip, Gate("x", 0)]


def inverse(gates: Sequence[Gate]) -> list[Gate]:
    return [Gate(gate.kind, gate.target, gate.controls, gate.values, -gate.angle) for gate in reversed(gates)]


def _bits_of(number: int, count: int) -> tuple[int, ...]:
    """The lowest `count` bits of a number, the highest first."""
    return tuple(number >> place & 1 for place in reversed(range(count)))


# --- The state vector ---


def amplitudes(register: Register, m: int) -> np.ndarray:
    """The state after m steps, float64 [2^qubits]; these gates keep it real."""
    tree = tree_gates(register)
    state = matrix_of(tree, register.qubits)[:, 0]
    step = -matrix_of(step_gates(register, tree), register.qubits)
    return reduce(lambda before, _: step @ before, range(m), state)


def matrix_of(gates: Sequence[Gate], qubits: int) -> np.ndarray:
    """The matrix of a sequence of gates: float64 [2^qubits, 2^qubits]."""
    return reduce(lambda done, gate: _gate_matrix(gate, qubits) @ done, gates, np.eye(2**qubits))


def _gate_matrix(gate: Gate, qubits: int) -> np.ndarray:
    cos, sin = math.cos(gate.angle / 2), math.sin(gate.angle / 2)
    local = {"ry": [[cos, -sin], [sin, cos]], "x": [[0.0, 1.0], [1.0, 0.0]], "z": [[1.0, 0.0], [0.0, -1.0]]}
    change = np.array(local[gate.kind]) - np.eye(2)  # applied where the controls have their values
    factors = {gate.target: change, **dict(zip(gate.controls, (_KEEP[value] for value in gate.values), strict=True))}
    whole: np.ndarray = reduce(np.kron, [factors.get(qubit, np.eye(2)) for qubit in reversed(range(qubits))])
    return np.asarray(np.eye(2**qubits) + whole)
