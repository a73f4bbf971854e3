"""Sets of actions in kernels: an int64 with action a as bit a, or a `Wide` on boards with more actions than that holds.

In arrays the sets are rows: int64 [N], or uint64 [N, words]. The kind of an array decides the kind of its sets.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from inarow.games import bits
from inarow.games.bits import WORDS, Wide
from inarow.games.compiled_bits import compile_both, compiles

ActionSet = Any
"""A Python integer, an int64 or a `Wide`; operators `& | ^ ~` work on all."""

MOST_IN_WORD = 62  # actions of an int64; a shift past the last one must not change its sign
_ONE = np.uint64(1)


def has_action(actions: ActionSet, action: int) -> bool:
    """Whether `action` is in the set."""
    return bits.has_cell(actions, action)


def single_action(action: int, like: ActionSet) -> ActionSet:
    """The set of one action, of the same type as `like`."""
    return Wide.from_int(1 << int(action)) if isinstance(like, Wide) else 1 << int(action)


def any_action(actions: ActionSet) -> bool:
    """Whether the set has a member."""
    return bits.to_int(actions) != 0


def load_actions(rows: np.ndarray, row: int) -> ActionSet:
    """The set stored in a row."""
    return rows[row] if rows.ndim == 1 else Wide(*rows[row])


def store_actions(rows: np.ndarray, row: int, actions: ActionSet) -> None:
    """Writes a set to a row."""
    rows[row] = actions


def clear_actions(rows: np.ndarray, row: int) -> None:
    """Makes the set stored in a row empty."""
    rows[row] = 0


def add_action(rows: np.ndarray, row: int, action: int) -> None:
    """Adds an action to the set stored in a row."""
    if rows.ndim == 1:
        rows[row] |= 1 << action
    else:
        rows[row, action >> 6] |= _ONE << np.uint64(action & 63)


def _wide_single(action: int, like: Wide) -> Wide:
    return bits.single_cell(action, like)


def _wide_has(actions: Wide, action: int) -> bool:
    return bits.has_cell(actions, action)


def _wide_any(actions: Wide) -> bool:
    return bits.any_cell(actions)


compile_both(has_action, wide=_wide_has, word=lambda actions, action: actions >> action & 1 == 1)
compile_both(single_action, wide=_wide_single, word=lambda action, like: 1 << action)
compile_both(any_action, wide=_wide_any, word=lambda actions: actions != 0)


def _by_kind(function: Callable[..., Any], *, wide: Callable[..., Any], word: Callable[..., Any]) -> None:
    """Compiles a function of rows as `wide` for words by row, else as `word`."""
    compiles(function)(lambda rows, *others: wide if rows.ndim == 2 else word)


def _load_word(rows: Any, row: int) -> Any:
    return rows[row]


def _load_wide(rows: Any, row: int) -> Wide:
    return Wide(rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3], rows[row, 4])


def _store_word(rows: Any, row: int, actions: int) -> None:
    rows[row] = actions


def _store_wide(rows: Any, row: int, actions: Wide) -> None:
    for place in range(WORDS):
        rows[row, place] = actions[place]


def _clear_word(rows: Any, row: int) -> None:
    rows[row] = 0


def _clear_wide(rows: Any, row: int) -> None:
    for place in range(WORDS):
        rows[row, place] = 0


def _add_word(rows: Any, row: int, action: int) -> None:
    rows[row] |= 1 << action


def _add_wide(rows: Any, row: int, action: int) -> None:
    rows[row, action >> 6] |= _ONE << (action & 63)


_by_kind(load_actions, wide=_load_wide, word=_load_word)
_by_kind(store_actions, wide=_store_wide, word=_store_word)
_by_kind(clear_actions, wide=_clear_wide, word=_clear_word)
_by_kind(add_action, wide=_add_wide, word=_add_word)


# --- Outside kernels ---


def empty_rows(count: int, actions: int) -> np.ndarray:
    """Empty sets, for a board with this many actions."""
    return np.zeros(count, np.int64) if actions <= MOST_IN_WORD else np.zeros((count, WORDS), np.uint64)


def rows_of(sets: Sequence[Iterable[int]], actions: int) -> np.ndarray:
    """Rows with these sets, for a board with this many actions."""
    rows = empty_rows(len(sets), actions)
    for row, members in enumerate(sets):
        for action in members:
            add_action(rows, row, int(action))
    return rows


def kernel_set(number: int, actions: int) -> ActionSet:
    """A Python integer as a set for kernels, for a board with this many actions."""
    return number if actions <= MOST_IN_WORD else Wide.from_int(number)


def int_of(actions: ActionSet) -> int:
    """A set as a Python integer."""
    return bits.to_int(actions)
