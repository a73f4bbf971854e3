"""The folder of an AlphaZero run, and its checkpoints.

    config.json               the config
    net.onnx                  the net that plays; at the end the result
    games.csv                 every game that the network played against itself, a line each
    curve.csv                 a line for each point of the curve
    state.json                the last checkpoint: counters, random streams, and the files that belong to it
    learner-N.safetensors     weights, their average, the optimiser's moments
    replay-N.npz              the examples

A checkpoint counts from the moment that state.json names its files, which is replaced whole; what it
does not name is left from a checkpoint that was never finished. Games that came after it are cut off.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from inarow.array_file import FileKind, load_arrays, save_arrays, whole_file
from inarow.errors import ConfigError, one_line
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.learner import Learner
from inarow.learning.alphazero.replay import Replay
from inarow.learning.alphazero.selfplay import PlayedGame
from inarow.learning.run_folder import CurveFiles, RunClaim, read_config, write_config

_REPLAY_KIND = FileKind("inarow-examples", 1, "the examples of a run", ConfigError, max_bytes=64 << 30)
_STATE_VERSION = 1
_GAMES_HEADER = "board,opening,result,moves\n"


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
    game_bytes: int = 0
    """Length of games.csv."""
    is_closed: bool = False
    """Whether its budget was spent and the last net left."""
    random: dict[str, Any] = {}
    curve: list[CurvePoint] = []


class RunFolder:
    """The files of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.net = path / "net.onnx"
        self._games = path / "games.csv"
        self._state = path / "state.json"
        self._curve = CurveFiles(path, CurvePoint, step="games")
        self.claim = RunClaim(path, self._state.name)

    @contextmanager
    def begun(self, config: AlphaZeroConfig) -> Iterator[None]:
        """For a new run, with the claim held; raises ConfigError if there is one."""
        with self.claim.begun(config):
            self._begin_games()
            yield

    def write_config(self, config: AlphaZeroConfig) -> None:
        write_config(self.path, config)

    def read_config(self) -> AlphaZeroConfig:
        return read_config(self.path, AlphaZeroConfig)

    def add_games(self, games: Iterable[PlayedGame]) -> None:
        """Adds all games or, if that fails, none: a checkpoint keeps whatever the file holds."""
        length = self._games.stat().st_size
        try:
            with self._games.open("a", encoding="utf-8") as file:
                file.writelines(f"{game.board},{game.opening},{game.result},{game.moves}\n" for game in games)
        except BaseException:
            os.truncate(self._games, length)  # a full disk may have taken half a line
            raise

    def save(self, state: RunState, learner: Learner, replay: Replay) -> None:
        """Writes a checkpoint."""
        state.saves += 1
        state.game_bytes = self._games.stat().st_size
        learner.save(self._learner_file(state))
        save_arrays(self._replay_file(state), _REPLAY_KIND, {}, replay.state())
        with whole_file(self._state) as file:
            document = {"version": _STATE_VERSION, **msgspec.to_builtins(state)}
            file.write(json.dumps(document).encode())  # with integers of any size
        for old in (*self.path.glob("learner-*.safetensors"), *self.path.glob("replay-*.npz")):
            if old not in (self._learner_file(state), self._replay_file(state)):
                old.unlink(missing_ok=True)
        self._curve.write(state.curve)

    def restore(self, learner: Learner, replay: Replay) -> RunState:
        """The last checkpoint; before the first, a new state. Raises ConfigError or NetError."""
        if not self._state.exists():
            self._begin_games()
            return RunState()
        try:
            document = json.loads(self._state.read_bytes())
            if document.get("version", 1) > _STATE_VERSION:  # the first files had none
                raise ConfigError(f"{self._state} is of a later version of inarow; update inarow to go on")
            state = msgspec.convert(document, RunState)
            if state.random:
                np.random.default_rng().bit_generator.state = state.random  # says whether it is one
        except ConfigError:
            raise
        except Exception as error:  # a damaged file can raise almost anything
            raise ConfigError(f"{self._state} is not a checkpoint: {one_line(error)}") from None
        learner.load(self._learner_file(state))
        with load_arrays(self._replay_file(state), _REPLAY_KIND) as (_, arrays):
            replay.restore({name: arrays[name] for name in replay.state()})
        self._cut_games(state.game_bytes)
        return state

    def _begin_games(self) -> None:
        self._games.write_text(_GAMES_HEADER, encoding="utf-8")

    def _cut_games(self, length: int) -> None:
        try:
            with self._games.open("r+b") as file:
                if file.seek(0, io.SEEK_END) < length:
                    raise ConfigError(f"{self._games} is shorter than its checkpoint says")
                file.truncate(length)
        except OSError as error:
            raise ConfigError(f"{self._games} cannot be read: {error.strerror}") from None

    def _learner_file(self, state: RunState) -> Path:
        return self.path / f"learner-{state.saves}.safetensors"

    def _replay_file(self, state: RunState) -> Path:
        return self.path / f"replay-{state.saves}.npz"


def random_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a random stream as JSON."""
    return dict(rng.bit_generator.state)
