"""Input and output of networks: planes, the contract of an evaluator, and a cache of its answers.

Everything is for the side to move. Planes contain only features that follow from the rules: stones, playable cells,
cells that complete a line, and the cells of a column that a side gets if both sides fill it in turn.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.errors import NetError
from inarow.games import Position
from inarow.games.bits import Bits, has_cell
from inarow.games.compiled_bits import mixed
from inarow.games.kernels import bits_of, compiled_layout, kernel, new_arrays
from inarow.games.layout import Layout
from inarow.games.rules import playable, winning_cells

PLANES = 9
OWN, OTHER, PLAYABLE, OWN_WINS, OTHER_WINS, PARITY, IS_FIRST, INAROW, ON_BOARD = range(PLANES)
"""The winning cells are all empty cells that complete a line, playable or not. PARITY is 1 on
rows 1, 3, ... from the bottom for the first side and on the other rows for the second. IS_FIRST, INAROW
(as a share of MAX_LINE) and ON_BOARD (1) are constant: the last distinguishes cells from padding."""
MAX_LINE = np.float32(8.0)


@register_jitable
def write_planes(planes: np.ndarray, place: int, stones: Bits, mask: Bits, ply: int, layout: Layout) -> None:
    """Writes a position into `planes[place]`."""
    others = mask ^ stones
    free = playable(mask, layout)
    own_wins, other_wins = winning_cells(stones, mask, layout), winning_cells(others, mask, layout)
    is_first, line = (ply + 1) % 2, np.float32(layout.inarow) / MAX_LINE
    for height in range(layout.rows):
        row, parity = layout.rows - 1 - height, (height + ply + 1) % 2
        for column in range(layout.columns):
            cell = column * layout.stride + height
            planes[place, OWN, row, column] = has_cell(stones, cell)
            planes[place, OTHER, row, column] = has_cell(others, cell)
            planes[place, PLAYABLE, row, column] = has_cell(free, cell)
            planes[place, OWN_WINS, row, column] = has_cell(own_wins, cell)
            planes[place, OTHER_WINS, row, column] = has_cell(other_wins, cell)
            planes[place, PARITY, row, column] = parity
            planes[place, IS_FIRST, row, column] = is_first
            planes[place, INAROW, row, column] = line
            planes[place, ON_BOARD, row, column] = 1.0


_write_from_python = kernel(write_planes)


def planes_of(position: Position) -> np.ndarray:
    """The planes of one position."""
    layout = compiled_layout(position.spec)
    planes = np.empty((1, PLANES, layout.rows, layout.columns), np.float32)
    _write_from_python(planes, 0, *bits_of(position, layout), position.ply, layout)
    return planes[0]


# --- The evaluator ---

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From planes float32 [n, PLANES, rows, columns] to logits [n, rows, columns] of a stone on each cell,
of which only those of playable cells are used, and values [n] in [-1, 1] for the side to move. `uniform_evaluator` is
the simplest example."""


def uniform_evaluator(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A uniform policy and the value 0 for every position."""
    return np.zeros(planes[:, 0].shape, np.float32), np.zeros(len(planes), np.float32)


def checked_answers(planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The answers of an evaluator in the form that kernels take: contiguous float32; raises NetError for wrong
    shapes.
    """
    count, _, rows, columns = planes.shape
    if logits.shape != (count, rows, columns) or values.shape != (count,):
        raise NetError(
            f"the net answers in shapes {logits.shape} and {values.shape}; "
            f"an AlphaZero net answers in {(count, rows, columns)} and {(count,)}"
        )
    return np.ascontiguousarray(logits, np.float32), np.ascontiguousarray(values, np.float32)


# --- The cache ---


class Cache(NamedTuple):
    """A direct-mapped cache for one board and one network: a position has one possible place, and a new entry replaces
    the one there. Entries of an older generation are invalid, so clearing the cache costs nothing.
    """

    keys: Annotated[np.ndarray, np.uint64, "entries"]
    generation: Annotated[np.ndarray, np.int32, "entries"]  # when it was written
    values: Annotated[np.ndarray, np.float32, "entries"]  # for the side to move
    priors: Annotated[np.ndarray, np.float32, "entries actions"]  # of the children of a node, in order
    current: Annotated[np.ndarray, np.int32, "one"]  # the current generation


def make_cache(memory: int, actions: int) -> Cache:
    """An empty cache of at most `memory` bytes; the number of entries is a power of two, at least 16."""
    entry_bytes = 8 + 4 + 4 + 4 * actions
    entries = max(16, 1 << (memory // entry_bytes).bit_length() - 1)
    cache = new_arrays(Cache, entries=entries, actions=actions, one=1)
    clear_cache(cache)
    return cache


def clear_cache(cache: Cache) -> None:
    cache.current[0] += 1


@register_jitable
def entry_of(key: np.uint64, cache: Cache) -> int:
    """The only possible place of a position."""
    return np.int64(mixed(key) & np.uint64(len(cache.keys) - 1))


@register_jitable
def has_entry(key: np.uint64, entry: int, cache: Cache) -> bool:
    """Whether the entry is for this position."""
    return cache.keys[entry] == key and cache.generation[entry] == cache.current[0]


@register_jitable
def keep(key: np.uint64, entry: int, value: float, prior: np.ndarray, first: int, size: int, cache: Cache) -> None:
    """Writes an entry: the value, and the priors of a block of children."""
    cache.keys[entry] = key
    cache.generation[entry] = cache.current[0]
    cache.values[entry] = value
    for child in range(size):
        cache.priors[entry, child] = prior[first + child]
