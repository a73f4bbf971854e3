"""What exploration by flags cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.extending import register_jitable

COUNTS = np.dtype(
    [
        ("decisions", "i8"),
        ("rounds", "i8"),  # draws
        ("oracle_calls", "i8"),  # applications of the quantum oracle
        ("hits", "i8"),  # decisions that ended with a flagged action
        ("waiting", "i8"),  # draws since the last hit
    ],
    align=True,
)


@register_jitable
def count_decision(rounds: int, is_flagged: bool, oracle_calls: int, counts: Any) -> None:
    """Adds a decision to a `COUNTS` record."""
    counts.decisions += 1
    counts.rounds += rounds
    counts.oracle_calls += oracle_calls
    counts.hits += is_flagged
    counts.waiting = 0 if is_flagged else counts.waiting + rounds


@dataclass(frozen=True, slots=True)
class Metrics:
    """The counts of a stretch of training, and its states."""

    decisions: int
    rounds: int
    oracle_calls: int
    hits: int
    waiting: int
    states: int
    """Positions met in decisions."""

    @property
    def iterations(self) -> float | None:
        """Draws for each flagged action, on average; what a decision without one used up is carried
        over to the next (the "iterations" of santos-2025). None before the first hit.
        """
        return (self.rounds - self.waiting) / self.hits if self.hits else None

    @property
    def queries_per_hit(self) -> float | None:
        """How often the flags were asked for each flagged action: by the quantum oracle, and once for
        every draw to see whether it is flagged.
        """
        return (self.rounds + self.oracle_calls) / self.hits if self.hits else None
