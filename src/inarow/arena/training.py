"""Training runs, with what learners need from agents and arena: the functions behind `inarow train` and the web lab."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent, parse_agent
from inarow.arena.grading import curve_grader
from inarow.errors import ConfigError, InvalidAgentError, shown
from inarow.learning.config import Document, find_document, to_config
from inarow.learning.learner import (
    Learner,
    NetworkFactory,
    Run,
    Services,
    TrainedAgent,
    Watch,
    check_network,
    find_learner,
    learners,
)
from inarow.learning.run_folder import read_config
from inarow.workers import Cluster


def train(
    preset: str,
    folder: Path,
    *,
    settings: Sequence[str] = (),
    watch: Watch | None = None,
    cluster: Cluster | None = None,
    allow_agent_files: bool = False,
    network: NetworkFactory | None = None,
    device: str = "auto",
) -> TrainedAgent:
    """Trains from a preset or a TOML file, changed by settings `key=value`, in a new folder; raises InarowError.

    A config is data: opponents that run a file of code (`kaggle`) are refused unless `allow_agent_files`. `network`
    makes a module of torch that is trained instead of the learner's own; see docs/howto/train-alphazero.md. `device` is
    auto, cpu, cuda or mps.
    """
    document = find_document(preset, settings)
    run = start_run(
        document,
        folder,
        source=preset,
        cluster=cluster,
        allow_agent_files=allow_agent_files,
        network=network,
        device=device,
    )
    return run.train(watch)


def start_run(
    document: Document,
    folder: Path,
    *,
    source: str = "config",
    cluster: Cluster | None = None,
    allow_agent_files: bool = False,
    network: NetworkFactory | None = None,
    device: str = "auto",
) -> Run:
    """A new run; raises InarowError, in which `source` names the document, before anything is written."""
    learner = find_learner(document, source)
    services = _services(learner, cluster, allow_agent_files, network, device)
    return learner.start(to_config(document, learner.config, source), folder, services)


def resume_run(
    folder: Path,
    settings: Sequence[str] = (),
    *,
    cluster: Cluster | None = None,
    allow_agent_files: bool = False,
    network: NetworkFactory | None = None,
    device: str = "auto",
) -> Run:
    """The run of a folder at its last checkpoint, changed by settings if its learner allows it; raises InarowError."""
    learner = find_learner(read_config(folder, Document), str(folder))
    if settings and not learner.can_extend:
        raise ConfigError(f"a resumed {learner.name} run keeps its config; settings are for new runs")
    return learner.resume(folder, settings, _services(learner, cluster, allow_agent_files, network, device))


def _services(
    learner: Learner[Any],
    cluster: Cluster | None,
    allow_agent_files: bool,
    network: NetworkFactory | None,
    device: str,
) -> Services:
    check_network(learner, network)
    if cluster is not None and not learner.can_use_cluster:
        able = ", ".join(each.name for each in learners().values() if each.can_use_cluster)
        raise ConfigError(f"--ray is for {able}: other learners play in one process")

    def make_opponent(text: str, seed: np.random.SeedSequence) -> Agent:
        if not allow_agent_files and parse_agent(text)[0].runs_code:
            raise InvalidAgentError(
                f"the opponent {shown(text)} runs a file of code; allow it with --allow-agent-files"
            )
        return make_agent(text, seed=seed)

    return Services(
        make_opponent=make_opponent, make_grade=curve_grader, cluster=cluster, network=network, device=device
    )
