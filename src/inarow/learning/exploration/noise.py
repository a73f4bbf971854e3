"""How much noise does the quantum draw stand? Queries for a flagged action on a noisy device.

Queries are applications of the oracle, and one look at each draw. A classical agent needs 1 / (flagged
mass) of them on average, a quantum one (mean m + 1) / (chance of a flagged draw), of which noise spoils
the chance. A draw that is nothing but noise finds one flagged action of seven once in eight, whatever
its policy wanted, so below a mass of some hundredths noise can never cost the count its advantage. There
is a stricter rival: an agent that asks for all seven flags and draws from the flagged actions by its
policy, with seven queries, always.

Everything is exact: gate noise by density matrices on Aer, readout errors by their matrix.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Literal

import numpy as np

from inarow.learning.exploration.config import Amplification
from inarow.learning.exploration.register import Register, lay_out
from inarow.learning.exploration.selection import AMPLIFICATIONS, amplification_range
from inarow.workers import Progress

COLUMNS = 7
MASSES = (0.01, 0.05, 0.1, 1 / 7)
SINGLE_SHARE = 0.1  # error of a gate on one qubit, as a share of the error of one on two
STUDIED: tuple[Amplification, ...] = ("ceil-inclusive", "optimal")
Source = Literal["gates", "readout"]
ERRORS: Mapping[Source, np.ndarray] = {"gates": np.geomspace(1e-4, 0.1, 19), "readout": np.geomspace(1e-3, 0.5, 19)}


@dataclass(frozen=True, slots=True)
class NoisePoint:
    """The draws of one decision at one error rate."""

    source: Source
    error: float  # of a gate on two qubits, or of reading a qubit
    mass: float
    amplification: Amplification
    chance: float  # of a flagged action in a quantum draw, on average over m
    queries: float  # for a flagged action, on average
    advantage: float  # queries of classical draws for each query of quantum draws: above 1 as long as these gain


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where the advantage ends."""

    source: Source
    mass: float
    amplification: Amplification
    error: float | None
    """The advantage over classical draws ends here: 0 if there is none, None if it outlasts all errors studied."""
    error_asking_all: float | None  # the same over an agent that asks for all flags


@dataclass(frozen=True, slots=True)
class CircuitSize:
    """What a draw takes on a device with all qubits connected."""

    mass: float
    m: int
    single_gates: int  # sx and x
    double_gates: int
    depth: int


@dataclass(frozen=True, slots=True)
class NoiseStudy:
    """Everything, error-free points (error 0) included."""

    points: tuple[NoisePoint, ...]
    thresholds: tuple[Threshold, ...]
    circuits: tuple[CircuitSize, ...]


def noisy_decision(mass: float) -> Register:
    """Seven legal columns of which the fourth is flagged; the others share the rest as 1 : 2 : ... : 6."""
    others = np.arange(1.0, COLUMNS) * (1 - mass) / math.comb(COLUMNS, 2)
    return lay_out(np.insert(others, 3, mass), (1 << COLUMNS) - 1, 1 << 3)


def study_noise(
    masses: Sequence[float] = MASSES, errors: Mapping[Source, np.ndarray] = ERRORS, progress: Progress | None = None
) -> NoiseStudy:
    """Sweeps both kinds of error, each ascending, over decisions with these flagged masses, each in (0, 1)."""
    from inarow.learning.exploration.circuits import device_circuit, noisy_chances  # needs an extra

    points: list[NoisePoint] = []
    sizes: list[CircuitSize] = []
    gate_errors = (0.0, *errors["gates"].tolist())
    for done, mass in enumerate(masses):
        register = noisy_decision(mass)
        ranges = {name: amplification_range(mass, AMPLIFICATIONS.index(name)) for name in STUDIED}
        circuits = [device_circuit(register, m) for m in range(max(most for _, most in ranges.values()) + 1)]
        for m, circuit in enumerate(circuits):
            gates = circuit.count_ops()
            single = gates.get("sx", 0) + gates.get("x", 0)
            sizes.append(CircuitSize(mass, m, single, gates.get("cx", 0), circuit.depth()))
        marked = list(register.marked)
        for number, error in enumerate(gate_errors):
            if progress is not None:
                progress(done * len(gate_errors) + number, len(masses) * len(gate_errors))
            outcomes = [noisy_chances(circuit, SINGLE_SHARE * error, error) for circuit in circuits]
            chances = [float(outcome[marked].sum()) for outcome in outcomes]
            points += [_point("gates", error, mass, name, chances, *ends) for name, ends in ranges.items()]
            if error == 0.0:
                perfect = outcomes
        for error in (0.0, *errors["readout"].tolist()):
            chances = [float(misread(outcome, error)[marked].sum()) for outcome in perfect]
            points += [_point("readout", error, mass, name, chances, *ends) for name, ends in ranges.items()]
    return NoiseStudy(tuple(points), _thresholds(points), tuple(sizes))


def misread(chances: np.ndarray, error: float) -> np.ndarray:
    """The chances of places when each qubit is read wrongly with chance `error`."""
    qubit = np.array([[1 - error, error], [error, 1 - error]])
    whole: np.ndarray = reduce(np.kron, [qubit] * (len(chances).bit_length() - 1))
    return np.asarray(whole @ chances)


def _point(
    source: Source,
    error: float,
    mass: float,
    amplification: Amplification,
    chances: Sequence[float],
    least: int,
    most: int,
) -> NoisePoint:
    """From the chance of a flagged draw for each m."""
    chance = float(np.mean(chances[least : most + 1]))
    queries = ((least + most) / 2 + 1) / chance
    return NoisePoint(source, error, mass, amplification, chance, queries, 1 / mass / queries)


def _thresholds(points: Sequence[NoisePoint]) -> tuple[Threshold, ...]:
    rows: dict[tuple[Source, float, Amplification], list[NoisePoint]] = {}
    for point in points:
        rows.setdefault((point.source, point.mass, point.amplification), []).append(point)
    return tuple(
        Threshold(*key, vanishing_error(row, 1 / row[0].mass), vanishing_error(row, COLUMNS))
        for key, row in rows.items()
    )


def vanishing_error(row: Sequence[NoisePoint], classical_queries: float) -> float | None:
    """The error at which quantum draws need as many queries as a classical agent, by interpolation of
    logarithms; `row` by error, 0 first. 0 if they never need fewer, None if always.
    """
    if row[0].queries >= classical_queries:
        return 0.0
    for before, after in pairwise(row):
        if after.queries >= classical_queries:
            share = math.log(classical_queries / before.queries) / math.log(after.queries / before.queries)
            if before.error == 0.0:
                return share * after.error
            return math.exp((1 - share) * math.log(before.error) + share * math.log(after.error))
    return None
