"""The learners that can be trained from the page: their configs, presets, and who plays what they learnt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from inarow.errors import ConfigError, shown
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.config import ConfigPart, Document, find_document, presets, to_config
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.tabular.config import QConfig


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
    name = document.get("learner", "q")
    if name not in LEARNERS:
        raise ConfigError(f"there is no learner {shown(str(name))}; learners are {', '.join(LEARNERS)}")
    return LEARNERS[name]


def check_document(document: Document) -> None:
    """Raises ConfigError if nothing can be trained from it."""
    to_config(document, find_learner(document).config, "config")


def agent_of_run(document: Document, folder: Path) -> str | None:
    """The agent string, with its file as it lies in the runs folder; None while there is no checkpoint."""
    learner = find_learner(document)
    return f"{learner.agent}{folder.name}/{learner.product}" if (folder / learner.product).exists() else None


def describe_learners() -> dict[str, Any]:
    """Schemas for forms, and the presets as documents. What does not fit a learner is left out."""
    documents = {name: find_document(name) for name in presets()}
    return {
        "learners": {name: msgspec.json.schema(learner.config) for name, learner in LEARNERS.items()},
        "presets": {name: document for name, document in documents.items() if document.get("learner", "q") in LEARNERS},
    }
