"""The Q agent of paranji-2025 as it was run."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

import msgspec
import numpy as np

from inarow.agents.agent import Decision
from inarow.agents.simple import draw_best
from inarow.games.bits import from_int
from inarow.games.kernels import compiled_layout, hash_key
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.tabular.q_table import QTable
from inarow.studies.paranji_2025.q_training import train_as_published

_EPISODES_WITH_GRAVITY, _EPISODES_WITHOUT = 50_000, 5_000


class ParanjiQParameters(msgspec.Struct, frozen=True, kw_only=True):
    episodes: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=200_000)] | Literal["auto"],
        msgspec.Meta(description="games it is trained by; auto: 50,000 with gravity, else 5,000"),
    ] = "auto"
    opponent_blocks: Annotated[
        bool, msgspec.Meta(description="whether its opponent in training knew its side, as in the listed commands")
    ] = False
    training_seed: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1, description="root of the chance in training")] = 0


class ParanjiQ:
    """Plays the action of the greatest value, uniformly among equals. Trains before its first move.

    Only positions with the first side to move were ever trained, so as second it plays at random.
    """

    def __init__(self, name: str, parameters: ParanjiQParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._parameters = parameters
        self._rng = rng

    def decide(self, position: Position) -> Decision:
        position.check_ongoing()
        wanted, spec = self._parameters, position.spec
        episodes = wanted.episodes
        if isinstance(episodes, str):
            episodes = _EPISODES_WITH_GRAVITY if spec.gravity else _EPISODES_WITHOUT
        table = _trained_table(spec, episodes, wanted.training_seed, wanted.opponent_blocks)
        return decide_by_table(position, table, self._rng)


def decide_by_table(position: Position, table: QTable, rng: np.random.Generator) -> Decision:
    """The action of the greatest value, uniformly among equals. What the table has not is worth 0."""
    layout = compiled_layout(position.spec)
    stones, mask = from_int(position.stones, layout.board), from_int(position.mask, layout.board)
    (row,) = table.find(np.array([hash_key(stones, mask, layout)], np.uint64))
    values: list[float] = table.values[row].tolist() if row >= 0 else [0.0] * position.spec.actions
    return draw_best(position, values, rng)


@lru_cache(maxsize=4)
def _trained_table(spec: GameSpec, episodes: int, seed: int, opponent_blocks: bool) -> QTable:
    """Read only: agents share it."""
    return train_as_published(spec, episodes, np.random.default_rng(seed), opponent_blocks=opponent_blocks)
