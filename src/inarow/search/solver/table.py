"""Compiled: the transposition table, with one 64-bit word per entry.

    63                      16 15   12 11       6 5        0
    [          tag            ][ work ][ ceiling ][ floor  ]

floor is lower + 32 and ceiling is 31 - upper, so an empty word means that nothing is known (-32 <= score <= 31). work
is the binary logarithm of the nodes spent. A key is scrambled by a bijection; its low bits choose a bucket of two
slots, all others are the tag: no bit is dropped, so a matching tag proves that the position is the same.

An entry is read and written as one aligned word, and a stored bound is always valid, so threads need no locks.
"""

import numpy as np
from numba.extending import register_jitable

from inarow.games.kernels import Word
from inarow.search.solver.lanes import bit_length

LOWEST, HIGHEST = -32, 31  # the scores that an entry can hold, and the bounds of an unknown position

MIN_BUCKET_BITS = 16  # log2 of the least number of buckets: keys have up to 64 bits and tags 48

_SCRAMBLER = np.uint64(0x9E3779B97F4A7C15)
_ONE, _SIX, _TWELVE, _SIXTEEN = np.uint64(1), np.uint64(6), np.uint64(12), np.uint64(16)
_SIX_BITS, _FOUR_BITS = np.uint64(63), np.uint64(15)
_NOTHING = np.uint64(0)

inlined = register_jitable(forceinline=True)


@inlined
def scramble(key: Word, key_bits: Word, key_mask: Word) -> Word:
    """A bijection of the numbers below 2^key_bits (xor-shift, odd factor, xor-shift)."""
    half = key_bits >> _ONE
    key ^= key >> half
    key = (key * _SCRAMBLER) & key_mask
    return key ^ (key >> half)


@inlined
def lower_of(word: Word) -> int:
    return np.int64(word & _SIX_BITS) + LOWEST


@inlined
def upper_of(word: Word) -> int:
    return HIGHEST - np.int64((word >> _SIX) & _SIX_BITS)


@inlined
def probe(table: np.ndarray, bucket: Word, tag: Word) -> Word:
    """The entry of `tag` in the bucket that starts at `bucket`, or zero: nothing known."""
    word = table[bucket]
    if word >> _SIXTEEN == tag:
        return word
    word = table[bucket + _ONE]
    if word >> _SIXTEEN == tag:
        return word
    return _NOTHING


@register_jitable
def store(table: np.ndarray, bucket: Word, tag: Word, lower: int, upper: int, nodes: int) -> None:
    """Merges bounds into the entry of `tag`; a new entry replaces the cheaper one of its bucket."""
    slot = bucket
    word = table[bucket]
    if word >> _SIXTEEN != tag:
        other = table[bucket + _ONE]
        if other >> _SIXTEEN == tag:
            slot, word = bucket + _ONE, other
        else:
            if _work(other) < _work(word):
                slot = bucket + _ONE
            word = _NOTHING
    work = max(min(bit_length(nodes), 15), _work(word))
    lower = max(lower, lower_of(word))
    upper = min(upper, upper_of(word))
    table[slot] = (
        (tag << _SIXTEEN)
        | (np.uint64(work) << _TWELVE)
        | (np.uint64(HIGHEST - upper) << _SIX)
        | np.uint64(lower - LOWEST)
    )


@inlined
def _work(word: Word) -> int:
    """The binary logarithm of the nodes spent on an entry."""
    return np.int64((word >> _TWELVE) & _FOUR_BITS)
