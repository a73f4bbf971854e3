"""One quantum draw for people: what they type, and what there is to see."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inarow.errors import InvalidDrawError, shown
from inarow.learning.exploration.register import Register, lay_out
from inarow.learning.exploration.selection import AMPLIFICATIONS, LEAST_MASS, OPTIMAL, amplification_range, mass_of
from inarow.learning.exploration.state_vector import amplitudes
from inarow.learning.exploration.theory import success

_FULL = "-"
_MOST_COLUMNS = 16
_MOST_STEPS = 100
_ROUNDED = 1e-2  # how far from 1 the sum of probabilities that people typed may be


@dataclass(frozen=True, slots=True)
class QuantumDraw:
    """A decision, and the number m of steps to look at."""

    probabilities: np.ndarray
    """By column, summing to 1; 0 in full columns."""
    flags: tuple[int, ...]
    """Columns, counted from 0."""
    register: Register
    m: int

    @property
    def mass(self) -> float:
        return float(mass_of(self.probabilities, _bits(self.flags)))

    @property
    def before(self) -> np.ndarray:
        """The amplitudes of the register."""
        return amplitudes(self.register, 0)

    @property
    def after(self) -> np.ndarray:
        return amplitudes(self.register, self.m)

    @property
    def published_range(self) -> int:
        """k: santos-2025 draws m from 0..k."""
        return amplification_range(self.mass, AMPLIFICATIONS.index("ceil-inclusive"))[1]

    @property
    def best_m(self) -> int:
        return amplification_range(self.mass, OPTIMAL)[0]

    def successes(self) -> list[float]:
        """The chance of a flagged action after 0, 1, 2, ... steps, over the range and past its first peak."""
        last = max(self.m, self.published_range, 2 * self.best_m + 1, 4)
        return [float(success(self.mass, m)) for m in range(min(last, _MOST_STEPS) + 1)]

    def document(self) -> dict[str, Any]:
        """Everything as JSON; columns are counted from 1."""
        before, after = self.before, self.after
        return {
            "columns": [action + 1 for action in self.register.actions],
            "flags": [action + 1 for action in self.flags],
            "qubits": self.register.qubits,
            "mass": self.mass,
            "k": self.published_range,
            "best_m": self.best_m,
            "m": self.m,
            "before": self._places(before),
            "after": self._places(after),
            "success": self.successes(),
        }

    def _places(self, state: np.ndarray) -> list[dict[str, float]]:
        return [
            {"column": action + 1, "amplitude": float(state[place]), "probability": float(state[place] ** 2)}
            for place, action in enumerate(self.register.actions)
        ]


def parse_draw(probabilities: str, flags: str, m: int | None) -> QuantumDraw:
    """From `0.2,-,0.8`, with - for a full column, and columns counted from 1; without m the best one.
    Raises InvalidDrawError.
    """
    words = [word.strip() for word in probabilities.split(",")]
    if len(words) > _MOST_COLUMNS:
        raise InvalidDrawError(f"{len(words)} probabilities are too many; boards have at most {_MOST_COLUMNS} columns")
    legal = [column for column, word in enumerate(words) if word != _FULL]
    values = np.zeros(len(words))
    values[legal] = [_probability(words[column]) for column in legal]
    if abs(values.sum() - 1) > _ROUNDED:
        raise InvalidDrawError(f"the probabilities sum to {values.sum():g}; they must sum to 1")
    values /= values.sum()
    flagged = _columns(flags, legal, len(words))
    register = lay_out(values, _bits(legal), _bits(flagged))
    mass = mass_of(values, _bits(flagged))
    if mass < LEAST_MASS:
        raise InvalidDrawError("the flagged columns have no probability; there is nothing to amplify")
    if m is None:
        m = min(amplification_range(mass, OPTIMAL)[0], _MOST_STEPS)
    if not 0 <= m <= _MOST_STEPS:
        raise InvalidDrawError(f"m is {m}; it must be 0 to {_MOST_STEPS}")
    return QuantumDraw(values, tuple(flagged), register, m)


def _probability(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise InvalidDrawError(f"{shown(word)} is no probability; give numbers from 0 to 1, - for a full column")
    return value


def _columns(text: str, legal: Sequence[int], columns: int) -> list[int]:
    chosen = []
    for word in text.split(","):
        column = int(word) - 1 if word.strip().isascii() and word.strip().isdigit() else -1
        if not 0 <= column < columns:
            raise InvalidDrawError(f"{shown(word)} is no column; columns are 1 to {columns}")
        if column not in legal:
            raise InvalidDrawError(f"column {column + 1} is full and cannot be flagged")
        chosen.append(column)
    return sorted(set(chosen))


def _bits(actions: Sequence[int]) -> int:
    return sum(1 << action for action in actions)
