"""The list of training runs below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from inarow.arena.training_run import TrainingRun, load_run
from inarow.errors import ConfigError, InarowError, one_line
from inarow.learning.config import to_config
from inarow.learning.learner import find_learner
from inarow.results import Result

_MARK = "config.json"  # in the folder of every run
_MAX_FOLDERS = 100_000
_MAIN_FIGURES = ("search_accuracy", "raw_accuracy", "reward", "wins", "losses")
"""Main columns of a curve, if it has them; at most three are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """The summary of a run; fields are None if unknown."""

    folder: Path
    name: str
    """The folder of the run, relative to the listed one."""
    learner: str | None = None
    board: str | None = None
    done: float | None = None
    total: float | None = None
    unit: str | None = None
    """The unit of done and total."""
    seconds: float | None = None
    figures: Mapping[str, float]
    """Main columns of the last point of the curve."""
    changed: datetime
    """Time of the last save."""
    error: str | None = None
    """The reason if it cannot be read, in one line."""

    @property
    def is_finished(self) -> bool:
        return self.done is not None and self.total is not None and self.done >= self.total


@dataclass(frozen=True, slots=True)
class RunList(Result):
    """Training runs, by name."""

    folder: Path
    runs: tuple[RunSummary, ...]

    def rows(self) -> Sequence[dict[str, object]]:
        """A row for each run."""
        return [
            {
                "run": run.name,
                "learner": run.learner,
                "board": run.board,
                "finished": run.is_finished,
                "done": run.done,
                "total": run.total,
                "unit": run.unit,
                "seconds": run.seconds,
                **{name: run.figures.get(name) for name in _MAIN_FIGURES},
                "changed": run.changed.isoformat(timespec="seconds"),
                "error": run.error,
            }
            for run in self.runs
        ]


def list_runs(folder: Path | str = "runs") -> RunList:
    """All training runs in a folder and below it. Loads only configs and curves; raises ConfigError."""
    root = Path(folder)
    if not root.is_dir():
        raise ConfigError(f"there is no folder {root}")
    return RunList(root, tuple(_summary(path, root) for path in sorted(_run_folders(root))))


def training_seconds(run: TrainingRun) -> float | None:
    """The training time by the curve, or else the time from the start to the last checkpoint, including pauses."""
    last = run.curve.points[-1] if len(run.curve) else {}
    if (seconds := last.get("seconds")) is not None:
        return seconds
    with suppress(OSError):
        return max(0.0, (run.folder / "curve.csv").stat().st_mtime - (run.folder / _MARK).stat().st_mtime)
    return None


def _run_folders(root: Path) -> Iterator[Path]:
    """The folders of runs. Does not search inside runs or follow links."""
    for number, (path, folders, files) in enumerate(os.walk(root)):
        if number == _MAX_FOLDERS:
            raise ConfigError(f"{root} has more than {_MAX_FOLDERS:,} folders; give a folder with fewer")
        if _MARK in files:
            folders.clear()
            yield Path(path)


def _summary(folder: Path, root: Path) -> RunSummary:
    name = str(folder.relative_to(root)) if folder != root else folder.name
    times = [folder.stat().st_mtime]
    for file in ("curve.csv", _MARK):
        with suppress(OSError):
            times.append((folder / file).stat().st_mtime)
    changed = datetime.fromtimestamp(max(times[1:] or times), UTC)
    try:
        run = load_run(folder)
        done, total, unit = _progress(run)
    except InarowError as error:
        return RunSummary(folder=folder, name=name, figures={}, changed=changed, error=one_line(error))
    last = run.curve.points[-1] if len(run.curve) else {}
    figures = {each: value for each in _MAIN_FIGURES if (value := last.get(each)) is not None}
    return RunSummary(
        folder=folder,
        name=name,
        learner=run.learner,
        board=run.board,
        done=done,
        total=total,
        unit=unit,
        seconds=training_seconds(run),
        figures=dict(list(figures.items())[:3]),
        changed=changed,
    )


def _progress(run: TrainingRun) -> tuple[float | None, float | None, str | None]:
    """(Done, total, unit) by config and curve; raises ConfigError."""
    config = to_config(run.config, find_learner(run.config).config, str(run.folder))
    last = run.curve.points[-1] if len(run.curve) else {}
    budgets = (("episodes", "episode", 1), ("iterations", "iteration", 1), ("minutes", "seconds", 60))
    for unit, column, size in budgets:
        if (total := getattr(config, unit, None)) is not None:
            return (last.get(column) or 0) / size, total, unit
    return None, None, None
