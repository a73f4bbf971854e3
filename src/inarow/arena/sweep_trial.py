"""A trial of a sweep, in a worker process: training, which may be stopped early, and the value of the objective."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from statistics import median
from typing import Literal

import msgspec
import numpy as np

from inarow.agents.kind import format_value
from inarow.arena.grading import grade
from inarow.arena.match import play_match
from inarow.arena.suite import find_suite
from inarow.arena.sweep_config import CurveObjective, GradeObjective, Objective, Pruning
from inarow.arena.training import resume_run, start_run
from inarow.errors import ConfigError, InarowError, one_line
from inarow.games import GameSpec
from inarow.learning.config import Document, to_config
from inarow.learning.learner import Progress, Run, TrainedAgent, find_learner
from inarow.learning.run_folder import read_config

State = Literal["complete", "pruned", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TrialTask:
    """The task of a worker: one trial."""

    number: int
    document: Document
    folder: Path
    objective: Objective
    pruning: Pruning
    medians: tuple[float | None, ...]
    """Medians of the finished trials, by the number of the point of the curve; None if there are too few."""
    seed: int
    """The seed of the evaluation; the same for all trials."""
    allow_agent_files: bool = False

    def __repr__(self) -> str:
        return f"trial {self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOutcome:
    """The result of a trial."""

    state: State
    value: float | None
    """The value of the objective; None unless the trial is complete."""
    seconds: float
    points: dict[int, float] = field(default_factory=dict)
    """Values by which trials are pruned, by the number of the point of the curve."""
    error: str | None = None


class _Pruned(Exception):
    """Raised to the run to stop it, which saves its progress."""


def run_trial(task: TrialTask) -> TrialOutcome:
    """Trains in the folder of the trial, from its last checkpoint if it was interrupted, and evaluates the agent.
    Raises OSError, for example if the disk is full, since the next trial would fail as well; all other errors are
    recorded as a failure of this trial.
    """
    started, points = time.monotonic(), dict[int, float]()
    value: float | None = None
    state: State
    error = None
    try:
        run = _open_run(task)
        value, state = _train_and_evaluate(run, task, points), "complete"
    except _Pruned:
        state = "pruned"
    except Exception as failure:
        if isinstance(failure, OSError) and not isinstance(failure, InarowError):
            raise
        state, error = "failed", one_line(failure)
    return TrialOutcome(state=state, value=value, seconds=time.monotonic() - started, points=points, error=error)


def medians(finished: Sequence[dict[int, float]], pruning: Pruning) -> tuple[float | None, ...]:
    """The medians of the points of finished trials, for the next trial."""
    if len(finished) < pruning.trials:
        return ()
    columns = [[each[step] for each in finished if step in each] for step in range(_length(finished))]
    return tuple(median(values) if values else None for values in columns)


def _length(finished: Sequence[dict[int, float]]) -> int:
    return max((step + 1 for points in finished for step in points), default=0)


def _open_run(task: TrialTask) -> Run:
    """The interrupted run of this trial, or a new one. A run with another config is from an earlier attempt with other
    suggestions; it is removed.
    """
    folder = task.folder
    learner = find_learner(task.document)
    wanted = msgspec.json.decode(msgspec.json.encode(to_config(task.document, learner.config, str(folder))))
    if folder.exists():
        try:
            is_same = read_config(folder, Document) == wanted
        except ConfigError:
            is_same = False
        if is_same:
            return resume_run(folder, allow_agent_files=task.allow_agent_files)
        shutil.rmtree(folder)
    return start_run(task.document, folder, source=str(folder), allow_agent_files=task.allow_agent_files)


def _train_and_evaluate(run: Run, task: TrialTask, points: dict[int, float]) -> float:
    """The value of the objective; fills `points`. Raises _Pruned."""
    seen = 0

    def look(progress: Progress | None = None) -> None:
        """Processes each new point of the curve once, however often it is called: results must not depend on time."""
        nonlocal seen
        while seen < len(run.curve):
            number, point = seen, run.curve[seen]
            seen += 1
            column, direction = task.pruning.rule(task.objective, tuple(each.name for each in fields(point)))
            value = None if column is None else getattr(point, column, None)
            if value is not None and math.isfinite(value):
                points[number] = float(value)
                if _is_behind(points, number, task, is_gain=direction == "maximize"):
                    raise _Pruned

    trained = run.train(look)
    look()  # a run that was finished before its evaluation was interrupted does not report its points
    value = _value(run, trained, task)
    if not math.isfinite(value):
        raise ConfigError(f"the objective is {value}")
    return value


def _is_behind(points: dict[int, float], number: int, task: TrialTask, *, is_gain: bool) -> bool:
    """Whether the best point so far is worse than the median, like Optuna's MedianPruner."""
    level = task.medians[number] if number < len(task.medians) else None
    if level is None or number < task.pruning.points:
        return False
    return max(points.values()) < level if is_gain else min(points.values()) > level


def _value(run: Run, trained: TrainedAgent, task: TrialTask) -> float:
    """The value of the objective; raises InarowError if there is none."""
    objective = task.objective
    if isinstance(objective, CurveObjective):
        found = [getattr(point, objective.column, None) for point in run.curve]
        values = [float(value) for value in found if value is not None]
        if not values:
            raise ConfigError(f"the curve has no values in the column {objective.column}")
        last = values[-objective.last :]
        return sum(last) / len(last)
    keys = [f"{name}={format_value(value)}" for name, value in objective.agent.items()]
    agent, board = ",".join((trained.agent, *keys)), objective.board or trained.board
    if isinstance(objective, GradeObjective):
        return _grade(agent, board, objective)
    return play_match(
        agent, objective.opponent, board, games=objective.games, seed=task.seed, progress=False
    ).summary.score


def _grade(agent: str, board: str, objective: GradeObjective) -> float:
    """A figure of the grade, on the same sample of positions for all trials."""
    suite = find_suite(objective.suite, GameSpec.parse(board))
    places = suite.critical_places() if objective.figure == "critical_accuracy" else np.arange(len(suite))
    sample = np.sort(np.random.default_rng(0).permutation(places)[: objective.positions])
    if not len(sample):
        raise ConfigError(f"the suite has no positions for {objective.figure}")
    made = grade(agent, board, suite=suite.part(sample), progress=False)
    value = getattr(made, objective.figure)
    assert value is not None
    return float(value)
