"""What quantum draws gain and cost, by the formulas of `selection.py`, and how much noise of a device they stand.

A draw asks the oracle m times; whether its result is flagged is one question more. A classical draw asks that one
question only, and needs 1 / (flagged mass) of them on average for a flagged action, a quantum one
(mean m + 1) / (chance of a flagged draw), of which noise spoils the chance. A draw that is nothing but noise finds one
flagged action of seven once in eight, whatever its policy wanted, so below a mass of some hundredths noise can never
cost the count its advantage. There is a stricter rival: an agent that asks for all seven flags and draws from the
flagged actions by its policy, with seven queries, always.

Noise is exact: that of gates by density matrices on Aer, readout errors by their matrix.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Literal

import numpy as np

from inarow.learning.exploration import selection
from inarow.learning.exploration.config import Amplification, Policy
from inarow.learning.exploration.explorer import total_cost
from inarow.learning.exploration.register import Register, lay_out
from inarow.learning.exploration.selection import amplified_weights
from inarow.workers import Progress

TABLE_MASSES = (
    0.01, 0.05, 0.1, 1 / 7, 0.2, 0.25, 2 / 7, 0.4, 3 / 7, 0.5, 4 / 7, 0.7, 0.8, 6 / 7, 0.9, 0.95, 0.99, 1.0
)  # fmt: skip
"""Flagged masses that show the whole range; sevenths are those of equally likely columns."""
_NO_LIMIT = 10**6

COLUMNS = 7
MASSES = (0.01, 0.05, 0.1, 1 / 7)
SINGLE_SHARE = 0.1  # error of a gate on one qubit, as a share of the error of one on two
STUDIED: tuple[Amplification, ...] = ("ceil-inclusive", "optimal")
Source = Literal["gates", "readout"]
ERRORS: Mapping[Source, np.ndarray] = {"gates": np.geomspace(1e-4, 0.1, 19), "readout": np.geomspace(1e-3, 0.5, 19)}


def amplified(probabilities: np.ndarray, marked: int, m: int) -> np.ndarray:
    """The probabilities of actions after m steps, in closed form."""
    inside, outside = amplified_weights(selection.mass_of(probabilities, marked), m)
    is_marked = marked >> np.arange(len(probabilities)) & 1
    return np.asarray(probabilities * np.where(is_marked, inside, outside))


def success(mass: float, m: int) -> float:
    """The chance that a draw after m steps is flagged, with a flagged mass in (0, 1]."""
    return mass * amplified_weights(mass, m)[0]


def step_range(mass: float, amplification: Amplification) -> tuple[int, int]:
    """The least and the largest m of a draw, for a flagged mass."""
    return selection.amplification_range(mass, selection.AMPLIFICATIONS.index(amplification))


@dataclass(frozen=True, slots=True)
class DrawCost:
    """Draws until one is flagged, at a flagged mass."""

    mass: float
    largest_m: int
    success: float  # of one quantum draw, on average over m
    rounds: float  # quantum draws for a hit, on average, as what follows
    oracle_calls: float
    queries: float  # oracle calls and a look at each draw
    classical_rounds: float  # also the queries of classical draws


def draw_cost(mass: float, amplification: Amplification = "ceil-inclusive") -> DrawCost:
    """For draws without limit; `mass` in (0, 1]."""
    assert selection.LEAST_MASS <= mass <= 1
    least, most = step_range(mass, amplification)
    chance = float(np.mean([success(mass, m) for m in range(least, most + 1)]))
    mean_m = (least + most) / 2
    return DrawCost(mass, most, chance, 1 / chance, mean_m / chance, (mean_m + 1) / chance, 1 / mass)


@dataclass(frozen=True, slots=True)
class MeasuredCost:
    """The same, found by drawing."""

    rounds: float  # quantum draws for a hit, on average, as what follows
    oracle_calls: float
    classical_rounds: float


def measured_cost(
    mass: float, decisions: int, rng: np.random.Generator, amplification: Amplification = "ceil-inclusive"
) -> MeasuredCost:
    """The mean cost of decisions between a flagged action, which has `mass`, and another."""
    probabilities = np.array([mass, 1 - mass])
    quantum = Policy(rounds=_NO_LIMIT, amplification=amplification).selection()
    rounds, calls = total_cost(probabilities, 0b11, 0b01, quantum, decisions, rng)
    classical = Policy(rule="classical", rounds=_NO_LIMIT).selection()
    classical_rounds, _ = total_cost(probabilities, 0b11, 0b01, classical, decisions, rng)
    return MeasuredCost(rounds / decisions, calls / decisions, classical_rounds / decisions)


# --- Noise ---


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
        ranges = {name: step_range(mass, name) for name in STUDIED}
        circuits = [device_circuit(register, m) for m in range(max(most for _, most in ranges.values()) + 1)]
        for m, circuit in enumerate(circuits):
            gates = circuit.count_ops()
            single = gates.get("sx", 0) + gates.get("x", 0)
            sizes.append(CircuitSize(mass, m, single, gates.get("cx", 0), circuit.depth()))
        found: dict[tuple[Source, float], list[np.ndarray]] = {}  # the chances of places for each m, by error
        for number, error in enumerate(gate_errors):
            if progress is not None:
                progress(done * len(gate_errors) + number, len(masses) * len(gate_errors))
            found["gates", error] = [noisy_chances(circuit, SINGLE_SHARE * error, error) for circuit in circuits]
        for error in (0.0, *errors["readout"].tolist()):
            found["readout", error] = [misread(outcome, error) for outcome in found["gates", 0.0]]
        for (source, error), outcomes in found.items():
            chances = [float(outcome[list(register.marked)].sum()) for outcome in outcomes]
            for name, (least, most) in ranges.items():
                chance = float(np.mean(chances[least : most + 1]))
                queries = ((least + most) / 2 + 1) / chance
                points.append(NoisePoint(source, error, mass, name, chance, queries, 1 / mass / queries))
    rows: dict[tuple[Source, float, Amplification], list[NoisePoint]] = {}
    for point in points:
        rows.setdefault((point.source, point.mass, point.amplification), []).append(point)
    thresholds = (
        Threshold(*key, vanishing_error(row, 1 / row[0].mass), vanishing_error(row, COLUMNS))
        for key, row in rows.items()
    )
    return NoiseStudy(tuple(points), tuple(thresholds), tuple(sizes))


def misread(chances: np.ndarray, error: float) -> np.ndarray:
    """The chances of places when each qubit is read wrongly with chance `error`."""
    qubit = np.array([[1 - error, error], [error, 1 - error]])
    whole: np.ndarray = reduce(np.kron, [qubit] * (len(chances).bit_length() - 1))
    return np.asarray(whole @ chances)


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
