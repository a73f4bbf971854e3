"""A test that the three back ends of the quantum draw agree, on random decisions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

import numpy as np
from scipy.stats import chi2_contingency

from inarow.errors import InvalidLimitError
from inarow.learning.exploration.config import Amplification, Policy
from inarow.learning.exploration.explorer import count_selections
from inarow.learning.exploration.register import amplitudes, lay_out
from inarow.learning.exploration.selection import amplification_range, marked_by_column, mass_of
from inarow.learning.exploration.theory import amplified
from inarow.workers import Progress

SIGNIFICANCE = 1e-6  # for all cases together; each is tested at this level divided by their number (Bonferroni)
TOLERANCE = 1e-12
_LEAST_MASS = 0.002  # least flagged mass of random cases: less would need circuits of more than 23 steps
_LEAST_COUNT = 10  # expected count below which actions are pooled


@dataclass(frozen=True, slots=True)
class Case:
    probabilities: tuple[float, ...]  # by action; 0 where it is illegal
    legal: tuple[int, ...]
    flags: tuple[int, ...]
    amplification: Amplification = "ceil-inclusive"
    column_oracle: bool = False


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The comparison of the back ends in a case."""

    case: Case
    mass: float
    p_value: float  # of the hypothesis that the draws in closed form and on Aer have the same distribution
    difference: float  # the largest between probabilities of the state vector and of the closed form, over all m


@dataclass(frozen=True, slots=True)
class Agreement:
    """The results of all cases."""

    draws: int  # per case, by each of the two back ends that draw
    results: tuple[CaseResult, ...]

    @property
    def rejected(self) -> tuple[CaseResult, ...]:
        """The cases in which the draws differ by more than chance, after correction."""
        return tuple(result for result in self.results if result.p_value < SIGNIFICANCE / len(self.results))

    @property
    def least_p_value(self) -> float:
        return min(result.p_value for result in self.results)

    @property
    def largest_difference(self) -> float:
        return max(result.difference for result in self.results)

    @property
    def is_agreed(self) -> bool:
        return not self.rejected and self.largest_difference <= TOLERANCE


def verify_back_ends(*, cases: int, draws: int, seed: int, progress: Progress | None = None) -> Agreement:
    """Draws `cases` decisions `draws` times in closed form and on Aer; the first ones are edge cases."""
    if cases < 1 or draws < 1:
        raise InvalidLimitError(f"cases is {cases} and draws is {draws}; both must be at least 1")
    rng = np.random.default_rng(seed)
    results = []
    for done, case in zip(range(cases), _cases(rng), strict=False):
        if progress is not None:
            progress(done, cases)
        results.append(_examine(case, draws, rng))
    return Agreement(draws, tuple(results))


def _cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case((1 / 7,) * 7, tuple(range(7)), tuple(range(7)))  # all flagged
    yield Case((0, 0, 0, 1.0, 0, 0, 0), (3,), (3,))  # one legal action
    yield Case((0, 0, 0.5, 0, 0, 0.2, 0.3), (2, 5, 6), (5,))  # full columns
    yield Case((0, 0, 0.5, 0, 0, 0.2, 0.3), (2, 5, 6), (2,), column_oracle=True)
    yield Case((0, 0.25, 0.25, 0.5, 0, 0, 0), (1, 2, 3, 4), (4,))  # flags without mass
    while True:
        columns = int(rng.integers(2, 10))
        legal = np.flatnonzero(rng.random(columns) < 0.8)
        if len(legal) == 0:
            continue
        probabilities = np.zeros(columns)
        probabilities[legal] = rng.dirichlet(np.full(len(legal), rng.choice([0.3, 1.0, 10.0])))
        flags = legal[rng.random(len(legal)) < rng.choice([0.2, 0.5, 0.8])]
        if probabilities[flags].sum() >= _LEAST_MASS:
            weights, actions, flagged = (tuple(each.tolist()) for each in (probabilities, legal, flags))
            amplification = get_args(Amplification)[int(rng.integers(4))]
            yield Case(weights, actions, flagged, amplification, bool(rng.random() < 0.25))


def _examine(case: Case, draws: int, rng: np.random.Generator) -> CaseResult:
    from inarow.learning.exploration.circuits import sample_draws  # needs the extra quantum

    probabilities = np.array(case.probabilities)
    legal, flags = _bits(case.legal), _bits(case.flags)
    policy = Policy(rounds=1, amplification=case.amplification, column_oracle=case.column_oracle)
    selection = policy.selection()
    mass = float(mass_of(probabilities, flags))
    least, most = amplification_range(mass, selection.amplification)
    register = lay_out(probabilities, legal, flags, column_oracle=case.column_oracle)
    closed = count_selections(probabilities, legal, flags, selection, draws, rng)
    places = sample_draws(register, rng.integers(least, most + 1, draws), int(rng.integers(2**31)))
    aer = np.append(register.by_action(places, len(probabilities)), places[len(case.legal) :].sum())
    marked = marked_by_column(legal, flags) if case.column_oracle else flags
    size, steps = len(probabilities), range(least, most + 1)
    by_vector = [register.by_action(amplitudes(register, m) ** 2, size) for m in steps]
    difference = np.abs(np.subtract(by_vector, [amplified(probabilities, marked, m) for m in steps])).max()
    return CaseResult(case, mass, homogeneity(np.append(closed, 0), aer), float(difference))


def homogeneity(one: np.ndarray, other: np.ndarray) -> float:
    """The p-value of a chi-square test that two rows of counts have the same distribution; rare cells are pooled."""
    table = np.array([one, other], float)
    is_rare = table.sum(axis=0) < 2 * _LEAST_COUNT
    table = np.column_stack([table[:, ~is_rare], table[:, is_rare].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    return float(chi2_contingency(table, correction=False).pvalue) if table.shape[1] > 1 else 1.0


def _bits(actions: tuple[int, ...]) -> int:
    return sum(1 << action for action in actions)
