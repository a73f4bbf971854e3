"""A training run in its folder: config, learning curve and trained agent."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inarow.agents.agent import Agent
from inarow.agents.kind import format_value
from inarow.agents.registry import Seed, make_agent
from inarow.errors import ConfigError
from inarow.learning.config import Document
from inarow.learning.learner import find_learner
from inarow.learning.run_folder import read_config
from inarow.results import PlottedResult
from inarow.storage.csv_text import to_number
from inarow.storage.inputs import read_input

_MAX_CURVE_BYTES = 32 << 20


@dataclass(frozen=True, slots=True, repr=False)
class Curve(PlottedResult):
    """A learning curve: points in the order of training."""

    name: str
    points: tuple[Mapping[str, float | None], ...]
    """Numbers by column; None if a point has no value."""

    def __repr__(self) -> str:
        return f"<Curve {self.name}: {len(self)} points of {', '.join(self.columns)}>"

    def __len__(self) -> int:
        return len(self.points)

    def rows(self) -> Sequence[Mapping[str, float | None]]:
        return self.points

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.points[0]) if self.points else ()


@dataclass(frozen=True, slots=True, repr=False)
class TrainingRun(PlottedResult):
    """A run in its folder; returned by `load_run` and `train`."""

    folder: Path
    config: Document
    curve: Curve
    agent_string: str | None
    """None before the first checkpoint."""

    def __repr__(self) -> str:
        return f"<TrainingRun {self.folder}: {self.learner} on {self.board}, {len(self.curve)} points>"

    @property
    def learner(self) -> str:
        return str(self.config["learner"])

    @property
    def board(self) -> str:
        """The board string; `many` for a run on several boards."""
        return str(self.config.get("board") or "many")

    def agent(self, *, seed: Seed = 0, **parameters: object) -> Agent:
        """The trained agent, with additional parameters for its agent string; raises InarowError."""
        if self.agent_string is None:
            raise ConfigError(f"{self.folder} has no trained agent yet; continue the training with resume()")
        more = "".join(f",{name}={format_value(value)}" for name, value in parameters.items())
        return make_agent(self.agent_string + more, seed=seed)

    def rows(self) -> Sequence[Mapping[str, float | None]]:
        """The rows of the curve."""
        return self.curve.rows()


def load_run(folder: Path | str) -> TrainingRun:
    """The run in a folder at its last checkpoint; raises ConfigError."""
    path = Path(folder)
    config = read_config(path, Document)
    learner = find_learner(config, str(path))
    product = path / learner.product
    agent = learner.agent(product) if product.exists() else None
    return TrainingRun(path, config, read_curve(path), agent)


def read_curve(folder: Path) -> Curve:
    """The curve of a run so far; empty before the first point."""
    try:
        text = read_input(folder / "curve.csv", _MAX_CURVE_BYTES, ConfigError).decode()
        header, *rows = list(csv.reader(io.StringIO(text, newline=""))) or [[]]
    except (ValueError, csv.Error):  # ConfigError is a ValueError
        header, rows = [], []
    points = (dict(zip(header, map(_number, row), strict=True)) for row in rows if len(row) == len(header))
    return Curve(folder.name, tuple(points))


def _number(text: str) -> float | None:
    return int(text) if text.isdecimal() else to_number(text)
