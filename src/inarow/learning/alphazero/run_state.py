"""Where an AlphaZero run is: counters, random streams and the curve, as JSON in `state.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from inarow.errors import ConfigError, one_line
from inarow.storage.atomic import atomic_write

_VERSION = 1


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Where a run was."""

    seconds: float
    """Of training."""
    core_seconds: float
    """Of all processes, in play and in learning."""
    iteration: int
    games: int
    examples: int
    steps: int
    games_per_second: float
    """Since the point before, as the losses."""
    policy_loss: float | None
    value_loss: float | None
    raw_accuracy: float | None
    """On graded positions, outcome kept by the net without search, with one look at tactics."""
    search_accuracy: float | None
    """The same with search."""


class RunState(msgspec.Struct, kw_only=True):
    """The counters of a run, and the rest of a checkpoint that fits into JSON."""

    saves: int = 0
    starts: int = 0
    seconds: float = 0.0
    iterations: int = 0
    games: int = 0
    games_of_iteration: int = 0
    examples: int = 0
    owed: float = 0.0
    """Samples that are still to be learnt from."""
    simulations: int = 0
    evaluations: int = 0
    play_seconds: float = 0.0
    """Core-seconds of all processes."""
    learn_seconds: float = 0.0
    is_closed: bool = False
    """Whether its budget was spent and the last net left."""
    start: dict[str, Any] = {}
    """The net that it began with: its name, the hash of its file, and how it came about."""
    random: dict[str, Any] = {}
    curve: list[CurvePoint] = []


def write_state(path: Path, state: RunState) -> None:
    """Writes a file, whole or not at all."""
    document = {"version": _VERSION, **msgspec.to_builtins(state)}
    with atomic_write(path) as file:
        file.write(json.dumps(document).encode())  # with integers of any size


def read_state(path: Path) -> RunState:
    """The state in a file; raises ConfigError."""
    try:
        document = json.loads(path.read_bytes())
        if document.get("version", 1) > _VERSION:  # the first files had none
            raise ConfigError(f"{path} is of a later version of inarow; update inarow to go on")
        state = msgspec.convert(document, RunState)
        if state.random:
            np.random.default_rng().bit_generator.state = state.random  # says whether it is one
    except ConfigError:
        raise
    except Exception as error:  # a damaged file can raise almost anything
        raise ConfigError(f"{path} is not a checkpoint: {one_line(error)}") from None
    return state


def random_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a random stream as JSON."""
    return dict(rng.bit_generator.state)
