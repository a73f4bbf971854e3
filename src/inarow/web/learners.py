"""The learners that can be trained from the page: their configs, presets, and who plays what they learnt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from inarow.errors import ConfigError, shown
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.config import ConfigPart, Document, find_document, learner_of, presets, to_config
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.episode import OTHER
from inarow.learning.tabular.trainer import compiled_opponent
from inarow.web.agent_access import check_agent, within_runs


@dataclass(frozen=True, slots=True)
class Learner:
    """A kind of learner, as documents name it."""

    config: type[ConfigPart]
    product: str
    """The file in the folder of a run from which the agent plays."""
    agent: str
    """The agent string without that file."""


LEARNERS: dict[str, Learner] = {
    "q": Learner(QConfig, "table.npz", "q:table="),
    "deep-q": Learner(DeepQConfig, "net.onnx", "dqn:net="),
    "alphazero": Learner(AlphaZeroConfig, "net.onnx", "alphazero:net="),
}


def find_learner(document: Document) -> Learner:
    """The learner of a document; raises ConfigError."""
    name = learner_of(document)
    if name not in LEARNERS:
        raise ConfigError(f"there is no learner {shown(name)}; learners are {', '.join(LEARNERS)}")
    return LEARNERS[name]


def check_document(document: Document, runs: Path) -> Document:
    """The same with names of files made whole; raises ConfigError if nothing can be trained from it,
    InvalidAgentError if it names a file outside of the runs folder.
    """
    config = to_config(document, find_learner(document).config, "config")
    if isinstance(config, QConfig):
        phases = zip(document["phases"], config.phases, strict=True)
        checked = [{**given, "opponent": _check_opponent(phase.opponent, runs)} for given, phase in phases]
        return {**document, "phases": checked}
    if isinstance(config, DeepQConfig):
        return {**document, "opponent": check_agent(config.opponent, runs)}
    if isinstance(config, AlphaZeroConfig) and config.start is not None:
        return {**document, "start": within_runs(runs, config.start, "start")}
    return document


def _check_opponent(text: str, runs: Path) -> str:
    """Of a tabular phase; `self`, `frozen` and others that are compiled name no files."""
    return check_agent(text, runs) if compiled_opponent(text)[0] == OTHER else text


def agent_of_run(document: Document, folder: Path) -> str | None:
    """The agent string, with its file as it lies in the runs folder; None while there is no checkpoint."""
    learner = find_learner(document)
    return f"{learner.agent}{folder.name}/{learner.product}" if (folder / learner.product).exists() else None


def describe_learners() -> dict[str, Any]:
    """Schemas for forms, and the presets as documents. What does not fit a learner is left out."""
    documents = {name: find_document(name) for name in presets()}
    return {
        "learners": {name: msgspec.json.schema(learner.config) for name, learner in LEARNERS.items()},
        "presets": {name: document for name, document in documents.items() if learner_of(document) in LEARNERS},
    }
