"""Data of the training page: learners with their configs and presets, checked documents, and the curve of a run."""

import math
from pathlib import Path
from typing import Any

import msgspec

from inarow.arena.training_run import read_curve as curve_of_folder
from inarow.errors import ConfigError
from inarow.learning.config import Document, find_document, learner_of, presets, to_config
from inarow.learning.learner import find_learner, learners
from inarow.web.agent_access import check_agent, within_runs

_MAX_POINTS = 1000


def check_document(document: Document, runs: Path) -> Document:
    """The document with absolute file names; raises ConfigError if it is invalid, InvalidAgentError if it names a file
    outside the runs folder.
    """
    learner = find_learner(document)
    config = to_config(document, learner.config, "config")
    return learner.checked(
        document, config, lambda agent: check_agent(agent, runs), lambda file, key: within_runs(runs, file, key)
    )


def agent_of_run(document: Document, folder: Path) -> str | None:
    """The agent string, with its file relative to the runs folder; None before the first checkpoint."""
    try:
        learner = find_learner(document)
    except ConfigError:  # a job of a lab with other learners
        return None
    return learner.agent(f"{folder.name}/{learner.product}") if (folder / learner.product).exists() else None


def describe_learners() -> dict[str, Any]:
    """Schemas for forms, and the presets as documents. Presets of unknown learners are left out."""
    known, documents = learners(), {name: find_document(name) for name in presets()}
    return {
        "learners": {name: msgspec.json.schema(learner.config) for name, learner in known.items()},
        "presets": {name: document for name, document in documents.items() if learner_of(document) in known},
    }


def read_curve(folder: Path) -> dict[str, Any]:
    """`{"columns": [...], "rows": [[...]]}` of numbers, null for missing values; long curves are thinned out."""
    points = curve_of_folder(folder).points
    step = -(-len(points) // _MAX_POINTS) or 1
    kept = points[::-1][::step][::-1]  # the last one is always among them
    rows = [[x if x is None or math.isfinite(x) else None for x in point.values()] for point in kept]
    return {"columns": list(points[0]) if points else [], "rows": rows}
