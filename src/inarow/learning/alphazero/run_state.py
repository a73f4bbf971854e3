"""The state of an AlphaZero run, and its folder with checkpoints.

    config.json               the config
    net.onnx                  the net that plays; at the end the result
    games.csv                 every game that the network played against itself, a line each
    curve.csv                 a line for each point of the curve
    state.json                the last checkpoint: counters, random streams, and the files that belong to it
    learner-N.safetensors     weights, their average, the optimiser's moments
    replay-N.npz              the examples

A checkpoint counts from the moment that state.json, which is replaced atomically, names its files; other files are left
from a checkpoint that was never finished. Games that came after it are cut off.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from inarow.errors import ConfigError, raised_as
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.replay import REPLAY_KIND, Replay
from inarow.learning.run_folder import CurveFiles, GamesFile, RunClaim
from inarow.storage.array_file import load_arrays, save_arrays
from inarow.storage.atomic import atomic_write
from inarow.storage.inputs import read_input

if TYPE_CHECKING:
    from inarow.learning.alphazero.network import NetTrainer

_VERSION = 1
_MAX_BYTES = 256 << 20
_USUAL_GAME = 0.6  # how much of the board a game fills, before there is a game to look at
HEADINGS = ("seconds", "core s", "nets", "games", "games/s", "examples", "steps", "policy", "value", "raw", "searched")
"""Of `CurvePoint.cells`."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of the curve."""

    seconds: float  # of training
    core_seconds: float  # of all processes, in play and in learning
    iteration: int
    games: int
    examples: int
    steps: int
    games_per_second: float  # since the point before, as the losses
    policy_loss: float | None
    value_loss: float | None
    raw_accuracy: float | None
    """On `RunState.graded_on`: share of moves that keep the outcome, by the net without search but with tactics."""
    search_accuracy: float | None  # the same with search

    def cells(self) -> tuple[str, ...]:
        """As text."""
        times = f"{self.seconds:.0f}", f"{self.core_seconds:.0f}"
        counts = f"{self.iteration:,}", f"{self.games:,}", f"{self.games_per_second:.1f}", f"{self.examples:,}"
        losses = ("-" if loss is None else f"{loss:.3f}" for loss in (self.policy_loss, self.value_loss))
        rates = ("-" if rate is None else f"{rate:.1%}" for rate in (self.raw_accuracy, self.search_accuracy))
        return *times, *counts, f"{self.steps:,}", *losses, *rates


class RunState(msgspec.Struct, kw_only=True):
    """The counters of a run, and the rest of a checkpoint that fits into JSON."""

    saves: int = 0
    starts: int = 0
    seconds: float = 0.0
    iterations: int = 0
    games: int = 0
    games_of_iteration: int = 0
    examples: int = 0
    owed: float = 0.0  # samples that remain to be learnt from
    simulations: int = 0
    evaluations: int = 0
    graded_on: str | None = None  # the positions of accuracies in the curve, for people
    play_seconds: float = 0.0  # core-seconds of all processes
    learn_seconds: float = 0.0
    is_closed: bool = False  # whether its budget was spent and the last net written
    start: dict[str, Any] = {}  # the net that it began with: its name, the hash of its file, its provenance
    random: dict[str, Any] = {}
    curve: list[CurvePoint] = []

    def spent_share(self, config: AlphaZeroConfig) -> float:
        """How much of the budget is spent, from 0 to 1."""
        if config.minutes is not None:
            return min(1.0, self.seconds / (60 * config.minutes))
        assert config.iterations is not None
        part = min(1.0, self.games_of_iteration / config.iteration_games)
        return min(1.0, (self.iterations + part) / config.iterations)

    @property
    def graded_note(self) -> str:
        """What the accuracies in the curve are about; empty without any."""
        return "" if self.graded_on is None else f"raw and searched: accuracy on {self.graded_on}"

    def seconds_left(self, config: AlphaZeroConfig) -> float | None:
        """At the present pace, by simulations while no game has ended; None at the very beginning."""
        done = self.spent_share(config)
        if not done and config.iterations:
            cells = sum(spec.cells for spec in config.specs) / len(config.specs)
            moves = config.iterations * config.iteration_games * cells * _USUAL_GAME
            done = min(1.0, self.simulations / (moves * config.selfplay.simulations))
        return self.seconds * (1 - done) / done if done > 0 else None


def read_state(path: Path) -> RunState:
    """The state in a file; raises ConfigError."""
    with raised_as(ConfigError, f"{path} is not a checkpoint"):
        document = json.loads(read_input(path, _MAX_BYTES, ConfigError))
        if document.get("version", 1) > _VERSION:  # the first files had none
            raise ConfigError(f"{path} is of a later version of inarow; update inarow to resume it")
        state = msgspec.convert(document, RunState)
        if state.random:
            np.random.default_rng().bit_generator.state = state.random  # says whether it is one
    return state


# --- The folder ---


class RunFolder:
    """The files of a run."""

    def __init__(self, path: Path) -> None:
        self.path, self.net, self._state = path, path / "net.onnx", path / "state.json"
        self.games, self._curve_files = GamesFile(path), CurveFiles(path, CurvePoint, step="games")
        self.claim = RunClaim(path, self._state.name)

    def save(self, state: RunState, trainer: NetTrainer, replay: Replay) -> None:
        """Writes a checkpoint."""
        state.saves += 1
        learner_file, replay_file = self._checkpoint_files(state.saves)
        trainer.save(learner_file)
        save_arrays(replay_file, REPLAY_KIND, {}, replay.state())
        self.games.sync()
        with atomic_write(self._state) as file:  # json: integers of any size
            file.write(json.dumps({"version": _VERSION, **msgspec.to_builtins(state)}).encode())
        for old in (*self.path.glob("learner-*.safetensors"), *self.path.glob("replay-*.npz")):
            if old not in (learner_file, replay_file):
                old.unlink(missing_ok=True)
        self._curve_files.write(state.curve)

    def restore(self, trainer: NetTrainer, replay: Replay) -> RunState:
        """The last checkpoint; before the first, a new state. Raises ConfigError or NetError."""
        if not self._state.exists():
            self.games.begin()
            return RunState()
        state = read_state(self._state)
        learner_file, replay_file = self._checkpoint_files(state.saves)
        trainer.load(learner_file)
        with load_arrays(replay_file, REPLAY_KIND) as (_, arrays):
            replay.restore({name: arrays[name] for name in replay.state()})
        self.games.cut(state.games)
        return state

    def _checkpoint_files(self, number: int) -> tuple[Path, Path]:
        return self.path / f"learner-{number}.safetensors", self.path / f"replay-{number}.npz"
