"""The study santos-2025: what it runs."""

from __future__ import annotations

from inarow.studies.experiment import Scale
from inarow.studies.santos_2025.published import published
from inarow.studies.santos_2025.runs import EPISODES, LEARNERS, run
from inarow.studies.santos_2025.sections import sections
from inarow.studies.study import Repeated, Study


def _experiments(scale: Scale) -> list[Repeated]:
    is_quick = scale == "quick"
    share = 6 if is_quick else 1
    numbers = published()
    return [
        Repeated(
            name,
            1 if is_quick else numbers.runs,
            {"episodes": EPISODES[side] // share, "test games": numbers.games},
            variants=("as-published",),
            stage=0 if name in numbers.rows else 1,
        )
        for name, (side, _) in LEARNERS.items()
    ]


SANTOS_2025 = Study(
    name="santos-2025",
    title="santos-2025: deep Q-learning with flags, classical and quantum",
    source="F. Santos, J. P. Fernandes, L. Macedo, Extending a Quantum Reinforcement Learning Exploration Policy with"
    " Flags to Connect Four, 2025",
    experiments=_experiments,
    run=run,
    sections=sections,
)
