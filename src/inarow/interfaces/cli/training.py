"""What the command `train` asks of each kind of learner."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from inarow.learning.config import Document


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """A run to start, or without `document` to go on with."""

    document: Document | None
    source: str
    """What an error about the document names."""
    folder: Path
    json: bool
    settings: tuple[str, ...] = ()
    """Of a run to go on with: what it is given in addition."""
