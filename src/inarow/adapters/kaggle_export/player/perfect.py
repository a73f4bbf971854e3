"""The perfect player of 6x7x4: an exact search, and a table of moves for the positions that are too hard for it."""

from __future__ import annotations

from inarow.adapters.kaggle_export.player.base import Deadline, Rules, check_board
from inarow.adapters.kaggle_export.player.outcome import (
    BOTTOM,
    COLUMNS,
    LIMIT,
    NODES,
    ROWS,
    STRIDE,
    choose,
    count_cells,
    key_of,
)
from inarow.adapters.kaggle_export.player.q_table import mirror_cells, unpacked

SEARCH_NODES = 20_000  # of a search: about half a second


class PerfectPlayer:
    """Keeps the outcome of every position that it can meet in a game from the empty board.

    `keys` and `columns` are packed arrays: positions as by `key_of`, and the columns to play in them.
    """

    def __init__(self, keys: str, columns: str) -> None:
        self._columns = dict(zip(unpacked(keys), unpacked(columns), strict=True))

    def choose(self, rules: Rules, own: int, both: int, deadline: Deadline) -> int:
        check_board(rules, (ROWS, COLUMNS, 4), "player")
        key = key_of(own, both)
        is_mirrored = key != own | (both + BOTTOM)
        if is_mirrored:  # the same move in both
            own, both = mirror_cells(own, rules), mirror_cells(both, rules)
        column = self._column(key, own, both, deadline)
        return COLUMNS - 1 - column if is_mirrored else column

    def _column(self, key: int, own: int, both: int, deadline: Deadline) -> int:
        nodes = SEARCH_NODES
        while True:
            effort = [0, nodes]
            cell, _ = choose(own, both ^ own, {}, {}, effort)
            is_decided = effort[NODES] <= effort[LIMIT]
            if not is_decided and key in self._columns:
                return self._columns[key]
            # The rest is for games that begin elsewhere.
            if is_decided or nodes > SEARCH_NODES or deadline.is_over():
                return count_cells(cell - 1) // STRIDE
            nodes *= 2
