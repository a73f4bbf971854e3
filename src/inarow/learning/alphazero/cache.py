"""Compiled: what the network said about positions, kept until the network changes.

A table without chains: a position has one place, and a newcomer takes it. Entries of an older
generation do not count, so forgetting everything costs nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.compiled_bits import mixed

_MIN_ENTRIES = 16


class Cache(NamedTuple):
    """Entries of one board and one network."""

    keys: np.ndarray  # [entries] uint64
    generation: np.ndarray  # [entries] int32, when it was written
    values: np.ndarray  # [entries] float32, for the side to move
    priors: np.ndarray  # [entries, actions] float32, of the children of a node in their order
    current: np.ndarray  # [1] int32, the generation that counts


def entry_bytes(actions: int) -> int:
    """What an entry takes."""
    return 8 + 4 + 4 + 4 * actions


def make_cache(memory: int, actions: int) -> Cache:
    """An empty cache of at most `memory` bytes, and at least a few entries: a power of two."""
    entries = max(_MIN_ENTRIES, 1 << (memory // entry_bytes(actions)).bit_length() - 1)
    return Cache(
        keys=np.zeros(entries, np.uint64),
        generation=np.zeros(entries, np.int32),
        values=np.zeros(entries, np.float32),
        priors=np.zeros((entries, actions), np.float32),
        current=np.ones(1, np.int32),
    )


def forget(cache: Cache) -> None:
    """Leaves no entry that counts."""
    cache.current[0] += 1


@register_jitable
def entry_of(key: np.uint64, cache: Cache) -> int:
    """The one place of a position."""
    return np.int64(mixed(key) & np.uint64(len(cache.keys) - 1))


@register_jitable
def has_entry(key: np.uint64, entry: int, cache: Cache) -> bool:
    """Whether the place holds this position."""
    return cache.keys[entry] == key and cache.generation[entry] == cache.current[0]


@register_jitable
def keep(key: np.uint64, entry: int, value: float, prior: np.ndarray, first: int, size: int, cache: Cache) -> None:
    """Writes an entry: the value, and the priors of a block of children."""
    cache.keys[entry] = key
    cache.generation[entry] = cache.current[0]
    cache.values[entry] = value
    for child in range(size):
        cache.priors[entry, child] = prior[first + child]
