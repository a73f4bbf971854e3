"""Compiled: which row of a Q-table belongs to a key.

An open-addressing index of row numbers, so that the rows themselves lie close together in the order
in which they came and never move. When the index gets crowded, `QTable` puts a larger one beside it;
every new row then carries a few slots of the old one over, so that growing is no pause. What was
carried over may stay in the old index: it says the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.compiled_bits import mixed
from inarow.games.kernels import kernel

STATE = np.dtype(
    [
        ("rows", "i8"),  # in use
        ("carried", "i8"),  # slots of the old index that were carried over
        ("refused", "i8"),  # how often a row was asked for when there was no room
    ],
    align=True,
)
_CARRY = 8
"""Slots carried over with each new row. The old index is half as long as the new one, which is far
from crowded when all of it has been carried."""


@register_jitable
def find_row(key: np.uint64, index: np.ndarray, old: np.ndarray, keys: np.ndarray) -> int:
    """The row of a key, -1 if it has none. Changes nothing."""
    row = _look_up(key, index, keys)
    return row if row >= 0 or len(old) == 0 else _look_up(key, old, keys)


@register_jitable
def add_row(key: np.uint64, index: np.ndarray, old: np.ndarray, keys: np.ndarray, state: Any) -> int:
    """The row of a key, which gets one if it has none; -1 if there is no room for it.

    The index has room (`is_crowded` says when to give it more).
    """
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
def is_crowded(index: np.ndarray, state: Any) -> bool:
    """Whether the index should be made larger before more rows come."""
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
    """Writes a row to the first free slot of its key, unless it is there."""
    last = len(index) - 1
    slot = np.int64(mixed(keys[row])) & last
    while index[slot] != 0:
        if index[slot] == row + 1:
            return
        slot = (slot + 1) & last
    index[slot] = row + 1
