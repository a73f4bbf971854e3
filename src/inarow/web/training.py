"""What the training page needs: learners with their configs and presets, checked documents, and the curve of a run."""

import csv
import io
import math
from pathlib import Path
from typing import Any

import msgspec

from inarow.errors import ConfigError
from inarow.learning.config import Document, find_document, learner_of, presets, to_config
from inarow.learning.learner import find_learner, learners
from inarow.storage.csv_text import to_number
from inarow.storage.inputs import read_input
from inarow.web.agent_access import check_agent, within_runs

_MAX_BYTES = 32 << 20
_MAX_POINTS = 1000


def check_document(document: Document, runs: Path) -> Document:
    """The document with absolute file names; raises ConfigError if it cannot be trained, InvalidAgentError if it names
    a file outside the runs folder.
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
    """`{"columns": [...], "rows": [[...]]}` of numbers, null where there is none; long curves are thinned out."""
    path = folder / "curve.csv"
    try:
        text = read_input(path, _MAX_BYTES, ConfigError).decode()
        header, *rows = list(csv.reader(io.StringIO(text, newline=""))) or [[]]
    except (ValueError, csv.Error):  # no curve yet; ConfigError is a ValueError
        return {"columns": [], "rows": []}
    step = -(-len(rows) // _MAX_POINTS) or 1
    kept = rows[::-1][::step][::-1]  # the last one is always among them
    return {"columns": header, "rows": [[_number(text) for text in row] for row in kept]}


def _number(text: str) -> float | None:
    number = to_number(text)
    return number if number is not None and math.isfinite(number) else None
