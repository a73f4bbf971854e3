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

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.learner import Learner
from inarow.learning.alphazero.replay import REPLAY_KIND, Replay
from inarow.learning.alphazero.run_state import CurvePoint, RunState, read_state, write_state
from inarow.learning.games_file import GamesFile
from inarow.learning.run_folder import CurveFiles, RunClaim, read_config, write_config
from inarow.storage.array_file import load_arrays, save_arrays


class RunFolder:
    """The files of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.net = path / "net.onnx"
        self.games = GamesFile(path)
        self._state = path / "state.json"
        self._curve = CurveFiles(path, CurvePoint, step="games")
        self.claim = RunClaim(path, self._state.name)

    @contextmanager
    def begun(self, config: AlphaZeroConfig) -> Iterator[None]:
        """For a new run, with the claim held; raises ConfigError if there is one."""
        with self.claim.begun(config):
            self.games.begin()
            yield

    def write_config(self, config: AlphaZeroConfig) -> None:
        write_config(self.path, config)

    def read_config(self) -> AlphaZeroConfig:
        return read_config(self.path, AlphaZeroConfig)

    def save(self, state: RunState, learner: Learner, replay: Replay) -> None:
        """Writes a checkpoint."""
        state.saves += 1
        learner.save(self._learner_file(state))
        save_arrays(self._replay_file(state), REPLAY_KIND, {}, replay.state())
        self.games.sync()
        write_state(self._state, state)
        for old in (*self.path.glob("learner-*.safetensors"), *self.path.glob("replay-*.npz")):
            if old not in (self._learner_file(state), self._replay_file(state)):
                old.unlink(missing_ok=True)
        self._curve.write(state.curve)

    def restore(self, learner: Learner, replay: Replay) -> RunState:
        """The last checkpoint; before the first, a new state. Raises ConfigError or NetError."""
        if not self._state.exists():
            self.games.begin()
            return RunState()
        state = read_state(self._state)
        learner.load(self._learner_file(state))
        with load_arrays(self._replay_file(state), REPLAY_KIND) as (_, arrays):
            replay.restore({name: arrays[name] for name in replay.state()})
        self.games.cut(state.games)
        return state

    def _learner_file(self, state: RunState) -> Path:
        return self.path / f"learner-{state.saves}.safetensors"

    def _replay_file(self, state: RunState) -> Path:
        return self.path / f"replay-{state.saves}.npz"
