"""A number of 320 bits, for boards that do not fit one machine word (up to 16x16 with sentinels).

It supports exactly what `rules.py` needs. This file is the plain-Python meaning; `kernels.py` gives
the compiled one, word by word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

WORDS = 5
_WORD_MASK = (1 << 64) - 1


class Wide(NamedTuple):
    """Five 64-bit words, the lowest first. Bits shifted beyond the highest are lost."""

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
        return self._combine(other, int.__and__)

    def __or__(self, other: Wide) -> Wide:
        return self._combine(other, int.__or__)

    def __xor__(self, other: Wide) -> Wide:
        return self._combine(other, int.__xor__)

    def __invert__(self) -> Wide:
        return Wide.from_int(~self.to_int())

    def __lshift__(self, distance: int) -> Wide:
        return Wide.from_int(self.to_int() << int(distance))

    def __rshift__(self, distance: int) -> Wide:
        return Wide.from_int(self.to_int() >> int(distance))

    def _combine(self, other: Wide, operation: Callable[[int, int], int]) -> Wide:
        return Wide.from_int(operation(self.to_int(), other.to_int()))
