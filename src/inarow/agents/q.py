"""The agent that plays from a Q-table."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import replace

from inarow.agents.agent import Decision, ImmediateAgent
from inarow.agents.simple import draw, draw_best
from inarow.errors import TableError
from inarow.games import GameSpec, Position
from inarow.learning.pretrained import shipped_table, shipped_tables
from inarow.learning.tabular.lookup import TableValues, load_values
from inarow.storage.atomic import content_hash


class QParameters(Struct, frozen=True, kw_only=True):
    table: Annotated[
        str, Meta(description="file made by `inarow train`; auto: the one that ships with inarow for the board")
    ] = "auto"


class QAgent(ImmediateAgent):
    """Takes the action of the highest value and draws among equals; plays at random in positions that the table does
    not have.
    """

    def __init__(self, name: str, parameters: QParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._rng = rng
        self._values = None if parameters.table == "auto" else load_values(Path(parameters.table))

    def _decide(self, position: Position) -> Decision:
        table = self._table_for(position.spec)
        values = table.values(position)
        if values is None:
            return replace(draw(position, (), self._rng), details={"seen": False})
        decision = draw_best(position, values.tolist(), self._rng)
        return replace(decision, value=float(np.clip(values[decision.action] / table.config.rewards.win, -1, 1)))

    def check_board(self, spec: GameSpec) -> None:
        self._table_for(spec)

    def _table_for(self, spec: GameSpec) -> TableValues:
        if self._values is None:
            self._values = load_values(shipped_table(spec))
        if self._values.spec != spec:
            raise TableError(f"the Q-table is for {self._values.spec}, not for {spec}")
        return self._values


def table_hash(parameters: QParameters) -> str:
    """Of the table file, or of all that ship with inarow: the board decides which of them plays."""
    paths: Iterable[Path] = shipped_tables().values() if parameters.table == "auto" else (Path(parameters.table),)
    return "+".join(content_hash(path, TableError) for path in paths)
