"""Training runs, with services of agents and arena for learners: the functions behind `inarow train` and the
web lab.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.custom import AgentLike, agent_strings
from inarow.agents.kind import format_value
from inarow.agents.registry import make_agent, parse_agent
from inarow.arena.grading import curve_grader
from inarow.arena.training_run import TrainingRun, load_run
from inarow.errors import ConfigError, Interrupted, InvalidAgentError, shown
from inarow.learning.config import ConfigPart, Document, find_document, to_config, with_values
from inarow.learning.learner import (
    Learner,
    NetworkFactory,
    Progress,
    Run,
    Services,
    Watch,
    check_network,
    find_learner,
    learners,
)
from inarow.learning.run_folder import read_config
from inarow.workers import Cluster


def train(
    config: str | Path | Mapping[str, object] | ConfigPart,
    *,
    out: Path | str | None = None,
    cluster: Cluster | None = None,
    allow_agent_files: bool = False,
    network: NetworkFactory | None = None,
    device: str = "auto",
    watch: Watch | None = None,
    progress: bool = True,
    **settings: object,
) -> TrainingRun:
    """Trains by a preset, a TOML file or a config, changed by settings, in a new folder: `out`, or one in `runs`.

    Nested settings are written with two underscores, `rewards__win=50`, or as a dict. An opponent may be any agent, as
    in `play_match`. `network` creates a torch module that is trained instead of the learner's own; `device` is auto,
    cpu, cuda or mps. A config is data: agent strings that execute a file (`kaggle`) are rejected unless
    `allow_agent_files`. Raises InarowError, and Interrupted with the run so far on Ctrl-C; `resume_training` resumes
    it.
    """
    source = config if isinstance(config, str) else str(config) if isinstance(config, Path) else "config"
    with _as_data(settings) as values:
        document = with_values(_document(config), values)
        folder = _new_folder(source) if out is None else Path(out)
        run = start_run(
            document,
            folder,
            source=source,
            cluster=cluster,
            allow_agent_files=allow_agent_files,
            network=network,
            device=device,
        )
        return _train(run, watch, progress)


def resume_training(
    folder: Path | str,
    *,
    cluster: Cluster | None = None,
    allow_agent_files: bool = False,
    network: NetworkFactory | None = None,
    device: str = "auto",
    watch: Watch | None = None,
    progress: bool = True,
    **settings: object,
) -> TrainingRun:
    """Resumes the run of a folder from its last checkpoint; settings as in `train`, if its learner allows them:
    `iterations="+20"` extends a run of AlphaZero. Raises the errors of `train`.
    """
    texts = [f"{name.replace('__', '.')}={format_value(value)}" for name, value in settings.items()]
    run = resume_run(
        Path(folder), texts, cluster=cluster, allow_agent_files=allow_agent_files, network=network, device=device
    )
    return _train(run, watch, progress)


def _train(run: Run, watch: Watch | None, progress: bool) -> TrainingRun:
    from inarow.terminal import progress_bar, text_table

    with progress_bar(run.title, lambda: text_table(run.table()), is_shown=progress) as advance:

        def report(known: Progress) -> None:
            advance(known.done, known.total)
            if watch is not None:
                watch(known)

        try:
            trained = run.train(report)
        except KeyboardInterrupt:
            raise Interrupted(
                f"stopped; {run.folder} has a checkpoint from which it can be resumed", load_run(run.folder)
            ) from None
    return replace(load_run(run.folder), agent_string=trained.agent)


def _document(config: str | Path | Mapping[str, object] | ConfigPart) -> Document:
    """A copy of the config as data."""
    if isinstance(config, (str, Path)):
        return find_document(str(config))
    if not isinstance(config, (Mapping, ConfigPart)):
        raise ConfigError(f"{shown(repr(config))} is not a preset, a TOML file or a config")
    document: Document = deepcopy(msgspec.to_builtins(config))
    return document


@contextmanager
def _as_data(settings: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Settings with agents replaced by agent strings, which are registered within the block."""
    plain = (str, int, float, Mapping, list, tuple, type(None))
    agents = {name: value for name, value in settings.items() if not isinstance(value, plain)}
    with agent_strings(*cast(Iterable[AgentLike], agents.values())) as strings:
        yield {**settings, **dict(zip(agents, strings, strict=True))}


def _new_folder(source: str) -> Path:
    """A folder in `runs` that does not exist."""
    name = Path(source).stem
    folders = (Path("runs") / (name if number == 1 else f"{name}-{number}") for number in count(1))
    return next(folder for folder in folders if not folder.exists())


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
    """A new run; raises InarowError, which names `source`, before anything is written."""
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
            raise InvalidAgentError(f"the opponent {shown(text)} executes a file; allow that with --allow-agent-files")
        return make_agent(text, seed=seed)

    return Services(
        make_opponent=make_opponent, make_grade=curve_grader, cluster=cluster, network=network, device=device
    )
