"""The advantage and the cost of quantum draws, by the formulas of `selection.py`, and their tolerance of device noise.

A quantum draw queries the oracle m times, and once more to check whether its result is flagged. A classical draw needs
only this check, so a flagged action takes 1 / (flagged mass) queries on average; by quantum draws it takes
(mean m + 1) / (probability of a flagged draw), where noise reduces the probability. A draw of pure noise finds one
flagged action of seven with probability 1/8, whatever the policy, so below a mass of a few hundredths noise can never
remove the advantage in this count. A stronger baseline is an agent that queries all seven flags and draws from the
flagged actions by its policy, always with seven queries.

Noise is computed exactly: of gates by density matrices on Aer, of readout by its error matrix.
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
"""Flagged masses that cover the whole range; multiples of 1/7 are those of equally likely columns."""
_NO_LIMIT = 10**6

COLUMNS = 7
MASSES = (0.01, 0.05, 0.1, 1 / 7)
SINGLE_SHARE = 0.1  # error of a one-qubit gate relative to that of a two-qubit gate
STUDIED: tuple[Amplification, ...] = ("ceil-inclusive", "optimal")
Source = Literal["gates", "readout"]
ERRORS: Mapping[Source, np.ndarray] = {"gates": np.geomspace(1e-4, 0.1, 19), "readout": np.geomspace(1e-3, 0.5, 19)}


def amplified(probabilities: np.ndarray, marked: int, m: int) -> np.ndarray:
    """The probabilities of actions after m steps, in closed form."""
    inside, outside = amplified_weights(selection.mass_of(probabilities, marked), m)
    is_marked = marked >> np.arange(len(probabilities)) & 1
    return np.asarray(probabilities * np.where(is_marked, inside, outside))


def success(mass: float, m: int) -> float:
    """The probability that a draw after m steps is flagged, for a flagged mass in (0, 1]."""
    return mass * amplified_weights(mass, m)[0]


def step_range(mass: float, amplification: Amplification) -> tuple[int, int]:
    """The smallest and the largest m of a draw, for a flagged mass."""
    return selection.amplification_range(mass, selection.AMPLIFICATIONS.index(amplification))


@dataclass(frozen=True, slots=True)
class DrawCost:
    """The cost of a flagged action, for a flagged mass."""

    mass: float
    largest_m: int
    success: float  # probability for one quantum draw, mean over m
    rounds: float  # quantum draws for a hit, on average, as what follows
    oracle_calls: float
    queries: float  # oracle calls, and a check of each draw
    classical_rounds: float  # equal to the queries of classical draws


def draw_cost(mass: float, amplification: Amplification = "ceil-inclusive") -> DrawCost:
    """The cost without a limit of draws; `mass` in (0, 1]."""
    assert selection.LEAST_MASS <= mass <= 1
    least, most = step_range(mass, amplification)
    chance = float(np.mean([success(mass, m) for m in range(least, most + 1)]))
    mean_m = (least + most) / 2
    return DrawCost(mass, most, chance, 1 / chance, mean_m / chance, (mean_m + 1) / chance, 1 / mass)


@dataclass(frozen=True, slots=True)
class MeasuredCost:
    """The same, estimated by drawing."""

    rounds: float  # quantum draws for a hit, on average, as what follows
    oracle_calls: float
    classical_rounds: float


def measured_cost(
    mass: float, decisions: int, rng: np.random.Generator, amplification: Amplification = "ceil-inclusive"
) -> MeasuredCost:
    """The mean cost of decisions between a flagged action with probability `mass` and another action."""
    probabilities = np.array([mass, 1 - mass])
    quantum = Policy(rounds=_NO_LIMIT, amplification=amplification).selection()
    rounds, calls = total_cost(probabilities, 0b11, 0b01, quantum, decisions, rng)
    classical = Policy(rule="classical", rounds=_NO_LIMIT).selection()
    classical_rounds, _ = total_cost(probabilities, 0b11, 0b01, classical, decisions, rng)
    return MeasuredCost(rounds / decisions, calls / decisions, classical_rounds / decisions)


# --- Noise ---


@dataclass(frozen=True, slots=True)
class NoisePoint:
    """The cost of one decision at one error rate."""

    source: Source
    error: float  # of a two-qubit gate, or of reading a qubit
    mass: float
    amplification: Amplification
    chance: float  # of a flagged action in a quantum draw, mean over m
    queries: float  # for a flagged action, on average
    advantage: float  # queries of classical draws / queries of quantum draws: above 1 if quantum draws are better


@dataclass(frozen=True, slots=True)
class Threshold:
    """The error rates at which the advantage ends."""

    source: Source
    mass: float
    amplification: Amplification
    error: float | None
    """For classical draws as the baseline: 0 if there is no advantage, None if it persists at all errors studied."""
    error_asking_all: float | None  # the same for an agent that queries all flags


@dataclass(frozen=True, slots=True)
class CircuitSize:
    """The size of the circuit of a draw on a device with all qubits connected."""

    mass: float
    m: int
    single_gates: int  # sx and x
    double_gates: int
    depth: int


@dataclass(frozen=True, slots=True)
class NoiseStudy:
    """All results, including error-free points (error 0)."""

    points: tuple[NoisePoint, ...]
    thresholds: tuple[Threshold, ...]
    circuits: tuple[CircuitSize, ...]


def noisy_decision(mass: float) -> Register:
    """Seven legal columns of which the fourth is flagged; the others share the remaining mass as 1 : 2 : ... : 6."""
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
        found: dict[tuple[Source, float], list[np.ndarray]] = {}  # the probabilities of places for each m, by error
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
    """The probabilities of places if each qubit is misread with probability `error`."""
    qubit = np.array([[1 - error, error], [error, 1 - error]])
    whole: np.ndarray = reduce(np.kron, [qubit] * (len(chances).bit_length() - 1))
    return np.asarray(whole @ chances)


def vanishing_error(row: Sequence[NoisePoint], classical_queries: float) -> float | None:
    """The error at which quantum draws need as many queries as a classical agent, by interpolation of
    logarithms; `row` is sorted by error, 0 first. 0 if they never need fewer, None if they always do.
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
