"""Read-only access to Q-tables in play."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from inarow.errors import TableError
from inarow.games import Position
from inarow.games.bits import from_int
from inarow.games.kernels import compiled_layout, kernel, new_record
from inarow.games.layout import Layout
from inarow.learning.config import to_config
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.episode import Rules, find_slots
from inarow.learning.tabular.moves import slot_of
from inarow.learning.tabular.q_table import QArrays, QTable, find_row


class TableValues:
    """The values of a trained table."""

    def __init__(self, table: QTable, config: QConfig) -> None:
        self.spec, self.config, self._table = table.spec, config, table
        self._layout, self._rules = compiled_layout(table.spec), new_record(Rules)
        self._rules.mirror = config.symmetry

    @property
    def win(self) -> float:
        """The value of a move that wins."""
        return self.config.rewards.win

    def values(self, position: Position) -> np.ndarray | None:
        """The values for the side to move, float64 [A], including illegal actions; None if the position was never met.
        Not checked: the position is on the table's board.
        """
        return self.values_of(position.stones, position.mask)

    def values_of(self, own: int, both: int) -> np.ndarray | None:
        """The same for the stones of the side to move and of both sides, which need not be reachable."""
        like, values = self._layout.board, np.empty(self.spec.actions)
        stones, mask = from_int(own, like), from_int(both, like)
        return values if _read(self._layout, self._rules, self._table.arrays, stones, mask, values) else None

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows: keys, uint64 [N], and values, float64 [N, A], in the order in which positions were met."""
        count = len(self._table)
        return self._table.keys[:count], self._table.values[:count]


@kernel
def _read(layout: Layout, rules: Rules, table: QArrays, stones: Any, mask: Any, result: np.ndarray) -> bool:
    key, mirrored = find_slots(stones, mask, rules, layout)
    row = find_row(key, table.index, table.old, table.keys)
    if row < 0:
        return False
    for action in range(len(result)):
        result[action] = table.values[row, slot_of(action, mirrored, layout)]
    return True


def load_values(path: Path) -> TableValues:
    """The table of a training run; raises TableError. Cached until the file changes."""
    try:
        status = path.stat()
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}") from None
    return _load(path.resolve(), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _load(path: Path, changed: int, size: int) -> TableValues:
    table, about = QTable.load(path)
    return TableValues(table, to_config(about.get("config"), QConfig, str(path)))
