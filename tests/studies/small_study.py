"""A study that takes no time: the mean of so many throws of a die."""

import numpy as np

from inarow.studies.experiment import Experiment, Measured, Scale
from inarow.studies.report import Bar, BarPlot, CurvePlot, Section, Table, compare
from inarow.studies.results import Results
from inarow.studies.study import Repeated, Study


def experiments(scale: Scale) -> list[Repeated]:
    return [Repeated("die", 3 if scale == "quick" else 5, {"throws": 50})]


def run(experiment: Experiment) -> Measured:
    (stream,) = experiment.random_streams(1)
    low = 1 if experiment.variant == "as-published" else 0
    throws = np.random.default_rng(stream).integers(low, 7, experiment.size["throws"])
    means = np.cumsum(throws) / np.arange(1, len(throws) + 1)
    return Measured({"mean": float(throws.mean())}, {"means": list(enumerate(means.tolist(), start=1))}, {"run": 0.5})


def sections(results: Results) -> list[Section]:
    ours = [results.estimate("die", variant, "mean") for variant in ("as-published", "corrected")]
    curves = [results.curve("die", variant, "means", label=variant) for variant in ("as-published", "corrected")]
    shown = tuple(curve for curve in curves if curve is not None)
    bars = (
        Bar("die", 3.5, None, "published"),
        *(Bar("die", each.mean, each.interval, "ours") for each in ours if each),
    )
    return [
        Section(
            title="Dice",
            text=("A die is thrown.",),
            tables=(Table("Means", (compare("mean", 3.5, *ours, digits=1),), "a note"),),
            curves=(CurvePlot("Means so far", "throws", "mean", shown),),
            bars=(BarPlot("Means", "points", bars),),
        )
    ]


DICE = Study("dice", "A die", "nobody, 2025", experiments, run, sections)


def run_slowly(experiment: Experiment) -> Measured:
    """For tests that kill the run: does not end for the last seed."""
    import time

    if experiment.seed == 2:
        time.sleep(600)
    return run(experiment)


SLOW_DICE = Study("slow dice", "A die", "nobody, 2025", experiments, run_slowly, sections)


def run_with_a_slow_start(experiment: Experiment) -> Measured:
    """The same for the first seed."""
    import time

    if experiment.seed == 0:
        time.sleep(600)
    return run(experiment)


SLOW_STARTING_DICE = Study("slow starting dice", "A die", "nobody, 2025", experiments, run_with_a_slow_start, sections)
