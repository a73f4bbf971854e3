"""Tabular Q-learning as a learner, and a run of it in a folder.

    config.json     the config
    table.npz       the table so far, with the state of the trainer in its header
    frozen-P-G.npz  values of the frozen opponent of phase P, generation G, while it is in use
    flags-N.npz     the flags of a policy after N episodes, the same N as in the table; only with a policy
    curve.csv       the points of the curve, one per line

Files are replaced atomically. A killed run resumes from its last checkpoint and ends with the same table, bit for bit,
as an uninterrupted run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from inarow.errors import ConfigError, TableError, raised_as
from inarow.learning.config import Document, to_config
from inarow.learning.exploration.rules import check_rule
from inarow.learning.learner import CheckAgent, CheckFile, CurveTable, Learner, Report, Services, TrainedAgent
from inarow.learning.run_folder import EpisodeRun, RunClaim, reward_cells
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.episode import OTHER
from inarow.learning.tabular.q_table import QTable
from inarow.learning.tabular.trainer import CurvePoint, Trainer, compiled_opponent
from inarow.storage.array_file import FileKind, load_arrays, save_arrays
from inarow.version import __version__
from inarow.workers import interrupts_deferred

_BLOCK_SECONDS = 0.2  # approximate time between two reports
_CURVE_SECONDS = 1.0  # maximum age of the curve on disk
_TABLE = "table.npz"
_FROZEN_KIND = FileKind("inarow-frozen-values", 1, "a frozen opponent", TableError, max_bytes=64 << 30)
_FLAGS_KIND = FileKind("inarow-flags", 1, "flags of a policy", TableError, max_bytes=64 << 30)
_HEADINGS = ("phase", "episodes", "mean reward", "won", "drawn", "lost", "epsilon", "positions")


class QLearner(Learner[QConfig]):
    """Tabular Q-learning."""

    name, config, product = "q", QConfig, _TABLE
    point = CurvePoint

    def agent(self, product: Path | str) -> str:
        return f"q:table={product}"

    def start(self, config: QConfig, folder: Path, services: Services) -> QRun:
        if services.make_opponent is not None:  # raises the error of an invalid opponent now instead of in its phase
            for phase in config.phases:
                if _needs_agent(phase.opponent):
                    services.make_opponent(phase.opponent, np.random.SeedSequence(0))
        return QRun.start(config, folder, services.make_opponent)

    def resume(self, folder: Path, settings: Sequence[str], services: Services) -> QRun:
        return QRun.resume(folder, services.make_opponent)

    def checked(self, document: Document, config: QConfig, check_agent: CheckAgent, check_file: CheckFile) -> Document:
        if config.policy is not None:
            check_rule(config.policy.rule)
        opponents = [phase.opponent for phase in config.phases]
        checked = [check_agent(each) if _needs_agent(each) else each for each in opponents]
        phases = zip(document["phases"], checked, strict=True)
        return {**document, "phases": [{**phase, "opponent": opponent} for phase, opponent in phases]}


def _needs_agent(opponent: str) -> bool:
    return compiled_opponent(opponent)[0] == OTHER


class QRun(EpisodeRun[Trainer]):
    """A run. After an error within an episode, for example of an opponent, `train` raises ConfigError until the run is
    resumed.
    """

    trainer_type, config_type, point_type = Trainer, QConfig, CurvePoint
    product_name = checkpoint_name = _TABLE
    _is_torn = False  # whether the trainer stopped within an episode and cannot continue
    _block = 16  # episodes until the next report
    _shown = 0.0  # time of the last write of the curve

    def __init__(self, folder: Path, trainer: Trainer, claim: RunClaim) -> None:
        self.point_type = trainer.point_type
        super().__init__(folder, trainer, claim)

    def table(self) -> CurveTable:
        """A row for each phase and generation."""
        points: dict[tuple[int, int], list[CurvePoint]] = {}
        for point in list(self.trainer.curve):
            points.setdefault((point.phase, point.generation), []).append(point)
        rows = [
            (f"{phase + 1}.{generation + 1}", *reward_cells(each), f"{each[-1].epsilon:.3f}", f"{each[-1].rows:,}")
            for (phase, generation), each in points.items()
        ]
        return CurveTable(_HEADINGS, rows)

    def report(self) -> Report:
        facts = {
            "folder": str(self.folder),
            "table": str(self.product),
            "board": self.config.board,
            "episodes": self.trainer.episodes,
            "positions": len(self.trainer.table),
            "refused": self.trainer.table.refused,
        }
        return Report(facts=facts, details={"curve": self.curve})

    def _trained_agent(self) -> TrainedAgent:
        spec, agent = self.trainer.config.spec, QLearner().agent(self.product)
        is_exportable = (
            spec.gravity and spec.fits_word
        )  # on other boards keys are hashes, from which positions cannot be recovered
        return TrainedAgent(agent=agent, board=self.config.board, is_exportable=is_exportable)

    def _advance(self) -> None:
        if self._is_torn:
            raise ConfigError(f"the run in {self.folder} stopped within an episode; resume it")
        block, clock = self._block, time.monotonic()
        with interrupts_deferred():  # an interrupted block could not be continued
            self._is_torn = True
            self.trainer.run(block)
            self._is_torn = False
        now = time.monotonic()
        self._block = max(1, min(2 * block, int(block * _BLOCK_SECONDS / max(now - clock, 1e-6))))
        if now - self._shown >= _CURVE_SECONDS:
            self._curve_files.write(self.curve)
            self._shown = now

    def _save(self) -> None:
        if self._is_torn:
            return
        trainer, frozen, flags = self.trainer, self._frozen_file(), self._flags_file()
        if len(trainer.frozen) and not frozen.exists():
            save_arrays(frozen, _FROZEN_KIND, {}, {"values": trainer.frozen})
        if trainer.explorer is not None:
            _, keys, flagged = trainer.explorer.state()
            save_arrays(flags, _FLAGS_KIND, {}, {"keys": keys, "flags": flagged})
        about = {
            "learner": "q",
            "config": msgspec.to_builtins(trainer.config),
            "seed": trainer.config.seed,
            "inarow": __version__,
            "state": trainer.state(),
        }
        trainer.table.save(self.product, **about)
        self._curve_files.write(self.curve)
        for file_of_earlier in {*self.folder.glob("frozen-*.npz"), *self.folder.glob("flags-*.npz")} - {frozen, flags}:
            file_of_earlier.unlink()

    def _restore(self) -> None:
        trainer = self.trainer
        table, about = QTable.load(self.product, memory=trainer.config.memory << 20)
        if to_config(about.get("config"), QConfig, str(self.product)) != trainer.config:
            raise TableError(f"{self.product} does not belong to the config beside it")
        with raised_as(TableError, f"{self.product} has no state to continue from"):
            trainer.restore(about["state"], table)
        if trainer.explorer is not None:
            with load_arrays(self._flags_file(), _FLAGS_KIND) as (_, arrays):
                trainer.explorer.restore(about["state"]["explorer"], arrays["keys"], arrays["flags"])
        path, rows = self._frozen_file(), about["state"].get("frozen_rows")
        # None in old tables, which did not count them and have a file only if there are some.
        if rows == 0 or (rows is None and not path.exists()):
            return
        with load_arrays(path, _FROZEN_KIND) as (_, arrays):
            values = arrays["values"]
            like = trainer.table.values[: len(values) if rows is None else rows]
            if values.dtype != like.dtype or values.shape != like.shape:
                raise TableError(f"{path} has values of the wrong kind")
        trainer.frozen = values

    def _flags_file(self) -> Path:
        return self.folder / f"flags-{self.trainer.episodes}.npz"

    def _frozen_file(self) -> Path:
        return self.folder / f"frozen-{self.trainer.phase}-{self.trainer.generation}.npz"
