"""What the command `train` asks of each kind of learner, and what they share."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.cli.output import stderr
from inarow.learning.config import Document

_BARS = "▁▂▃▄▅▆▇█"
_CURVE_WIDTH = 60


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
    ray: str | None = None
    """The address of a cluster to play on."""


def make_opponent(text: str, seed: np.random.SeedSequence) -> Agent:
    """Somebody to play against, for trainers."""
    return make_agent(text, seed=seed)


@contextmanager
def hint_to_resume(folder: Path) -> Iterator[None]:
    """Says after Ctrl-C how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        command = shlex.join(["inarow", "train", "--resume", str(folder)])
        stderr.print(f"stopped; go on with: {command}", style="yellow", markup=False, highlight=False, soft_wrap=True)
        raise


def print_next_steps(agent: str, board: str, folder: Path, *, side: str = "second", can_be_exported: bool) -> None:
    """The commands with which somebody plays against what was learnt, measures it, and takes it to Kaggle."""
    commands = {
        "play it": ["play", "--board", board, f"--{side}", agent],
        "measure it": ["match", agent, "winblock", "--board", board],
    }
    if can_be_exported:
        commands["export it"] = ["export", "kaggle", agent, "--board", board, "--out", str(folder / "kaggle.py")]
    for purpose, words in commands.items():
        print(f"{purpose}: {shlex.join(['inarow', *words])}")  # as it is: a folder may have brackets in its name


def sparkline(values: Sequence[float]) -> str:
    """The course of values in one line of at most `_CURVE_WIDTH` characters."""
    step = -(-len(values) // _CURVE_WIDTH)
    means = [sum(values[at : at + step]) / len(values[at : at + step]) for at in range(0, len(values), step)]
    low, high = min(means), max(means)
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BARS[round((mean - low) * scale)] for mean in means)
