"""Additions to inarow from outside the package, as docs/explanation/architecture.md describes them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.config import ConfigPart
from inarow.learning.learner import Learner, Progress, Run, Services, TrainedAgent, Watch
from inarow.learning.run_folder import CurveFiles, RunClaim, read_config
from inarow.search.plugged import implements


class Evenly(NamedTuple):
    """A selection rule: visits all children equally often."""


@implements(Evenly)
def even_bound(rule, parent, child):
    return -float(child.visits)


class DrawnLeaf(NamedTuple):
    """A leaf evaluator: every game is drawn."""


@implements(DrawnLeaf)
def drawn_result(leaf, layout, stones, mask, ply, heights, rng):
    return 0


class FavouriteConfig(ConfigPart, frozen=True, kw_only=True):
    """Finds the favourite first move of an opponent."""

    learner: Literal["favourite"]
    board: str = "tictactoe"
    games: int = 20
    opponent: str = "random"
    seed: int = 0


@dataclass(frozen=True)
class FavouritePoint:
    game: int
    favourite: int


class FavouriteRun(Run):
    def __init__(self, folder: Path, config: FavouriteConfig, services: Services) -> None:
        self.folder, self._config, self._services = folder, config, services
        self._claim = RunClaim(folder, "counts.json")
        self._curve: list[FavouritePoint] = []
        self.counts = [0] * GameSpec.parse(config.board).actions

    @property
    def config(self) -> FavouriteConfig:
        return self._config

    @property
    def curve(self) -> Sequence[FavouritePoint]:
        return self._curve

    @property
    def progress(self) -> Progress:
        return Progress(done=sum(self.counts), total=self._config.games, unit="games")

    def begin(self) -> "FavouriteRun":
        with self._claim.begun(self._config):
            return self

    def train(self, watch: Watch | None = None) -> TrainedAgent:
        start = Position.start(GameSpec.parse(self._config.board))
        with self._claim.held():
            for game in range(sum(self.counts), self._config.games):
                seed = np.random.SeedSequence(self._config.seed, spawn_key=(game,))
                opponent = self._services.make_opponent(self._config.opponent, seed)
                self.counts[opponent.decide(start).action] += 1
                self._curve.append(FavouritePoint(game + 1, self.counts.index(max(self.counts))))
                if watch is not None:
                    watch(self.progress)
            (self.folder / "counts.json").write_text(json.dumps(self.counts))
            CurveFiles(self.folder, FavouritePoint, step="game").write(self._curve)
        return TrainedAgent(agent="winblock", board=self._config.board)


class FavouriteLearner(Learner[FavouriteConfig]):
    name = "favourite"
    config = FavouriteConfig
    product = "counts.json"

    def agent(self, product):
        return "winblock"

    def start(self, config, folder, services):
        return FavouriteRun(folder, config, services).begin()

    def resume(self, folder, settings, services):
        run = FavouriteRun(folder, read_config(folder, FavouriteConfig), services)
        run.counts = json.loads((folder / "counts.json").read_text())
        return run
