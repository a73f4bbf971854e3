"""A run of deep Q-learning in a folder: its config, its net, its curve, and a checkpoint from which it goes on.

    config.json             the config
    net.onnx                the net, to be played; of the last checkpoint, at the end the result
    curve.csv               a line for each batch
    games.csv               every game, a line each
    checkpoint.safetensors  weights, state of the optimiser, flags, counters

A file is replaced whole. Killed at any moment, `resume` goes on from the last checkpoint and ends with
the same net, bit for bit, as a run that nobody disturbed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from inarow.learning.deep_q.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.deep_q.curve import CurvePoint
from inarow.learning.deep_q.opponents import MakeOpponent
from inarow.learning.deep_q.trainer import Trainer
from inarow.learning.games_file import GamesFile, PlayedGame
from inarow.learning.run_folder import CurveFiles, RunClaim, read_config
from inarow.storage.atomic import atomic_write

Watch = Callable[[Trainer], None]
"""Told after every batch how far the training is; an exception out of it ends the run, saved."""

_NET, _CHECKPOINT = "net.onnx", "checkpoint.safetensors"


class DeepQRun:
    """A trainer with a folder. `start` or `resume` make one."""

    def __init__(self, folder: Path, trainer: Trainer, claim: RunClaim) -> None:
        self.folder, self.trainer, self._claim = folder, trainer, claim
        self._curve = CurveFiles(folder, CurvePoint, step="episode")
        self._games, self._new_games = GamesFile(folder), list[PlayedGame]()
        self.net = folder / _NET

    @classmethod
    def start(cls, config: DeepQConfig, folder: Path, make_opponent: MakeOpponent | None = None) -> DeepQRun:
        """A new run; raises ConfigError if the folder has one, MissingExtraError without torch or onnx."""
        trainer, claim = Trainer(config, make_opponent), RunClaim(folder, _CHECKPOINT)
        with claim.begun(config):
            GamesFile(folder).begin()
            return cls(folder, trainer, claim)

    @classmethod
    def resume(cls, folder: Path, make_opponent: MakeOpponent | None = None) -> DeepQRun:
        """A run as its last checkpoint left it; raises ConfigError, MissingExtraError without torch or onnx."""
        claim = RunClaim(folder, _CHECKPOINT)
        trainer = Trainer(read_config(folder, DeepQConfig), make_opponent)
        with claim.held():
            if (folder / _CHECKPOINT).exists():
                trainer.restore(load_checkpoint(folder / _CHECKPOINT), str(folder / _CHECKPOINT))
                GamesFile(folder).cut(trainer.episodes)
            else:  # perhaps killed before the file was there
                GamesFile(folder).begin()
        return cls(folder, trainer, claim)

    def train(self, watch: Watch | None = None, *, checkpoint_seconds: float = 15.0) -> None:
        """Trains to the end and leaves the finished net. Whatever stops it, all whole batches are saved.

        Raises ConfigError if another process has the folder, or had it since the run was read.
        """
        with self._claim.held():
            self._train(watch, checkpoint_seconds)

    def _train(self, watch: Watch | None, checkpoint_seconds: float) -> None:
        trainer = self.trainer
        reached, saved = trainer.checkpoint(), time.monotonic()
        try:
            while not trainer.is_finished:
                trainer.run_batch()
                reached = trainer.checkpoint()
                self._new_games += trainer.last_games
                if watch is not None:
                    watch(trainer)
                if time.monotonic() - saved >= checkpoint_seconds:
                    self._save(reached)
                    saved = time.monotonic()
        except BaseException:
            trainer.restore(reached, "the last batch")  # one that was torn could not be continued
            raise
        finally:
            self._save(reached)

    def _save(self, reached: Checkpoint) -> None:
        with atomic_write(self.net) as file:
            file.write(self.trainer.net_content())
        self._games.add(self._new_games)
        self._new_games.clear()
        self._games.sync()
        self._curve.write(self.trainer.curve)
        save_checkpoint(self.folder / _CHECKPOINT, reached)
