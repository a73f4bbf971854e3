"""A training run in a folder: its config, its curve, and a checkpoint from which it goes on.

    config.json     the config
    table.npz       the table so far, with the state of the trainer in its header
    frozen-P-G.npz  values of the frozen opponent of phase P, generation G, while there is one
    curve.csv       a line for each point of the curve

A file is replaced whole. Killed at any moment, `resume` goes on from the last checkpoint and ends with
the same table, bit for bit, as a run that nobody disturbed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import msgspec

from inarow.errors import ConfigError, TableError, one_line
from inarow.learning.config import to_config
from inarow.learning.run_folder import CurveFiles, RunClaim, read_config
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.q_table import QTable
from inarow.learning.tabular.trainer import CurvePoint, MakeOpponent, Trainer
from inarow.storage.array_file import FileKind, load_arrays, save_arrays
from inarow.workers import interrupts_deferred

Watch = Callable[[Trainer], None]
"""Told a few times a second how far the training is; an exception out of it ends the run, saved."""

_BLOCK_SECONDS = 0.2
"""How long nobody is told anything, about."""
_CURVE_SECONDS = 1.0
"""How old the curve on disk may be, for those who follow it there."""
_FIRST_BLOCK = 16
_TABLE = "table.npz"
_FROZEN_KIND = FileKind("inarow-frozen-values", 1, "a frozen opponent", TableError, max_bytes=4 << 30)


class TrainingRun:
    """A trainer with a folder. `start` or `resume` make one."""

    def __init__(self, folder: Path, trainer: Trainer, claim: RunClaim) -> None:
        self.folder, self.trainer, self._claim = folder, trainer, claim
        self._curve = CurveFiles(folder, CurvePoint, step="episode")
        self._is_torn = False
        """Whether the trainer stopped within an episode, from where nobody can go on."""

    @classmethod
    def start(cls, config: QConfig, folder: Path, make_opponent: MakeOpponent | None = None) -> TrainingRun:
        """A new run; raises ConfigError if the folder has one."""
        claim = RunClaim(folder, _TABLE)
        with claim.begun(config):
            return cls(folder, Trainer(config, make_opponent), claim)

    @classmethod
    def resume(cls, folder: Path, make_opponent: MakeOpponent | None = None) -> TrainingRun:
        """A run as its last checkpoint left it; raises ConfigError or TableError."""
        claim = RunClaim(folder, _TABLE)
        run = cls(folder, Trainer(read_config(folder, QConfig), make_opponent), claim)
        with claim.held():
            if (folder / _TABLE).exists():
                run._restore()
        return run

    def train(self, watch: Watch | None = None, *, checkpoint_seconds: float = 15.0) -> QTable:
        """Trains to the end and leaves the finished table. Whatever stops it between episodes, Ctrl-C among it, what
        was learnt is saved; after an error within one, such as an opponent's, the last checkpoint is what is left.

        Raises ConfigError if another process has the folder, or had it since the run was read, and after such an
        error.
        """
        with self._claim.held():
            return self._train(watch, checkpoint_seconds)

    def _train(self, watch: Watch | None, checkpoint_seconds: float) -> QTable:
        trainer = self.trainer
        if self._is_torn:
            raise ConfigError(f"the run in {self.folder} stopped within an episode; resume it")
        block, saved, shown = _FIRST_BLOCK, time.monotonic(), 0.0
        try:
            while not trainer.is_finished:
                clock = time.monotonic()
                with interrupts_deferred():  # a block that is torn could not be continued
                    self._is_torn = True
                    trainer.run(block)
                    self._is_torn = False
                now = time.monotonic()
                block = max(1, min(2 * block, int(block * _BLOCK_SECONDS / max(now - clock, 1e-6))))
                if watch is not None:
                    watch(trainer)
                if now - saved >= checkpoint_seconds:
                    self.save()
                    saved = shown = now
                elif now - shown >= _CURVE_SECONDS:
                    self._save_curve()
                    shown = now
        finally:
            if not self._is_torn:
                self.save()
        return trainer.table

    def save(self) -> None:
        """Writes a checkpoint."""
        trainer = self.trainer
        frozen = self._frozen_file()
        if len(trainer.frozen) and not frozen.exists():
            save_arrays(frozen, _FROZEN_KIND, {}, {"values": trainer.frozen})
        about = {
            "learner": "q",
            "config": msgspec.to_builtins(trainer.config),
            "seed": trainer.config.seed,
            "inarow": version("inarow"),
            "state": trainer.state(),
        }
        trainer.table.save(self.folder / _TABLE, **about)
        self._save_curve()
        for file_of_earlier in set(self.folder.glob("frozen-*.npz")) - {frozen}:
            file_of_earlier.unlink()

    def _save_curve(self) -> None:
        self._curve.write(self.trainer.curve)

    def _restore(self) -> None:
        trainer = self.trainer
        table, about = QTable.load(self.folder / _TABLE, memory=trainer.config.memory << 20)
        if to_config(about.get("config"), QConfig, str(self.folder / _TABLE)) != trainer.config:
            raise TableError(f"{self.folder / _TABLE} is not from the config beside it")
        try:
            trainer.restore(about["state"], table)
        except Exception as error:  # a damaged state can raise almost anything
            raise TableError(f"{self.folder / _TABLE} has no state to go on from: {one_line(error)}") from None
        self._restore_frozen(about["state"].get("frozen_rows"))

    def _restore_frozen(self, rows: int | None) -> None:
        """`rows` is None in tables from before they were counted; those have a file only if there are some."""
        trainer, path = self.trainer, self._frozen_file()
        if rows == 0 or (rows is None and not path.exists()):
            return
        with load_arrays(path, _FROZEN_KIND) as (_, arrays):
            values = arrays["values"]
            like = trainer.table.values[: len(values) if rows is None else rows]
            if values.dtype != like.dtype or values.shape != like.shape:
                raise TableError(f"{path} has values of the wrong kind")
        trainer.frozen = values

    def _frozen_file(self) -> Path:
        return self.folder / f"frozen-{self.trainer.phase}-{self.trainer.generation}.npz"
