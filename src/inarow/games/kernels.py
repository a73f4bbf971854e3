"""Compiled: the decorator of kernels, and the rules for use in kernels.

A kernel is a function of scalars and arrays marked `@kernel`, which may call `rules.py` and `bits.py`. Numba compiles
it for one machine word (`(rows + 1) * columns <= 64`) or for a `Wide`, depending on the numbers in its layout. With
NUMBA_DISABLE_JIT=1 the same lines run as plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import numba
import numpy as np
from numba.extending import register_jitable

from inarow.games import compiled_bits as compiled_bits  # for its effect
from inarow.games import rules
from inarow.games.bits import Bits, Wide, from_int
from inarow.games.kernel_cache import cache_folder
from inarow.games.layout import Layout, layout_of
from inarow.games.position import Position
from inarow.games.spec import GameSpec

_Function = TypeVar("_Function", bound=Callable[..., Any])


@lru_cache(maxsize=256)
def compiled_layout(spec: GameSpec, *, wide: bool | None = None) -> Layout:
    """The layout of `spec` for kernels: in one word where the board fits, else, or if `wide`, in five."""
    plain = layout_of(spec)
    use_word = spec.fits_word if wide is None else not wide
    kind: Any = np.uint64(0) if use_word else Wide.from_int(0)
    return plain._replace(bottom=from_int(plain.bottom, kind), board=from_int(plain.board, kind))


def bits_of(position: Position, layout: Layout) -> tuple[Any, Any]:
    """Stones and mask of a position, in the kind of number that a layout for kernels has."""
    return from_int(position.stones, layout.board), from_int(position.mask, layout.board)


# --- The decorator ---


def kernel(function: _Function, *, folder: Path | None = None) -> _Function:
    """Compiles `function` when first called, without the GIL, and caches machine code on disk, in `folder` if given."""
    config: Any = numba.config
    before = config.CACHE_DIR
    if folder is not None or not before:  # else a folder chosen by the user stays
        config.CACHE_DIR = str(folder or cache_folder())
    try:
        return cast(_Function, numba.njit(cache=True, nogil=True)(function))
    finally:
        config.CACHE_DIR = before


def is_cache_empty() -> bool:
    """Whether the cache on disk has no kernel yet."""
    config: Any = numba.config
    return next(Path(config.CACHE_DIR or cache_folder()).rglob("*.nbi"), None) is None


# --- Records ---

Int = Annotated[int, "i8"]
Flag = Annotated[bool, "i8"]
Word = Annotated[np.uint64, "u8"]


def record_type(kind: type) -> np.dtype[np.void]:
    """The NumPy type of records with the fields of a class: `Int`, `Flag`, `Word`, or `Annotated` with a format and
    possibly a shape. Kernels pass a record by one pointer.
    """
    fields = get_type_hints(kind, include_extras=True)
    return np.dtype([(name, *field.__metadata__) for name, field in fields.items()], align=True)


# --- The rules ---

for _rule in vars(rules).values():
    if getattr(_rule, "__module__", None) == rules.__name__:
        register_jitable(_rule)


def completes_line(stones: Bits, cell: int, layout: Layout) -> bool:
    """Whether the stone on `cell`, played last, made a line. There was none before it."""
    return rules.has_line_through(stones, cell, layout)


compiled_bits.compile_both(
    completes_line,
    wide=lambda stones, cell, layout: rules.has_line_through(stones, cell, layout),
    # In one word the whole board costs less than a walk along four lines.
    word=lambda stones, cell, layout: rules.has_line(stones, layout),
)


@register_jitable
def hash_key(stones: Bits, mask: Bits, layout: Layout) -> np.uint64:
    """64 bits that identify a position: unique on one-word boards with gravity, and on those without
    that need at most 32 bits (5x5); on others two positions collide with probability 2^-64.
    """
    if layout.gravity:
        return compiled_bits.fold(rules.gravity_key(stones, mask, layout))
    if layout.stride * layout.columns <= 32:
        return (compiled_bits.fold(mask) << 32) ^ compiled_bits.fold(stones)
    return compiled_bits.mixed(compiled_bits.fold(mask)) ^ compiled_bits.fold(stones)
