"""The Q agent of harman as it was run."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import msgspec
import numpy as np

from inarow.agents.agent import Decision
from inarow.errors import InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.tabular.q_table import QTable
from inarow.studies.harman.q_training import play_as_published
from inarow.studies.harman.table_player import TablePlayer


class HarmanQParameters(msgspec.Struct, frozen=True, kw_only=True):
    episodes: Annotated[int, msgspec.Meta(ge=1, le=200_000, description="games it is trained by")] = 50_000
    playouts: Annotated[int, msgspec.Meta(ge=1, le=1000, description="of its opponent in training, for a move")] = 40
    training_seed: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1, description="root of the chance in training")] = 0


class HarmanQ:
    """Trains on the board before its first move. Only positions with the second side to move are ever
    trained, so as first it plays at random.
    """

    def __init__(self, name: str, parameters: HarmanQParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._parameters, self._rng = parameters, rng

    def decide(self, position: Position) -> Decision:
        position.check_ongoing()
        spec, wanted = position.spec, self._parameters
        self.check_board(spec)
        table = trained_table(spec, wanted.episodes, wanted.playouts, wanted.training_seed)
        return TablePlayer(self.name, table, self._rng, shares_mirror=False).decide(position)

    def check_board(self, spec: GameSpec) -> None:
        if not spec.gravity:
            raise InvalidLimitError(f"harman/q plays columns; {spec} has no gravity")
        if not spec.fits_word:
            raise InvalidLimitError(f"harman/q plays boards that fit one word of 64 bits; {spec} is too large")


@lru_cache(maxsize=4)
def trained_table(spec: GameSpec, episodes: int, playouts: int, seed: int) -> QTable:
    """Read only: agents share it."""
    table = QTable(spec)
    play_as_published(table, episodes, playouts=playouts, rng=np.random.default_rng(seed))
    return table
