"""Quantum draws of an action: in closed form, and by a circuit on Aer."""

from __future__ import annotations

import numpy as np

from inarow.cli.benchmarks.peers import Peer, Work, rate
from inarow.errors import MissingExtraError
from inarow.games.position import Position
from inarow.learning.exploration.config import Policy
from inarow.learning.exploration.decisions import count_selections
from inarow.learning.exploration.register import lay_out
from inarow.learning.exploration.selection import amplification_range, mass_of

_DRAWS = 200_000
_POLICY = Policy(rounds=1)


def _decision(start: Position) -> tuple[np.ndarray, int, int]:
    """(probabilities, legal, flags): all columns legal, some more likely, two flagged; always the same."""
    actions = start.spec.actions
    weights = np.arange(1.0, actions + 1)
    return weights / weights.sum(), (1 << actions) - 1, 0b1010


def selections(start: Position) -> Work:
    """Draws with m as in santos-2025, each by itself."""
    probabilities, legal, flags = _decision(start)
    selection, rng = _POLICY.selection(), np.random.default_rng(0)

    def work() -> int:
        return int(count_selections(probabilities, legal, flags, selection, _DRAWS, rng).sum())

    return work


def aer_selections(start: Position, seconds: float) -> Peer | None:
    """The same draws as santos-2025 made them: a circuit each, transpiled and run with one shot."""
    try:
        from inarow.learning.exploration.circuits import sample_once_transpiled
    except MissingExtraError:
        return None
    probabilities, legal, flags = _decision(start)
    register, rng = lay_out(probabilities, legal, flags), np.random.default_rng(0)
    least, most = amplification_range(mass_of(probabilities, flags), _POLICY.selection().amplification)

    def work() -> int:
        sample_once_transpiled(register, int(rng.integers(least, most + 1)), int(rng.integers(2**31)))
        return 1

    return Peer("Qiskit on Aer, transpiled for each draw", lambda: rate(work, seconds))
