"""Compiled: the decorator of kernels, and the rules for use in kernels.

A kernel is a function of scalars and arrays marked `@kernel`, which may call `rules.py` and `bits.py`. Numba compiles
it for one machine word (`(rows + 1) * columns <= 64`) or for a `Wide`, depending on the numbers in its layout. With
NUMBA_DISABLE_JIT=1 the same lines run as plain Python.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_type_hints

import numba
import numpy as np
from numba.extending import register_jitable

from inarow.games import compiled_bits as compiled_bits  # registers the compiled operators
from inarow.games import rules
from inarow.games.bits import WORDS, Bits, Wide, from_int
from inarow.games.kernel_cache import cache_folder
from inarow.games.layout import Layout, layout_of
from inarow.games.position import Position
from inarow.games.spec import GameSpec

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Kind = TypeVar("_Kind")
Word = np.uint64


@lru_cache(maxsize=256)
def compiled_layout(spec: GameSpec, *, wide: bool | None = None) -> Layout:
    """The layout of `spec` for kernels: in one word if the board fits and `wide` is not set, else in five."""
    plain = layout_of(spec)
    use_word = spec.fits_word if wide is None else not wide
    kind: Any = np.uint64(0) if use_word else Wide.from_int(0)
    return plain._replace(bottom=from_int(plain.bottom, kind), board=from_int(plain.board, kind))


def bits_of(position: Position, layout: Layout) -> tuple[Any, Any]:
    """Stones and mask of a position, in the number type of a layout for kernels."""
    return from_int(position.stones, layout.board), from_int(position.mask, layout.board)


# --- The decorator ---


def kernel(function: _Function, *, folder: Path | None = None) -> _Function:
    """Compiles `function` when first called, without the GIL, and caches machine code on disk, in `folder` if given."""
    config: Any = numba.config
    before = config.CACHE_DIR
    if folder is not None or not before:  # otherwise keep a folder chosen by the user
        config.CACHE_DIR = str(folder or cache_folder())
    try:
        return cast(_Function, numba.njit(cache=True, nogil=True)(function))
    finally:
        config.CACHE_DIR = before


def is_cache_empty() -> bool:
    """Whether the cache on disk has no kernel yet."""
    config: Any = numba.config
    return next(Path(config.CACHE_DIR or cache_folder()).rglob("*.nbi"), None) is None


# --- Records and arrays that kernels change in place ---

_FORMATS: dict[object, tuple[str]] = {int: ("i8",), bool: ("i8",), float: ("f8",), np.uint64: ("u8",)}


@cache
def _fields(kind: type) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """The names of the fields with the types and shapes of their annotations."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple((name, _FORMATS.get(hint) or get_args(hint)[1:]) for name, hint in hints.items())


def record_type(kind: type) -> np.dtype[np.void]:
    """The NumPy type of records with the fields of a class: `int`, `bool`, `float`, `np.uint64`, or an array as
    `Annotated[np.ndarray, type, shape]`. Kernels pass a record by one pointer.
    """
    return np.dtype([(name, *form) for name, form in _fields(kind)], align=True)


def new_record(kind: type[_Kind]) -> _Kind:
    """A record of zeros with the fields of a class."""
    return cast(_Kind, np.zeros(1, record_type(kind)).view(np.recarray)[0])


def new_arrays(kind: type[_Kind], allocate: Callable[..., np.ndarray] = np.zeros, /, **sizes: int) -> _Kind:
    """A NamedTuple of arrays made by `allocate`, such as `np.zeros`. Its fields are `Annotated[np.ndarray, type,
    shape]`, where a shape is a string of names of `sizes`, such as `"games actions"`.
    """
    fields = _fields(cast(type, kind))
    return kind(*(allocate([sizes[name] for name in shape.split()], dtype) for _, (dtype, shape) in fields))


def board_sizes(layout: Layout) -> dict[str, int]:
    """Sizes of a board for `new_arrays`: `words` of a set of cells, `plies` of a game with its start, and others."""
    cells, words = layout.rows * layout.columns, WORDS if isinstance(layout.board, Wide) else 1
    numbers = {"cells": cells, "plies": cells + 1, "actions": rules.action_count(layout), "words": words}
    return {"rows": layout.rows, "columns": layout.columns, **numbers}


# --- The rules ---

for _rule in vars(rules).values():
    if getattr(_rule, "__module__", None) == rules.__name__:
        register_jitable(_rule)


def completes_line(stones: Bits, cell: int, layout: Layout) -> bool:
    """Whether the stone on `cell`, played last, made a line. Not checked: there was no line before it."""
    return rules.has_line_through(stones, cell, layout)


compiled_bits.compile_both(
    completes_line,
    wide=lambda stones, cell, layout: rules.has_line_through(stones, cell, layout),
    # In one word the whole board costs less than a walk along four lines.
    word=lambda stones, cell, layout: rules.has_line(stones, layout),
)


@register_jitable
def hash_key(stones: Bits, mask: Bits, layout: Layout) -> np.uint64:
    """64 bits that identify a position: unique on one-word boards with gravity, and on boards without gravity of at
    most 32 bits (5x5); on others two positions collide with probability 2^-64.
    """
    if layout.gravity:
        return compiled_bits.fold(rules.gravity_key(stones, mask, layout))
    if layout.stride * layout.columns <= 32:
        return (compiled_bits.fold(mask) << 32) ^ compiled_bits.fold(stones)
    return compiled_bits.mixed(compiled_bits.fold(mask)) ^ compiled_bits.fold(stones)
