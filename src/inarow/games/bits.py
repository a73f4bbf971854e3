"""Sets of cells: the operations that the rules need besides `& | ^ ~ << >>`.

A set is a Python `int`, a `numpy.uint64` or a `Wide`; cell i is bit i (see `layout.py`). This file implements
them in plain Python for all three; `compiled_bits.py` compiles the last two.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, Self, TypeVar, cast

import numpy as np

WORDS = 5
_WORD_MASK = (1 << 64) - 1


class _Bits(Protocol):
    def __and__(self, other: Self, /) -> Self: ...
    def __or__(self, other: Self, /) -> Self: ...
    def __xor__(self, other: Self, /) -> Self: ...
    def __invert__(self) -> Self: ...
    def __lshift__(self, distance: int, /) -> Self: ...
    def __rshift__(self, distance: int, /) -> Self: ...


Bits = TypeVar("Bits", bound=_Bits)


class Wide(NamedTuple):
    """320 bits as five words, the lowest first, for boards that do not fit one word. Bits shifted out at the top are
    lost.
    """

    w0: np.uint64
    w1: np.uint64
    w2: np.uint64
    w3: np.uint64
    w4: np.uint64

    @classmethod
    def from_int(cls, number: int) -> Wide:
        """The lowest 320 bits of `number`."""
        return cls(*(np.uint64(number >> 64 * word & _WORD_MASK) for word in range(WORDS)))

    def to_int(self) -> int:
        return sum(int(word) << 64 * place for place, word in enumerate(self))

    def __and__(self, other: Wide) -> Wide:
        return Wide.from_int(self.to_int() & other.to_int())

    def __or__(self, other: Wide) -> Wide:
        return Wide.from_int(self.to_int() | other.to_int())

    def __xor__(self, other: Wide) -> Wide:
        return Wide.from_int(self.to_int() ^ other.to_int())

    def __invert__(self) -> Wide:
        return Wide.from_int(~self.to_int())

    def __lshift__(self, distance: int) -> Wide:
        return Wide.from_int(self.to_int() << int(distance))

    def __rshift__(self, distance: int) -> Wide:
        return Wide.from_int(self.to_int() >> int(distance))


def to_int(cells: _Bits) -> int:
    """The set as a Python integer."""
    if type(cells) is int:
        return cells
    return cells.to_int() if isinstance(cells, Wide) else int(cast(int, cells))


def from_int(number: int, like: Bits) -> Bits:
    """The set whose bits are those of `number`, of the same type as `like`."""
    if isinstance(like, Wide):
        return cast(Bits, Wide.from_int(number))
    return cast(Bits, np.uint64(number) if isinstance(like, np.uint64) else number)


def any_cell(cells: _Bits) -> bool:
    """Whether the set has a member."""
    return cells != 0 if type(cells) is int else to_int(cells) != 0


def has_cell(cells: _Bits, cell: int) -> bool:
    """Whether `cell` is in the set."""
    return bool(to_int(cells) >> int(cell) & 1)


def single_cell(cell: int, like: Bits) -> Bits:
    """The set of one cell, of the same type as `like`."""
    return from_int(1 << int(cell), like)


def count_cells(cells: _Bits) -> int:
    """The number of members."""
    return to_int(cells).bit_count()


def first_cell(cells: _Bits) -> int:
    """The lowest member of a set that is not empty."""
    number = to_int(cells)
    return (number & -number).bit_length() - 1


def load(rows: np.ndarray, row: int, like: Bits) -> Bits:
    """The set stored in `rows[row]`, an array of uint64 [N, words of `like`]."""
    return from_int(sum(int(word) << 64 * place for place, word in enumerate(rows[row])), like)


def store(rows: np.ndarray, row: int, cells: _Bits) -> None:
    """Writes a set to `rows[row]`, an array of uint64 [N, words of `cells`]."""
    number = to_int(cells)
    for place in range(rows.shape[1]):
        rows[row, place] = number >> 64 * place & _WORD_MASK
