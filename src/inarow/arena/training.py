"""Training runs, with what learners need from agents and arena: the functions behind `inarow train` and the web lab."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.arena.grading import curve_grader
from inarow.errors import ConfigError
from inarow.learning.config import Document, find_document, to_config
from inarow.learning.learner import Learner, Run, Services, TrainedAgent, Watch, find_learner, learners
from inarow.learning.run_folder import read_config
from inarow.workers import Cluster


def train(
    preset: str,
    folder: Path,
    *,
    settings: Sequence[str] = (),
    watch: Watch | None = None,
    cluster: Cluster | None = None,
) -> TrainedAgent:
    """Trains from a preset or a TOML file, changed by settings `key=value`, in a new folder; raises InarowError."""
    return start_run(find_document(preset, settings), folder, source=preset, cluster=cluster).train(watch)


def start_run(document: Document, folder: Path, *, source: str = "config", cluster: Cluster | None = None) -> Run:
    """A new run; raises InarowError, in which `source` names the document, before anything is written."""
    learner = find_learner(document, source)
    _check_cluster(learner, cluster)
    return learner.start(to_config(document, learner.config, source), folder, _services(cluster))


def resume_run(folder: Path, settings: Sequence[str] = (), *, cluster: Cluster | None = None) -> Run:
    """The run of a folder at its last checkpoint, changed by settings if its learner allows it; raises InarowError."""
    learner = find_learner(read_config(folder, Document), str(folder))
    if settings and not learner.can_extend:
        raise ConfigError(f"a resumed {learner.name} run keeps its config; settings are for new runs")
    _check_cluster(learner, cluster)
    return learner.resume(folder, settings, _services(cluster))


def _check_cluster(learner: Learner[Any], cluster: Cluster | None) -> None:
    if cluster is not None and not learner.can_use_cluster:
        able = ", ".join(each.name for each in learners().values() if each.can_use_cluster)
        raise ConfigError(f"--ray is for {able}: other learners play in one process")


def _services(cluster: Cluster | None) -> Services:
    return Services(make_opponent=_make_opponent, make_grade=curve_grader, cluster=cluster)


def _make_opponent(text: str, seed: np.random.SeedSequence) -> Agent:
    return make_agent(text, seed=seed)
