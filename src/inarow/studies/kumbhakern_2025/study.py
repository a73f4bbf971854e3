"""The study kumbhakern-2025: what it runs."""

from __future__ import annotations

from inarow.studies.experiment import Scale
from inarow.studies.kumbhakern_2025.runs import BASELINES, READINGS, SHIPPED, WITH_STARTS, WITHOUT_STARTS, run
from inarow.studies.kumbhakern_2025.sections import sections
from inarow.studies.study import Repeated, Study


def _experiments(scale: Scale) -> list[Repeated]:
    is_quick = scale == "quick"
    runs = 2 if is_quick else 10
    few_runs = 1 if is_quick else 5
    counts = {"test games": 1000, "perfect games": 40 if is_quick else 100, "games": 40 if is_quick else 200}
    return [
        Repeated(WITHOUT_STARTS, runs, {"episodes": 200_000, **counts}),
        *(Repeated(name, few_runs, {"episodes": 200_000}, variants=("as-published",)) for name in READINGS),
        # 500,000 episodes are what the repository of the program has had since random starts came
        Repeated(WITH_STARTS, few_runs, {"episodes": 200_000 if is_quick else 500_000, **counts}),
        Repeated(SHIPPED, few_runs, {"games": counts["games"]}, variants=("corrected",)),
        Repeated(BASELINES, 1 if is_quick else 2, {}, variants=("corrected",)),
    ]


KUMBHAKERN_2025 = Study(
    name="kumbhakern-2025",
    title="kumbhakern-2025: a Q-table of 4x4 behind sliding windows",
    source="A. Kumbhakern, Using Q-Learning to train a 4x4 Connect Four Subgame Evaluator, March 2025",
    experiments=_experiments,
    run=run,
    sections=sections,
)
