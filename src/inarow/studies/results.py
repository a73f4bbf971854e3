"""Finished experiments, and what they say together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from inarow.arena.statistics import runs_interval
from inarow.studies.comparison import Estimate, estimate
from inarow.studies.experiment import VARIANTS, Experiment, Measured, Variant
from inarow.studies.report import Curve, CurvePoint


class Finished(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An experiment and its result, with the version of the package that computed it."""

    experiment: Experiment
    version: str
    measured: Measured


class Results:
    """The results of a study, by experiment and variant, in the order of their seeds."""

    def __init__(self, finished: Iterable[Finished]) -> None:
        self._runs: dict[tuple[str, Variant], list[Finished]] = {}
        for each in finished:
            self._runs.setdefault((each.experiment.name, each.experiment.variant), []).append(each)
        for runs in self._runs.values():
            runs.sort(key=lambda run: run.experiment.seed)

    def size(self, name: str, variant: Variant) -> dict[str, int] | None:
        """How much of everything a run of the experiment had; None if there is none."""
        runs = self._of(name, variant)
        return dict(runs[0].experiment.size) if runs else None

    def settings(self, name: str, variant: Variant) -> dict[str, str]:
        """What a run of the experiment was told; empty if there is none."""
        runs = self._of(name, variant)
        return dict(runs[0].experiment.settings) if runs else {}

    def runs(self, name: str, variant: Variant) -> int:
        return len(self._of(name, variant))

    def estimate(
        self, name: str, variant: Variant, figure: str, *, is_rate: bool = False, games: int | None = None
    ) -> Estimate | None:
        """Over the runs that have the figure, None if none has; `is_rate` and `games` as in `comparison.estimate`."""
        return estimate(self.values(name, variant, figure), is_rate=is_rate, games=games)

    def estimates(
        self, name: str, figure: str, *, is_rate: bool = False, games: int | None = None
    ) -> tuple[Estimate | None, Estimate | None]:
        """As published and corrected."""
        published_way, corrected = (
            self.estimate(name, variant, figure, is_rate=is_rate, games=games) for variant in VARIANTS
        )
        return published_way, corrected

    def values(self, name: str, variant: Variant, figure: str) -> list[float]:
        """A figure in the runs that have it."""
        found = [run.measured.figures for run in self._of(name, variant)]
        return [figures[figure] for figures in found if figure in figures]

    def timing(self, name: str, variant: Variant, timing: str) -> float | None:
        """The mean over the runs that have it, in seconds."""
        found = [run.measured.timings for run in self._of(name, variant)]
        values = [timings[timing] for timings in found if timing in timings]
        return float(np.mean(values)) if values else None

    def curve(self, name: str, variant: Variant, curve: str, *, label: str) -> Curve | None:
        """The mean of a curve over the runs that have it, point by point; None if none has."""
        found = [run.measured.curves[curve] for run in self._of(name, variant) if curve in run.measured.curves]
        return mean_curve(found, label) if found else None

    def _of(self, name: str, variant: Variant) -> Sequence[Finished]:
        return self._runs.get((name, variant), ())


def mean_curve(curves: Sequence[Sequence[tuple[float, float]]], label: str) -> Curve:
    """The mean of curves that share their x, with the 95 % interval of the mean."""
    points = []
    for at_x in zip(*curves, strict=True):
        ys = np.array([y for _, y in at_x])
        low, high = runs_interval(ys) or (float(ys[0]), float(ys[0]))
        points.append(CurvePoint(at_x[0][0], float(ys.mean()), low, high))
    return Curve(label, tuple(points))
