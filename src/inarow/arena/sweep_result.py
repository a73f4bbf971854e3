"""The results of a sweep."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarow.agents.agent import Agent
from inarow.agents.registry import Seed
from inarow.arena.sweep_config import Direction, setting_text
from inarow.arena.sweep_trial import State
from inarow.arena.training_run import TrainingRun, load_run
from inarow.errors import ConfigError
from inarow.results import Result, drawn_by_report

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One training run of a sweep."""

    number: int
    """Counted from 0."""
    state: State
    value: float | None
    """The value of the objective; None unless the trial is complete."""
    parameters: dict[str, Any]
    """The values chosen by the sweep."""
    settings: dict[str, Any]
    """All changes of the base config: fixed settings, parameters and seed."""
    folder: Path
    seconds: float
    error: str | None = None
    """The reason of a failure, in one line."""

    def run(self) -> TrainingRun:
        """The run of the trial; raises ConfigError if it failed before it began."""
        return load_run(self.folder)

    def agent(self, *, seed: Seed = 0, **parameters: object) -> Agent:
        """The trained agent; raises InarowError."""
        return self.run().agent(seed=seed, **parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep(Result):
    """The finished trials of a sweep."""

    folder: Path
    base: str | None
    """Preset or TOML file of the runs; None if the sweep contains their config."""
    objective: str
    direction: Direction
    trials: tuple[Trial, ...]
    """By number."""
    importances: dict[str, float]
    """Share of each parameter in the variance of good values, the largest first; empty if there are too few trials."""

    @property
    def ranking(self) -> list[Trial]:
        """Complete trials, the best first."""
        sign = -1 if self.direction == "maximize" else 1
        return sorted(
            (trial for trial in self.trials if trial.state == "complete"), key=lambda each: sign * (each.value or 0.0)
        )

    @property
    def best(self) -> Trial:
        """The best complete trial, the earliest of equal ones; raises ConfigError if there is none."""
        if ranking := self.ranking:
            return ranking[0]
        errors = [trial.error for trial in self.trials if trial.error is not None]
        reason = f"; the first failure: {errors[0]}" if errors else ""
        raise ConfigError(f"no trial of the sweep in {self.folder} is complete{reason}")

    @property
    def command(self) -> str | None:
        """The command that trains with the best settings; None if the base config has no name. Raises ConfigError if no
        trial is complete.
        """
        if self.base is None:
            return None
        settings = [f"--set={setting_text(key, value)}" for key, value in self.best.settings.items() if key != "seed"]
        options = [word for setting in settings for word in setting.split("=", 1)]
        return shlex.join(["inarow", "train", self.base, *options, "--seed", str(self.best.settings["seed"])])

    def rows(self) -> Sequence[dict[str, object]]:
        """A row for each trial."""
        return [
            {
                "number": trial.number,
                "state": trial.state,
                "value": trial.value,
                **trial.parameters,
                "seconds": trial.seconds,
                "folder": str(trial.folder),
                "error": trial.error,
            }
            for trial in self.trials
        ]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `inarow sweep`."""
        best = self.ranking[0] if self.ranking else None
        return {
            "folder": str(self.folder),
            "objective": self.objective,
            "direction": self.direction,
            "best": None if best is None else {**_trial_json(best), "command": self.command},
            "importances": self.importances,
            "trials": [_trial_json(trial) for trial in self.trials],
        }

    def plot(self, path: Path | str | None = None) -> Figure:
        """The best value so far by trial and the value against each parameter, also written to `path` if given: an .svg
        or .png file, else raises PictureError. Raises MissingExtraError without matplotlib.
        """
        figure: Figure = drawn_by_report("run_plots", "plot_sweep", self, path)
        return figure


def _trial_json(trial: Trial) -> dict[str, Any]:
    return {
        "number": trial.number,
        "state": trial.state,
        "value": trial.value,
        "parameters": trial.parameters,
        "settings": trial.settings,
        "seconds": trial.seconds,
        "folder": str(trial.folder),
        "error": trial.error,
    }
