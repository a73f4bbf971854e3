"""Which actions of which positions are flagged: those that promise something.

In a position that was never met all legal actions are flagged. After a choice the flag of the chosen
action follows the sign of its value. One set of flags for each exact position.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.errors import InvalidSpecError
from inarow.games.bits import Bits
from inarow.games.kernels import hash_key
from inarow.games.layout import Layout
from inarow.games.rules import landing_cell
from inarow.games.spec import GameSpec
from inarow.learning.tabular.q_index import STATE, add_row, enter_rows, find_rows

_FIRST_ROWS = 1 << 10
_MOST_ACTIONS = 62
"""Flags are the bits of an int64, and a shift past the last of them must not touch its sign."""


class FlagTable:
    """Flags by position. The arrays are for kernels: `flags[row]` belongs to `keys[row]`, for the first
    `len(table)` rows; `reserve` must be called between kernels.

    Keys are those of `games.kernels.hash_key`: exact in one word with gravity, hashed on larger boards.
    """

    def __init__(self, spec: GameSpec) -> None:
        if spec.actions > _MOST_ACTIONS:
            raise InvalidSpecError(
                f"{spec} has {spec.actions} actions; flags are kept for boards of at most {_MOST_ACTIONS}"
            )
        self.spec = spec
        self._state: Any = np.zeros(1, STATE).view(np.recarray)
        self.keys = np.zeros(0, np.uint64)
        self.flags = np.zeros(0, np.int64)
        self.index = np.zeros(0, np.int32)
        self.old_index = np.zeros(0, np.int32)
        """Always empty: this table grows between kernels."""
        self.reserve(_FIRST_ROWS)

    @property
    def state(self) -> Any:
        return self._state[0]

    def __len__(self) -> int:
        """How many positions were met."""
        return int(self.state.rows)

    def reserve(self, more: int) -> None:
        """Makes room for so many positions more."""
        rows = len(self)
        if rows + more <= len(self.keys):
            return
        room = max(rows + more, 2 * len(self.keys))
        keys, flags = np.zeros(room, np.uint64), np.zeros(room, np.int64)
        keys[:rows], flags[:rows] = self.keys[:rows], self.flags[:rows]
        self.keys, self.flags = keys, flags
        self.index = np.zeros(1 << (2 * room - 1).bit_length(), np.int32)
        enter_rows(self.index, self.keys, rows)

    def find(self, keys: np.ndarray) -> np.ndarray:
        """The flags of positions, int64 [N]; 0 for those never met."""
        rows = find_rows(np.asarray(keys, np.uint64), self.index, self.old_index, self.keys)
        return np.where(rows >= 0, self.flags[np.maximum(rows, 0)], 0)

    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """All (keys, flags), in the order in which positions were met."""
        rows = len(self)
        return self.keys[:rows].copy(), self.flags[:rows].copy()

    @classmethod
    def from_entries(cls, spec: GameSpec, keys: np.ndarray, flags: np.ndarray) -> FlagTable:
        """The inverse of `entries`."""
        table = cls(spec)
        table.reserve(len(keys))
        table.keys[: len(keys)], table.flags[: len(keys)] = keys, flags
        table.state.rows = len(keys)
        enter_rows(table.index, table.keys, len(keys))
        return table


@register_jitable
def decision_of(stones: Bits, mask: Bits, actions: int, layout: Layout) -> tuple[np.uint64, int]:
    """(The key of a position, the bit mask of its legal actions); `actions` are those of the board."""
    legal = 0
    for action in range(actions):
        if landing_cell(mask, action, layout) >= 0:
            legal |= 1 << action
    return hash_key(stones, mask, layout), legal


@register_jitable
def flags_row(
    key: np.uint64,
    legal: int,
    index: np.ndarray,
    old: np.ndarray,
    keys: np.ndarray,
    flags: np.ndarray,
    state: Any,
) -> int:
    """The row of a position in a table that has room; one that was never met gets all flags."""
    row = add_row(key, index, old, keys, state)
    if flags[row] == 0:  # no position that was met is ever without a flag
        flags[row] = legal
    return row


@register_jitable
def updated_flags(flags: int, legal: int, action: int, value: float) -> int:
    """The flags after `action` was chosen, with its present value. Where it was the only legal action
    nothing changes; when its flag was the last one, all others are flagged instead.
    """
    chosen = 1 << action
    if legal == chosen:
        return flags
    if not value < 0.0:
        return flags | chosen
    others = flags & ~chosen
    return others if others != 0 else legal & ~chosen
