"""Playing from a table of the best moves per position."""

from __future__ import annotations

import array
import base64
import itertools
import random
import zlib

from inarow.adapters.kaggle_export.player.base import Deadline, Rules, check_board


class TablePlayer:
    """Draws among the best columns of a position, or among all legal ones if the position is unknown.

    `keys` and `choices` are packed arrays of 64-bit numbers: positions, and the sets of their best
    columns. `mirrors` says that a position and its mirror image share a row, that of the smaller key.
    """

    def __init__(self, rows: int, columns: int, inarow: int, mirrors: bool, keys: str, choices: str) -> None:
        self._board = rows, columns, inarow
        self._mirrors = mirrors
        self._choices = dict(zip(unpacked(keys), unpacked(choices), strict=True))

    def choose(self, rules: Rules, own: int, both: int, deadline: Deadline) -> int:
        check_board(rules, self._board, "table")
        key, mirrored = position_key(own, both, rules), False
        if self._mirrors:
            other = position_key(mirror_cells(own, rules), mirror_cells(both, rules), rules)
            key, mirrored = (other, True) if other < key else (key, False)
        choices = self._choices.get(key, 0)
        columns = [column for column in range(rules.columns) if choices >> column & 1]
        if mirrored:
            columns = [rules.columns - 1 - column for column in columns]
        return random.choice(columns or rules.legal_columns(both))


def position_key(own: int, both: int, rules: Rules) -> int:
    """A number that no other position has: the stones of the side to move, and the first free bit of every column."""
    return own | (both << 1 | rules.bottom) & ~both


def mirror_cells(cells: int, rules: Rules) -> int:
    """The same cells with left and right exchanged."""
    column_cells = (1 << rules.stride) - 1
    mirrored = 0
    for column in range(rules.columns):
        mirrored |= (cells >> column * rules.stride & column_cells) << (rules.columns - 1 - column) * rules.stride
    return mirrored


def packed(numbers: list[int]) -> str:
    """Numbers as text; differences of neighbours, which are small in an ascending list, compress well."""
    steps = [(number - before) % 2**64 for before, number in zip([0, *numbers], numbers, strict=False)]
    return base64.b85encode(zlib.compress(array.array("Q", steps).tobytes(), 9)).decode()


def unpacked(text: str) -> list[int]:
    """The inverse of `packed`."""
    steps = array.array("Q", zlib.decompress(base64.b85decode(text)))
    return list(itertools.accumulate(steps, lambda last, step: (last + step) % 2**64))
