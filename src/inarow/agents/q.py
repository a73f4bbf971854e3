"""The agent that plays by a Q-table."""

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
        str, Meta(description="file of `inarow train`; auto: the table that ships with inarow for the board")
    ] = "auto"


class QAgent(ImmediateAgent):
    """Plays the action with the highest value, drawn among equal ones; plays at random in positions that are not in the
    table.
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
    """A hash of the table file, or of all tables that ship with inarow, of which the board selects one."""
    paths: Iterable[Path] = shipped_tables().values() if parameters.table == "auto" else (Path(parameters.table),)
    return "+".join(content_hash(path, TableError) for path in paths)
