"""Comparison of training runs: the settings in which they differ, and their curves."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarow.arena.run_list import training_seconds
from inarow.arena.training_run import TrainingRun, load_run
from inarow.errors import ConfigError, shown
from inarow.results import Result, drawn_by_report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AXES = ("episode", "iteration", "seconds")
"""Columns for the axis of curves; the first that all runs have is used."""
_NOT_COMPARED = (*AXES, "core_seconds", "games_per_second", "epsilon")
_SMALL_IS_GOOD = ("loss", "regret")  # parts of names of columns for which smaller is better


@dataclass(frozen=True, slots=True)
class RunComparison(Result):
    """A comparison of runs; created by `compare_runs`."""

    runs: Mapping[str, TrainingRun]
    """The runs by name."""
    columns: tuple[str, ...]
    """The columns of the curves that all runs have."""
    settings: Mapping[str, Mapping[str, Any]]
    """The settings that differ, by name of the run and by key; None if a run does not have the setting."""

    def rows(self) -> Sequence[dict[str, object]]:
        """A row for each run: settings that differ, training time, last and best value of each column."""
        return [
            {
                "run": name,
                **{key: _cell(value) for key, value in self.settings[name].items()},
                "points": len(run.curve),
                "seconds": training_seconds(run),
                **self.figures(name),
            }
            for name, run in self.runs.items()
        ]

    def figures(self, name: str) -> dict[str, float | None]:
        """`COLUMN` and `COLUMN_best` of a run for each column: its last and its best value."""
        found: dict[str, float | None] = {}
        for column in self.columns:
            values = [value for point in self.runs[name].curve.points if (value := point.get(column)) is not None]
            best = min if is_small_good(column) else max
            found |= {column: values[-1] if values else None, f"{column}_best": best(values, default=None)}
        return found

    def points(self, name: str, column: str) -> tuple[list[float], list[float]]:
        """The plotted points of a run: positions on the axis, and values."""
        axis = self.axis
        points = self.runs[name].curve.points
        pairs = [
            (number if axis is None else (point.get(axis) or 0), value)
            for number, point in enumerate(points, start=1)
            if (value := point.get(column)) is not None
        ]
        return [float(x) for x, _ in pairs], [float(y) for _, y in pairs]

    @property
    def axis(self) -> str | None:
        """The column of the axis; None for the number of the point."""
        return next((each for each in AXES if all(each in run.curve.columns for run in self.runs.values())), None)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `inarow runs compare`."""
        return {
            "columns": self.columns,
            "runs": [
                {
                    "run": name,
                    "folder": str(run.folder),
                    "settings": self.settings[name],
                    "points": len(run.curve),
                    "seconds": training_seconds(run),
                    "figures": self.figures(name),
                }
                for name, run in self.runs.items()
            ],
        }

    def plot(self, path: Path | str | None = None) -> Figure:
        """The curves of all runs in one plot, also written to `path` if given: an .svg, .png or .html file, else raises
        PictureError. Raises MissingExtraError without matplotlib.
        """
        figure: Figure = drawn_by_report("run_plots", "plot_comparison", self, path)
        return figure


def compare_runs(runs: Sequence[TrainingRun | Path | str], column: str | None = None) -> RunComparison:
    """Compares runs, given as runs or folders, by the columns that their curves share, or by one of them.

    Raises ConfigError if there are fewer than two runs or the column does not exist.
    """
    loaded = [run if isinstance(run, TrainingRun) else load_run(run) for run in runs]
    if len(loaded) < 2:
        raise ConfigError(f"a comparison needs at least 2 runs; there {'are none' if not loaded else 'is 1'}")
    named = dict(zip(_names([run.folder for run in loaded]), loaded, strict=True))
    shared = [each for each in _columns(loaded[0]) if all(each in _columns(run) for run in loaded[1:])]
    if column is not None and column not in shared:
        has = f"shared columns are {', '.join(shared)}" if shared else "they have no column in common"
        raise ConfigError(f"not all of these runs have the column {shown(column)} in their curves; {has}")
    return RunComparison(named, tuple(shared if column is None else [column]), _differences(named))


def is_small_good(column: str) -> bool:
    return any(word in column for word in _SMALL_IS_GOOD)


def _columns(run: TrainingRun) -> list[str]:
    """The columns of a curve that are measurements: not counters, which have only whole numbers."""
    points = run.curve.points
    return [
        each
        for each in run.curve.columns
        if each not in _NOT_COMPARED and not all(isinstance(point.get(each), int) for point in points)
    ]


def _names(folders: Sequence[Path]) -> list[str]:
    """A name for each folder: its own, or with parents until it is unique; numbered if a folder occurs twice."""
    paths = [Path(os.path.abspath(folder)) for folder in folders]
    names = [path.name for path in paths]
    if len(set(names)) < len(names):
        common = Path(os.path.commonpath(paths))
        names = [str(path.relative_to(common)) if path != common else path.name for path in paths]
    return [
        name if names.count(name) == 1 else f"{name} ({names[:number].count(name) + 1})"
        for number, name in enumerate(names)
    ]


def _differences(runs: Mapping[str, TrainingRun]) -> dict[str, dict[str, Any]]:
    settings = {name: dict(_flat(run.config)) for name, run in runs.items()}
    keys = dict.fromkeys(key for each in settings.values() for key in each)
    differing = [key for key in keys if len({_cell(each.get(key)) for each in settings.values()}) > 1]
    return {name: {key: each.get(key) for key in differing} for name, each in settings.items()}


def _flat(part: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Settings by their keys, as in `--set`."""
    if isinstance(part, Mapping) and part:
        for key, value in part.items():
            yield from _flat(value, f"{prefix}{key}.")
    elif isinstance(part, list) and any(isinstance(each, Mapping) for each in part):
        for number, value in enumerate(part):
            yield from _flat(value, f"{prefix}{number}.")
    else:
        yield prefix.rstrip("."), part


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (list, dict)) else value
