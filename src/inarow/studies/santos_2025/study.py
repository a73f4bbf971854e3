"""The study santos-2025: what it runs."""

from __future__ import annotations

from collections.abc import Iterator

from inarow.studies.experiment import Scale
from inarow.studies.santos_2025 import draws
from inarow.studies.santos_2025.published import published
from inarow.studies.santos_2025.runs import run
from inarow.studies.santos_2025.sections import sections
from inarow.studies.santos_2025.trainings import EPISODES, LEARNERS, LOCKSTEPS, PRESAMPLED, STRONGER
from inarow.studies.study import Repeated, Study

_TABLES, _CHECKS, _CORRECTED, _BEYOND = range(4)
"""Stages: what the published tables need comes first."""
_UNPUBLISHED_RUNS, _CORRECTED_RUNS, _BEYOND_RUNS, _LOCKSTEP_RUNS = 10, 5, 3, 20
_LOCKSTEP_SIZE = {"episodes": 600, "test games": 1000}
_QUICK_SIZE = {"episodes": 300, "test games": 200}
_TINY_SIZE = {"episodes": 60, "test games": 50}
_QUICK_CORRECTED = ("first, quantum",)
_QUICK_STRONGER = ("first, quantum against negamax:depth=4", "first, quantum against mcts:simulations=200")


def _experiments(scale: Scale) -> list[Repeated]:
    return list(_quick() if scale == "quick" else _paper())


def _paper() -> Iterator[Repeated]:
    numbers = published()
    for name, training in LEARNERS.items():
        size = {"episodes": EPISODES[training.side], "test games": numbers.games}
        runs, stage = (numbers.runs, _TABLES) if name in numbers.rows else (_UNPUBLISHED_RUNS, _CHECKS)
        yield Repeated(name, runs, size, variants=("as-published",), stage=stage)
        yield Repeated(name, _CORRECTED_RUNS, size, variants=("corrected",), stage=_CORRECTED)
    for name in LOCKSTEPS:
        yield Repeated(name, _LOCKSTEP_RUNS, _LOCKSTEP_SIZE, variants=("as-published",), stage=_CHECKS)
    yield Repeated(draws.NAME, 5, {"decisions": 100_000}, stage=_CHECKS)
    for name in (PRESAMPLED, *STRONGER):
        size = {"episodes": EPISODES["first"], "test games": numbers.games}
        yield Repeated(name, _BEYOND_RUNS, size, variants=("corrected",), stage=_BEYOND)


def _quick() -> Iterator[Repeated]:
    for name in LEARNERS:
        yield Repeated(name, 1, _QUICK_SIZE, variants=("as-published",))
    for name in _QUICK_CORRECTED:
        yield Repeated(name, 1, _QUICK_SIZE, variants=("corrected",))
    for name in LOCKSTEPS:
        yield Repeated(name, 2, _TINY_SIZE, variants=("as-published",))
    yield Repeated(draws.NAME, 2, {"decisions": 10_000})
    for name in _QUICK_STRONGER:
        yield Repeated(name, 1, _TINY_SIZE, variants=("corrected",))


SANTOS_2025 = Study(
    name="santos-2025",
    title="santos-2025: deep Q-learning with flags, classical and quantum",
    source="F. Santos, J. P. Fernandes, L. Macedo, Extending a Quantum Reinforcement Learning Exploration Policy with"
    " Flags to Connect Four, 2025",
    experiments=_experiments,
    run=run,
    sections=sections,
)
