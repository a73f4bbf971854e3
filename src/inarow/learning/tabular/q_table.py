"""Q-tables: the value of every action in every position met.

Compiled: an open-addressing index finds the row of a key. Rows are contiguous, in the order of insertion, and never
move. When the index fills up, `QTable` adds a larger one; every new row then copies a few slots of the old index, so
that growth causes no pause. A copied slot stays valid in the old index.

A table file is an `.npz` of four arrays: `keys` (uint64 [N]), `values` (float64 [N, A]), `visits` (int32 [N, A]) in
the order in which positions were met, and `header` (bytes of a JSON object with format, version, board, rows,
checksum, and what the writer adds: learner, config, seed). It is read without pickle; any other file is rejected.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.errors import InvalidLimitError, TableError
from inarow.games import GameSpec
from inarow.games.compiled_bits import mixed
from inarow.games.kernels import kernel, new_record
from inarow.storage.array_file import FileKind, checksum, load_arrays, save_arrays

DEFAULT_MEMORY = 512 << 20
_KIND = FileKind("inarow-q-table", 1, "a Q-table", TableError, max_bytes=64 << 30)
_SAVED = ("keys", "values", "visits")
_FIRST_SLOTS = 1 << 12
_SLOTS_PER_ROW = 4  # of int32: the largest index has less than 3 slots per row, the old index half of that
_CARRY = 8
"""Slots copied with each new row. The old index is half as long as the new one, which is far from full when all slots
have been copied."""


class IndexState:
    """The state of an index, as a record."""

    rows: int  # number of rows in use
    carried: int  # number of slots copied from the old index
    refused: int  # number of requests for a new row that did not fit


class QArrays(NamedTuple):
    """A Q-table for kernels. `values[row]` and `visits[row]` belong to `keys[row]`.

    Kernels unpack it at entry: passing it to the index functions would count references at every ply.
    """

    index: np.ndarray  # [slots] int32: row + 1, 0 if free
    old: np.ndarray  # [slots or 0] int32: the previous, smaller index
    keys: np.ndarray  # [N] uint64
    state: IndexState
    values: np.ndarray  # [N, A] float64
    visits: np.ndarray  # [N, A] int32


@register_jitable
def find_row(key: np.uint64, index: np.ndarray, old: np.ndarray, keys: np.ndarray) -> int:
    """The row of a key, -1 if it has none."""
    row = _look_up(key, index, keys)
    return row if row >= 0 or len(old) == 0 else _look_up(key, old, keys)


@register_jitable
def add_row(key: np.uint64, index: np.ndarray, old: np.ndarray, keys: np.ndarray, state: IndexState) -> int:
    """The row of a key, added if missing; -1 if the table is full. Not checked: the index has space (`is_crowded`)."""
    row = find_row(key, index, old, keys)
    if row >= 0:
        return row
    if state.rows == len(keys):
        state.refused += 1
        return -1
    row = state.rows
    state.rows += 1
    keys[row] = key
    _enter(row, index, keys)
    end = min(state.carried + _CARRY, len(old))
    for slot in range(state.carried, end):
        if old[slot] != 0:
            _enter(old[slot] - 1, index, keys)
    state.carried = end
    return row


@register_jitable
def is_crowded(index: np.ndarray, state: IndexState) -> bool:
    """Whether the index must grow before rows are added."""
    return 4 * state.rows > 3 * len(index)


@kernel
def enter_rows(index: np.ndarray, keys: np.ndarray, rows: int) -> None:
    """Fills an empty index with the first `rows` keys."""
    for row in range(rows):
        _enter(row, index, keys)


@kernel
def find_rows(wanted: np.ndarray, index: np.ndarray, old: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """The rows of many keys: int64 [N], -1 where there is none."""
    rows = np.empty(len(wanted), np.int64)
    for place in range(len(wanted)):
        rows[place] = find_row(wanted[place], index, old, keys)
    return rows


@register_jitable
def _look_up(key: np.uint64, index: np.ndarray, keys: np.ndarray) -> int:
    last = len(index) - 1
    slot = np.int64(mixed(key)) & last
    while index[slot] != 0:
        row = index[slot] - 1
        if keys[row] == key:
            return row
        slot = (slot + 1) & last
    return -1


@register_jitable
def _enter(row: int, index: np.ndarray, keys: np.ndarray) -> None:
    """Writes a row to the first free slot of its key, unless the table has it."""
    last = len(index) - 1
    slot = np.int64(mixed(keys[row])) & last
    while index[slot] != 0:
        if index[slot] == row + 1:
            return
        slot = (slot + 1) & last
    index[slot] = row + 1


class QTable:
    """Values and visits by key, in at most `memory` bytes.

    Kernels work on `arrays`. Only the first `len(table)` rows are in use; the system allocates memory on first use.
    Call `reserve` between kernels and get `arrays` again after it.
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
        self.state = new_record(IndexState)

    @property
    def arrays(self) -> QArrays:
        """The arrays for kernels, valid until the next `reserve`."""
        return QArrays(self.index, self.old_index, self.keys, self.state, self.values, self.visits)

    def __len__(self) -> int:
        return int(self.state.rows)

    @property
    def refused(self) -> int:
        """The number of requests for a new row that did not fit."""
        return int(self.state.refused)

    def reserve(self) -> None:
        """Starts a larger index if the current one is half full, and drops an old one that is fully copied."""
        if self.state.carried == len(self.old_index):
            self.old_index = self.old_index[:0]
        if 2 * len(self) > len(self.index):
            if len(self.old_index):  # a second growth before all slots were copied: copy the others now
                self._fill_index(len(self.index))
            self.old_index, self.index = self.index, np.zeros(2 * len(self.index), np.int32)
            self.state.carried = 0
        assert not is_crowded(self.index, self.state)

    def find(self, keys: np.ndarray) -> np.ndarray:
        """The rows of keys, uint64 [N]: int64 [N], -1 where there is none."""
        return find_rows(keys, self.index, self.old_index, self.keys)

    def save(self, path: Path, **about: object) -> None:
        """Writes the file atomically; `about` goes to its header and must be JSON."""
        rows = len(self)
        arrays: dict[str, np.ndarray] = {name: getattr(self, name)[:rows] for name in _SAVED}
        header = {"board": str(self.spec), "rows": rows, "refused": self.refused, "checksum": checksum(arrays)}
        save_arrays(path, _KIND, {**header, "about": about}, arrays)

    @classmethod
    def load(cls, path: Path, *, memory: int | None = None) -> tuple[QTable, dict[str, Any]]:
        """A table and the `about` of its header; raises TableError. The table has space for `memory` bytes, or exactly
        for its rows if that is too little or not given.
        """
        with load_arrays(path, _KIND) as (header, arrays):
            saved = {name: arrays[name] for name in _SAVED}
            if header["checksum"] != checksum(saved):
                raise TableError(f"{path} is damaged: its checksum is wrong")
            spec, rows = GameSpec.parse(header["board"]), len(saved["keys"])
            table = cls(spec, memory=max(row_bytes(spec) * max(1, rows), memory or 0))
            for name, theirs in saved.items():
                mine = getattr(table, name)[:rows]
                if mine.dtype != theirs.dtype or mine.shape != theirs.shape:
                    raise TableError(f"{path} has arrays of the wrong kind")
                mine[:] = theirs
            about, refused = dict(header["about"]), int(header["refused"])
        table.state.rows, table.state.refused = rows, refused
        table._fill_index(max(_FIRST_SLOTS, 1 << (2 * rows - 1).bit_length()))
        return table, about

    def _fill_index(self, slots: int) -> None:
        self.index, self.old_index = np.zeros(slots, np.int32), np.zeros(0, np.int32)
        self.state.carried = 0
        enter_rows(self.index, self.keys, len(self))


def row_bytes(spec: GameSpec) -> int:
    """Bytes per position: its key, a value and a count for each action, its share of the index."""
    return 8 + spec.actions * (8 + 4) + 4 * _SLOTS_PER_ROW
