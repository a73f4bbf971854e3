"""Deep Q-learning as a learner, and a run of it in a folder.

    config.json             the config
    net.onnx                the net of the last checkpoint, at the end the result
    curve.csv               the points of the curve, one line per batch
    games.csv               all games, one per line
    checkpoint.safetensors  weights, state of the optimiser, flags, past versions, counters

Files are replaced atomically. A killed run resumes from its last checkpoint and ends with the same net, bit for bit, as
an uninterrupted run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import ModuleType

import msgspec
import numpy as np
from msgspec import structs

from inarow.errors import ConfigError, MissingExtraError, raised_as
from inarow.games import Position
from inarow.learning.config import Document
from inarow.learning.deep_q.config import PAST, DeepQConfig, Side
from inarow.learning.deep_q.trainer import Checkpoint, CurvePoint, Trainer
from inarow.learning.devices import find_device
from inarow.learning.exploration.rules import check_rule
from inarow.learning.learner import (
    CheckAgent,
    CheckFile,
    CurveTable,
    Learner,
    Report,
    Services,
    TrainedAgent,
    module_name,
)
from inarow.learning.run_folder import EpisodeRun, GamesFile, MakeTrainer, PlayedGame, RunClaim, reward_cells
from inarow.storage.atomic import atomic_write
from inarow.storage.inputs import read_input

_NET = "net.onnx"
_FORMAT, _VERSION = "inarow-deep-q", 1
_METADATA = "inarow"
_MAX_BYTES = 4 << 30
_HEADINGS = ("episodes", "mean reward", "won", "drawn", "lost", "plies", "loss", "positions", "iterations")
_TEST_GAMES = 1000  # at most; against a slow opponent they take as long as this number of episodes


class DeepQLearner(Learner[DeepQConfig]):
    """Deep Q-learning (santos-2025)."""

    name, config, product = "deep-q", DeepQConfig, _NET
    point = CurvePoint
    can_use_network = True

    def agent(self, product: Path | str) -> str:
        return f"dqn:net={product}"

    def start(self, config: DeepQConfig, folder: Path, services: Services) -> DeepQRun:
        if services.make_opponent is not None:  # raises the error of an invalid opponent before the run starts
            for part in config.mix:
                if part.agent != PAST:
                    opponent = services.make_opponent(part.agent, np.random.SeedSequence(0))
                    opponent.decide(Position.start(config.spec))
        if services.network is not None:
            network = structs.replace(config.network, module=module_name(services.network))
            config = structs.replace(config, network=network)
        return DeepQRun.start(config, folder, services.make_opponent, _trainer_maker(services))

    def resume(self, folder: Path, settings: Sequence[str], services: Services) -> DeepQRun:
        return DeepQRun.resume(folder, services.make_opponent, _trainer_maker(services))

    def checked(
        self, document: Document, config: DeepQConfig, check_agent: CheckAgent, check_file: CheckFile
    ) -> Document:
        def check(agent: str) -> str:
            return agent if agent == PAST else check_agent(agent)

        check_rule(config.policy.rule)
        checked = {**document, "opponent": check(config.opponent)}
        if config.opponents:
            parts = zip(document["opponents"], config.opponents, strict=True)
            checked["opponents"] = [{**given, "agent": check(part.agent)} for given, part in parts]
        return checked


def _trainer_maker(services: Services) -> MakeTrainer[Trainer]:
    _safetensors()  # fails before the work, not at the first checkpoint
    return partial(Trainer, factory=services.network, device=find_device(services.device))


class DeepQRun(EpisodeRun[Trainer]):
    """A run that saves all finished batches, however it ends. Raises MissingExtraError without torch or onnx."""

    trainer_type, config_type, point_type = Trainer, DeepQConfig, CurvePoint
    product_name, checkpoint_name = _NET, "checkpoint.safetensors"

    def __init__(self, folder: Path, trainer: Trainer, claim: RunClaim) -> None:
        super().__init__(folder, trainer, claim)
        self._games, self._new_games = GamesFile(folder), list[PlayedGame]()

    def _begin(self) -> None:
        self._games.begin()

    def _restore(self) -> None:
        self.trainer.restore(load_checkpoint(self._checkpoint), str(self._checkpoint))
        self._games.cut(self.trainer.episodes)

    def table(self) -> CurveTable:
        """The last batch, with a sparkline of the rewards."""
        rows = []
        for last in self.curve[-1:]:
            iterations = "-" if last.iterations is None else f"{last.iterations:.3f}"
            figures = f"{last.plies:.1f}", f"{last.loss:.4f}", f"{last.states:,}", iterations
            rows.append((*reward_cells(self.curve), *figures))
        return CurveTable(_HEADINGS, rows)

    def report(self) -> Report:
        config, trainer = self.trainer.config, self.trainer
        test = trainer.test(min(_TEST_GAMES, trainer.episodes))
        facts = {
            "folder": str(self.folder),
            "net": str(self.product),
            "board": config.board,
            "side": config.side,
            "opponent": ", ".join(part.agent for part in config.mix),
            "episodes": trainer.episodes,
            "positions": len(trainer.explorer.table),
        }
        rates = ", ".join(f"{name} {getattr(test, name) / test.games:.1%}" for name in ("wins", "draws", "losses"))
        note = f"without exploration, {test.games:,} games: {rates}"
        return Report(facts=facts, details={"curve": self.curve, "test": test}, notes=(note,))

    def _trained_agent(self) -> TrainedAgent:
        config, agent = self.trainer.config, DeepQLearner().agent(self.product)
        side: Side = "second" if config.side == "second" else "first"
        is_exportable = config.spec.gravity and config.rewards.shaping is None
        return TrainedAgent(agent=agent, board=config.board, side=side, is_exportable=is_exportable)

    def _advance(self) -> None:
        reached = self.trainer.checkpoint()
        try:
            self.trainer.run_batch()
            self._new_games += self.trainer.last_games
        except BaseException:
            self.trainer.restore(reached, "the last batch")  # an interrupted batch cannot be continued
            raise

    def _save(self) -> None:
        with atomic_write(self.product) as file:
            file.write(self.trainer.net_content())
        self._games.add(self._new_games)
        self._new_games.clear()
        self._games.sync()
        self._curve_files.write(self.curve)
        save_checkpoint(self._checkpoint, self.trainer.checkpoint())


def save_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Writes a safetensors file of the arrays atomically, with the state as JSON in its metadata. Raises
    MissingExtraError without safetensors.
    """
    files = _safetensors()
    header = {"format": _FORMAT, "version": _VERSION, "state": msgspec.to_builtins(checkpoint.state)}
    with atomic_write(path) as file:
        file.write(files.save(checkpoint.arrays, {_METADATA: json.dumps(header)}))  # json: msgspec has no NaN


def load_checkpoint(path: Path) -> Checkpoint:
    """The inverse of `save_checkpoint`; raises ConfigError, or MissingExtraError without safetensors."""
    files = _safetensors()
    content = read_input(path, _MAX_BYTES, ConfigError)
    reason = "it is damaged or not a safetensors file"
    with raised_as(ConfigError, f"{path} is not a checkpoint", reason=reason):
        arrays = files.load(content)
        about = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])  # `load` leaves out the metadata
        header = json.loads(about["__metadata__"][_METADATA])
        if (header["format"], header["version"]) != (_FORMAT, _VERSION):
            raise ConfigError(f"{path} is not a checkpoint of format {_FORMAT} {_VERSION}")
        return Checkpoint(dict(header["state"]), arrays)


def _safetensors() -> ModuleType:
    try:
        from safetensors import numpy
    except ImportError:
        raise MissingExtraError("safetensors", "train") from None
    return numpy
