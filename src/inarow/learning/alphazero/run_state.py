"""The state of an AlphaZero run, and its folder with checkpoints.

    config.json               the config
    net.onnx                  the net that plays; at the end the result
    games.csv                 every game of self-play, one per line
    curve.csv                 the points of the curve, one per line
    gate.csv                  the matches of new nets against the current one, if there is a gate
    accepted.safetensors      with gate.restore: the learner as of the current net
    state.json                the last checkpoint: counters, random streams, and the names of its files
    learner-N.safetensors     weights, their average, the optimiser's moments
    replay-N.npz              the examples

A checkpoint takes effect when state.json, which is replaced atomically, names its files; other files belong to an
unfinished checkpoint. Games played after the checkpoint are cut off.
"""

from __future__ import annotations

import io
import json
from dataclasses import astuple, dataclass, fields
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
from inarow.storage.csv_text import write_csv_rows
from inarow.storage.inputs import read_input

if TYPE_CHECKING:
    from inarow.learning.alphazero.network import NetTrainer

_VERSION = 1
_MAX_BYTES = 256 << 20
_USUAL_GAME = 0.6  # share of the board that a game fills, before the first game has ended
HEADINGS = ("seconds", "core s", "nets", "games", "games/s", "examples", "steps", "policy", "value", "raw", "searched")
"""The headings of `CurvePoint.cells`."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of the curve."""

    seconds: float  # of training
    core_seconds: float  # of all processes, in play and in learning
    iteration: int
    games: int
    examples: int
    steps: int
    games_per_second: float  # since the previous point, as are the losses
    policy_loss: float | None
    value_loss: float | None
    raw_accuracy: float | None
    """Share of moves that keep the outcome, on `RunState.graded_on`, by the net without search but with tactics."""
    search_accuracy: float | None  # the same with search

    def cells(self) -> tuple[str, ...]:
        """The figures as text, in the order of HEADINGS."""
        times = f"{self.seconds:.0f}", f"{self.core_seconds:.0f}"
        counts = f"{self.iteration:,}", f"{self.games:,}", f"{self.games_per_second:.1f}", f"{self.examples:,}"
        losses = ("-" if loss is None else f"{loss:.3f}" for loss in (self.policy_loss, self.value_loss))
        rates = ("-" if rate is None else f"{rate:.1%}" for rate in (self.raw_accuracy, self.search_accuracy))
        return *times, *counts, f"{self.steps:,}", *losses, *rates


@dataclass(frozen=True, slots=True)
class GateMatch:
    """A match of a new net against the current one, and its consequence."""

    iteration: int  # whose net was new, from 1
    games: int  # of self-play so far
    steps: int
    core_seconds: float
    wins: int  # of the new net
    draws: int
    losses: int
    is_accepted: bool

    def __str__(self) -> str:
        result = "accepted" if self.is_accepted else "rejected"
        return f"gate {self.iteration}: {self.wins} wins, {self.draws} draws, {self.losses} losses, {result}"


class RunState(msgspec.Struct, kw_only=True):
    """The counters of a run, and all other parts of a checkpoint that are JSON."""

    saves: int = 0
    starts: int = 0
    seconds: float = 0.0
    iterations: int = 0
    games: int = 0
    games_of_iteration: int = 0
    examples: int = 0
    owed: float = 0.0  # samples still to be drawn
    simulations: int = 0
    evaluations: int = 0
    graded_on: str | None = None  # description of the positions of the accuracies in the curve
    play_seconds: float = 0.0  # core-seconds of all processes
    learn_seconds: float = 0.0
    is_closed: bool = False  # whether the budget is spent and the last net is written
    start: dict[str, Any] = {}  # the initial net: its name, the hash of its file, its provenance
    random: dict[str, Any] = {}
    curve: list[CurvePoint] = []
    gate: list[GateMatch] = []

    def spent_share(self, config: AlphaZeroConfig) -> float:
        """The spent share of the budget, from 0 to 1."""
        if config.minutes is not None:
            return min(1.0, self.seconds / (60 * config.minutes))
        assert config.iterations is not None
        part = min(1.0, self.games_of_iteration / config.iteration_games)
        return min(1.0, (self.iterations + part) / config.iterations)

    @property
    def graded_note(self) -> str:
        """An explanation of the accuracies in the curve; empty if there are none."""
        return "" if self.graded_on is None else f"raw and searched: accuracy on {self.graded_on}"

    def seconds_left(self, config: AlphaZeroConfig) -> float | None:
        """Estimated from the speed so far, by simulations until the first game has ended; None at the very
        beginning.
        """
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
            raise ConfigError(f"{path} was written by a later version of inarow; update inarow to resume it")
        state = msgspec.convert(document, RunState)
        if state.random:
            np.random.default_rng().bit_generator.state = state.random  # raises if it is invalid
    return state


# --- The folder ---


class RunFolder:
    """The files of a run."""

    def __init__(self, path: Path) -> None:
        self.path, self.net, self._state = path, path / "net.onnx", path / "state.json"
        self.accepted = path / "accepted.safetensors"
        self.games, self._curve_files = GamesFile(path), CurveFiles(path, CurvePoint, step="games")
        self.claim = RunClaim(path, self._state.name)

    def save(self, state: RunState, trainer: NetTrainer, replay: Replay) -> None:
        """Writes a checkpoint."""
        state.saves += 1
        learner_file, replay_file = self._checkpoint_files(state.saves)
        trainer.save(learner_file)
        save_arrays(replay_file, REPLAY_KIND, {}, replay.state())
        self.games.sync()
        with atomic_write(self._state) as file:  # by json, because msgspec limits integers
            file.write(json.dumps({"version": _VERSION, **msgspec.to_builtins(state)}).encode())
        for old in (*self.path.glob("learner-*.safetensors"), *self.path.glob("replay-*.npz")):
            if old not in (learner_file, replay_file):
                old.unlink(missing_ok=True)
        self._curve_files.write(state.curve)
        if state.gate:
            text = io.StringIO()
            write_csv_rows(text, [[each.name for each in fields(GateMatch)], *map(astuple, state.gate)])
            with atomic_write(self.path / "gate.csv") as file:
                file.write(text.getvalue().encode())

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
