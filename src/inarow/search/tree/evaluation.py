"""Evaluations of positions by a network: the contract of an evaluator, and a cache of its answers.

The cache is a table without chains: a position has one place, and a newcomer replaces the entry there. Entries of an
older generation are void, so clearing the cache costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.errors import NetError
from inarow.games.compiled_bits import mixed

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From planes float32 [n, PLANES, rows, columns] (`planes.py`) to logits [n, rows, columns] of a stone on each cell,
which matter on playable cells only, and values [n] in [-1, 1] for the side to move. `uniform_evaluator` is the
simplest example."""


def uniform_evaluator(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A uniform policy and the value 0 for every position."""
    return np.zeros(planes[:, 0].shape, np.float32), np.zeros(len(planes), np.float32)


def checked_answers(evaluate: Evaluate, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What an evaluator answers, as kernels take it: contiguous float32; raises NetError for wrong shapes."""
    logits, values = evaluate(planes)
    check_shapes(planes, logits, values)
    return np.ascontiguousarray(logits, np.float32), np.ascontiguousarray(values, np.float32)


def check_shapes(planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None:
    """Raises NetError if an evaluator does not answer as it should."""
    count, _, rows, columns = planes.shape
    if logits.shape != (count, rows, columns) or values.shape != (count,):
        raise NetError(
            f"the net answers in shapes {logits.shape} and {values.shape}; "
            f"an AlphaZero net answers in {(count, rows, columns)} and {(count,)}"
        )


_MIN_ENTRIES = 16


class Cache(NamedTuple):
    """Entries of one board and one network."""

    keys: np.ndarray  # [entries] uint64
    generation: np.ndarray  # [entries] int32, when it was written
    values: np.ndarray  # [entries] float32, for the side to move
    priors: np.ndarray  # [entries, actions] float32, of the children of a node in their order
    current: np.ndarray  # [1] int32, the generation that counts


def entry_bytes(actions: int) -> int:
    """The size of an entry."""
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


def clear_cache(cache: Cache) -> None:
    """Makes all entries void."""
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
