"""Q-tables: the value of every action in every position that was met.

A table file is an `.npz` of four arrays: `keys` (uint64 [N]), `values` (float64 [N, A]), `visits`
(int32 [N, A]), in the order in which positions were met, and `header` (bytes of a JSON object with
format, version, board, rows, checksum, and what its maker wants to say: learner, config, seed).
Read without pickle; a file that is anything else is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from inarow.errors import InvalidLimitError, TableError
from inarow.games.spec import GameSpec
from inarow.learning.tabular.q_index import STATE, enter_rows, find_rows, is_crowded
from inarow.storage.array_file import FileKind, checksum, load_arrays, save_arrays

DEFAULT_MEMORY = 512 << 20
_KIND = FileKind("inarow-q-table", 1, "a Q-table", TableError, max_bytes=4 << 30)
_FIRST_SLOTS = 1 << 12
_SLOTS_PER_ROW = 4  # of int32: the largest index has less than 3 slots for a row, the old one half of that


class QTable:
    """Values and visits by key, with at most `memory` bytes.

    The arrays are for kernels: `index`, `old_index`, `keys`, `state` go to `q_index.py`, and
    `values[row]`, `visits[row]` belong to `keys[row]`, for the first `rows` rows. Memory is taken
    from the system as rows come. `reserve` must be called between kernels.
    """

    def __init__(self, spec: GameSpec, *, memory: int = DEFAULT_MEMORY) -> None:
        limit = min(memory // row_bytes(spec), 2**31 - 2)
        if limit < 1:
            raise InvalidLimitError(f"memory is {memory} bytes; a row of a Q-table of {spec} needs {row_bytes(spec)}")
        self.spec = spec
        self.keys = np.zeros(limit, np.uint64)
        self.values = np.zeros((limit, spec.actions), np.float64)
        self.visits = np.zeros((limit, spec.actions), np.int32)
        self.index = np.zeros(_FIRST_SLOTS, np.int32)
        self.old_index = np.zeros(0, np.int32)
        self._state: Any = np.zeros(1, STATE).view(np.recarray)

    @property
    def state(self) -> Any:
        return self._state[0]

    def __len__(self) -> int:
        return int(self.state.rows)

    @property
    def refused(self) -> int:
        """How often a position found no room."""
        return int(self.state.refused)

    def reserve(self) -> None:
        """Starts a larger index if the present one is half full, and forgets an old one that is done with."""
        if self.state.carried == len(self.old_index):
            self.old_index = self.old_index[:0]
        if 2 * len(self) > len(self.index):
            if len(self.old_index):  # grown twice before the first was carried over: do the rest now
                self._fill_index(len(self.index))
            self.old_index, self.index = self.index, np.zeros(2 * len(self.index), np.int32)
            self.state.carried = 0
        assert not is_crowded(self.index, self.state)

    def find(self, keys: np.ndarray) -> np.ndarray:
        """The rows of keys, uint64 [N]: int64 [N], -1 where there is none."""
        return find_rows(keys, self.index, self.old_index, self.keys)

    def save(self, path: Path, **about: object) -> None:
        """Writes the file whole or not at all; `about` goes to its header and must be JSON."""
        rows = len(self)
        arrays: dict[str, np.ndarray] = {
            "keys": self.keys[:rows],
            "values": self.values[:rows],
            "visits": self.visits[:rows],
        }
        header = {"board": str(self.spec), "rows": rows, "refused": self.refused, "checksum": checksum(arrays)}
        save_arrays(path, _KIND, {**header, "about": about}, arrays)

    @classmethod
    def load(cls, path: Path, *, memory: int | None = None) -> tuple[QTable, dict[str, Any]]:
        """A table and what was said about it; raises TableError. It has the room of `memory`, which may be
        full; without, or where it is too little, just the room that its rows need.
        """
        with load_arrays(path, _KIND) as (header, arrays):
            keys, values, visits = arrays["keys"], arrays["values"], arrays["visits"]
            if header["checksum"] != checksum({"keys": keys, "values": values, "visits": visits}):
                raise TableError(f"{path} is damaged: its checksum is wrong")
            spec = GameSpec.parse(header["board"])
            table = cls(spec, memory=max(row_bytes(spec) * max(1, len(keys)), memory or 0))
            rows = slice(0, len(keys))
            for mine, theirs in ((table.keys, keys), (table.values, values), (table.visits, visits)):
                if mine.dtype != theirs.dtype or mine[rows].shape != theirs.shape:
                    raise TableError(f"{path} has arrays of the wrong kind")
                mine[rows] = theirs
            about, refused = dict(header["about"]), int(header["refused"])
        table.state.rows, table.state.refused = len(keys), refused
        slots = _FIRST_SLOTS
        while slots < 2 * len(keys):
            slots *= 2
        table._fill_index(slots)
        return table, about

    def _arrays(self) -> dict[str, np.ndarray]:
        rows = slice(0, len(self))
        return {"keys": self.keys[rows], "values": self.values[rows], "visits": self.visits[rows]}

    def _fill_index(self, slots: int) -> None:
        self.index, self.old_index = np.zeros(slots, np.int32), np.zeros(0, np.int32)
        self.state.carried = 0
        enter_rows(self.index, self.keys, len(self))


def row_bytes(spec: GameSpec) -> int:
    """What a position takes: its key, a value and a count for each action, its share of the index."""
    return 8 + spec.actions * (8 + 4) + 4 * _SLOTS_PER_ROW
