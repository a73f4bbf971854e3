"""Finished trials: the file that stores them, and their summary."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from inarow.arena.grading import ACCURACIES
from inarow.arena.statistics import runs_interval
from inarow.errors import StoreError, raised_as
from inarow.storage.atomic import atomic_write
from inarow.storage.inputs import read_input
from inarow.studies.comparison import Estimate, agreement, estimate
from inarow.studies.experiment import VARIANTS, Experiment, Measured, Trial, TrialRecord, Variant
from inarow.studies.provenance import Provenance
from inarow.studies.report import Curve, CurvePoint, Row
from inarow.version import __version__
from inarow.workers import interrupts_deferred

_MAX_BYTES = 1 << 30


class Finished(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A trial and its result, with the version of the package that computed it."""

    trial: TrialRecord = msgspec.field(name="experiment")
    version: str
    measured: Measured
    computed: Provenance | None = None  # None in files of the first edition, which did not record it

    def is_from(self, code: str) -> bool:
        """Whether code of this digest computed it; False if that is unknown."""
        return self.computed is not None and self.computed.code == code


class ResultsFile:
    """Finished trials of any study and code, one JSON line each; lines are only appended. Of several results of a trial
    the last counts.

    A kill can leave an incomplete last line; it is removed before the next one is added, and its trial runs again.
    """

    def __init__(self, path: Path) -> None:
        """Reads a file if it exists; raises StoreError if it is not a results file."""
        self._path = path
        self.finished: list[Finished] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        content = read_input(path, _MAX_BYTES, StoreError) if path.exists() else b""
        whole, newline, torn = content.rpartition(b"\n")
        for number, line in enumerate(whole.splitlines(), start=1):
            refusal = f"{path} line {number} is not a result of a study"
            with raised_as(StoreError, refusal, msgspec.MsgspecError, UnicodeError, RecursionError):
                self.finished.append(msgspec.json.decode(line, type=Finished))
        if not torn.startswith(b'{"experiment":'[: len(torn)]):
            raise StoreError(f"{path} does not hold results of a study")
        self._whole, self._read = len(whole) + len(newline), len(content)

    def of(self, trials: Iterable[Trial]) -> list[Finished]:
        """The results of these trials by any code, in the order of the trials."""
        found = {each.trial.key: each for each in self.finished}
        return [found[trial.key] for trial in trials if trial.key in found]

    def add(self, trial: Trial, measured: Measured, computed: Provenance | None = None) -> Finished:
        """Writes a result and its files to disk, with Ctrl-C deferred; returns the stored result."""
        finished = Finished(trial.record, __version__, replace(measured, files={}), computed)
        with interrupts_deferred():
            for name, content in measured.files.items():
                place = self._path.parent / name
                place.parent.mkdir(exist_ok=True)
                with atomic_write(place) as beside:
                    beside.write(content)
            with self._path.open("ab") as file:
                if file.tell() != self._read:
                    raise StoreError(f"{self._path} was changed by another process")
                file.truncate(self._whole)
                file.write(msgspec.json.encode(finished) + b"\n")
                file.flush()
                os.fsync(file.fileno())
                self._whole = self._read = file.tell()
            self.finished.append(finished)
            return finished


class Results:
    """The results of a study by experiment and variant, in the order of their seeds."""

    def __init__(self, finished: Iterable[Finished]) -> None:
        self._runs: dict[tuple[str, Variant], list[Finished]] = {}
        for each in finished:
            self._runs.setdefault((each.trial.name, each.trial.variant), []).append(each)
        for runs in self._runs.values():
            runs.sort(key=lambda run: run.trial.seed)

    def runs(self, experiment: Experiment, variant: Variant) -> int:
        return len(self._of(experiment, variant))

    def size(self, experiment: Experiment, what: str, variant: Variant | None = None) -> int | None:
        """A size of the experiment's first run, in any variant if none is given; None without a run."""
        variants = VARIANTS if variant is None else (variant,)
        return next((runs[0].trial.size[what] for each in variants if (runs := self._of(experiment, each))), None)

    def settings(self, experiment: Experiment, variant: Variant) -> dict[str, str]:
        """The settings of the experiment's first run; empty without a run."""
        runs = self._of(experiment, variant)
        return dict(runs[0].trial.settings) if runs else {}

    def values(self, experiment: Experiment, variant: Variant, figure: str) -> list[float]:
        """The values of a figure in the runs that have it."""
        runs = self._of(experiment, variant)
        return [run.measured.figures[figure] for run in runs if figure in run.measured.figures]

    def estimate(
        self, experiment: Experiment, variant: Variant, figure: str, *, is_rate: bool = False, games: int | None = None
    ) -> Estimate | None:
        """The estimate over the runs that have the figure, None if none has; `is_rate` and `games` as in
        `comparison.estimate`.
        """
        return estimate(self.values(experiment, variant, figure), is_rate=is_rate, games=games)

    def row(
        self,
        label: str,
        experiment: Experiment,
        figure: str,
        *,
        digits: int,
        published: float | None = None,
        is_rate: bool = False,
        games: int | None = None,
    ) -> Row:
        """A figure in both variants with the published number and their agreement."""
        ours = (self.estimate(experiment, variant, figure, is_rate=is_rate, games=games) for variant in VARIANTS)
        as_published, corrected = ours
        agrees = None
        if published is not None and as_published is not None:
            agrees = agreement(published, as_published, digits=digits, games=games)
        return Row(label, published, as_published, corrected, digits, agrees)

    def timing(self, experiment: Experiment, variant: Variant, timing: str) -> float | None:
        """The mean of a timing over the runs that have it, in seconds."""
        runs = self._of(experiment, variant)
        values = [run.measured.timings[timing] for run in runs if timing in run.measured.timings]
        return float(np.mean(values)) if values else None

    def curve(self, experiment: Experiment, variant: Variant, curve: str, *, label: str) -> Curve | None:
        """The mean of a curve over the runs that have it, point by point; None if none has."""
        found = [run.measured.curves[curve] for run in self._of(experiment, variant) if curve in run.measured.curves]
        return mean_curve(found, label) if found else None

    def _of(self, experiment: Experiment, variant: Variant) -> Sequence[Finished]:
        return self._runs.get((experiment.name, variant), ())


def accuracy_rows(results: Results, label: str, experiment: Experiment, prefix: str = "") -> list[Row]:
    """The figures of `accuracy_figures` with the same prefix."""
    labels = {f"{prefix}{name}": f"{label}: {name.replace('_', ' ')}, %" for name in ACCURACIES}
    return [results.row(text, experiment, figure, digits=1, is_rate=True) for figure, text in labels.items()]


def mean_curve(curves: Sequence[Sequence[tuple[float, float]]], label: str) -> Curve:
    """The mean of curves with the same x values, with the 95 % interval of the mean."""
    points = []
    for at_x in zip(*curves, strict=True):
        ys = np.array([y for _, y in at_x])
        low, high = runs_interval(ys) or (float(ys[0]), float(ys[0]))
        points.append(CurvePoint(at_x[0][0], float(ys.mean()), low, high))
    return Curve(label, tuple(points))
