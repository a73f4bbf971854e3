"""A study that takes no time: the mean of throws of a die. Nothing of it is known to the package."""

import time
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from inarow.studies.experiment import Measured, Scale, Trial
from inarow.studies.report import Bar, BarPlot, CurvePlot, Section, Table, variant_bars
from inarow.studies.results import Results
from inarow.studies.study import Repeated, Study


@dataclass(frozen=True)
class Die:
    sides: int = 6
    seconds: dict[int, float] = field(default_factory=dict, hash=False)
    """How long a run takes, by seed; for tests that kill it."""

    @property
    def name(self) -> str:
        return "die" if self.sides == 6 else f"die of {self.sides} sides"

    def run(self, trial: Trial) -> Measured:
        time.sleep(self.seconds.get(trial.seed, 0))
        (stream,) = trial.random_streams(1)
        throws = np.random.default_rng(stream).integers(trial.is_published, self.sides + 1, trial.size["throws"])
        means = np.cumsum(throws) / np.arange(1, len(throws) + 1)
        curve = list(enumerate(means.tolist(), start=1))
        return Measured({"mean": float(throws.mean())}, {"means": curve}, {"run": 0.5})


def experiments(die: Die, scale: Scale) -> list[Repeated]:
    return [Repeated(die, 3 if scale == "quick" else 5, {"throws": 50})]


def sections(results: Results) -> list[Section]:
    row = results.row("mean", Die(), "mean", published=3.5, digits=1)
    curves = [results.curve(Die(), variant, "means", label=variant) for variant in ("as-published", "corrected")]
    shown = tuple(curve for curve in curves if curve is not None)
    return [
        Section(
            title="Dice",
            text=("A die is thrown.",),
            tables=(Table("Means", (row,), "a note"),),
            curves=(CurvePlot("Means so far", "throws", "mean", shown),),
            bars=(BarPlot("Means", "points", (Bar("die", 3.5, None, "published"), *variant_bars(row))),),
        )
    ]


DICE = Study("dice", "A die", "nobody, 2025", partial(experiments, Die()), sections)
SLOW_DICE = Study("slow dice", "A die", "nobody, 2025", partial(experiments, Die(seconds={2: 600})), sections)
"""Does not end for the last seed."""
SLOW_STARTING_DICE = Study(
    "slow starting dice", "A die", "nobody, 2025", partial(experiments, Die(seconds={0: 600})), sections
)
