"""Reading Q-tables in play: nothing is added, nothing changes."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from inarow.errors import TableError
from inarow.games.bits import from_int
from inarow.games.kernels import compiled_layout, kernel
from inarow.games.layout import Layout
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.config import to_config
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.episode import RULES, find_slots
from inarow.learning.tabular.greedy import slot_of
from inarow.learning.tabular.q_index import find_row
from inarow.learning.tabular.q_table import QTable

_KEPT_TABLES = 8


class TableValues:
    """What a trained table says about positions."""

    def __init__(self, table: QTable, config: QConfig) -> None:
        self.spec = table.spec
        self.config = config
        self._table = table
        self._layout = compiled_layout(table.spec)
        self._rules: Any = np.zeros(1, RULES).view(np.recarray)
        self._rules[0].mirror = config.symmetry

    def values(self, position: Position) -> np.ndarray | None:
        """For the side to move, float64 [A], illegal actions included; None if it was never met.

        The position must be of the board of the table.
        """
        return self.values_of(position.stones, position.mask)

    def values_of(self, own: int, both: int) -> np.ndarray | None:
        """The same for the stones of the side to move and of both sides, also where no game leads to them."""
        table, like = self._table, self._layout.board
        values = np.empty(self.spec.actions)
        stones, mask = from_int(own, like), from_int(both, like)
        is_known = _read(
            self._layout, self._rules[0], table.index, table.old_index, table.keys, table.values, stones, mask, values
        )
        return values if is_known else None

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """All of it: keys, uint64 [N], and values, float64 [N, A], in the order in which positions were met."""
        count = len(self._table)
        return self._table.keys[:count], self._table.values[:count]


@kernel
def _read(
    layout: Layout,
    rules: Any,
    index: np.ndarray,
    old: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    stones: Any,
    mask: Any,
    result: np.ndarray,
) -> bool:
    key, mirrored = find_slots(stones, mask, rules, layout)
    row = find_row(key, index, old, keys)
    if row < 0:
        return False
    for action in range(len(result)):
        result[action] = values[row, slot_of(action, mirrored, layout)]
    return True


def load_values(path: Path) -> TableValues:
    """The table of a training run; raises TableError. Kept in memory as long as the file is the same."""
    try:
        status = path.stat()
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}") from None
    return _load(path.resolve(), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=_KEPT_TABLES)
def _load(path: Path, changed: int, size: int) -> TableValues:
    table, about = QTable.load(path)
    return TableValues(table, to_config(about.get("config"), QConfig, str(path)))


def shipped_tables() -> dict[str, Path]:
    """The tables that come with the package, by board."""
    folder = Path(str(files("inarow.learning.tabular"))) / "tables"
    return {path.stem.replace("-", "/"): path for path in sorted(folder.glob("*.npz"))}


def shipped_table(spec: GameSpec) -> Path:
    """The table that comes with the package for a board; raises TableError."""
    tables = shipped_tables()
    if str(spec) not in tables:
        boards = ", ".join(tables)
        raise TableError(f"no Q-table comes with inarow for {spec}, only for {boards}; train one with `inarow train`")
    return tables[str(spec)]
