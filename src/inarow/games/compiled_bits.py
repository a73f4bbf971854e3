"""Compiled: operators of a `Wide` and the functions of `bits.py`; `kernels.py` imports this module to register them."""

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload, register_jitable

from inarow.games import bits
from inarow.games.bits import WORDS, Wide

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_Implementation = Callable[..., Any]

instruction: Any = intrinsic  # typed Any: its own type describes the code generator, not the call
compiles = partial(overload, strict=False)  # not strict: Numba would otherwise compare type annotations, too


def is_wide(kind: types.Type) -> bool:
    return isinstance(kind, types.NamedUniTuple) and kind.instance_class is Wide


def compile_both(function: _Implementation, *, wide: _Implementation, word: _Implementation) -> None:
    """Compiles `function` as `wide` where an argument is a `Wide`, else as `word`."""
    compiles(function)(lambda *kinds: wide if any(map(is_wide, kinds)) else word)


# --- Bit counting instructions of the processor ---


@instruction
def _ones(typing: Any, word: types.Type) -> tuple[Any, _Implementation]:
    """Number of set bits of a uint64."""
    return types.uint64(types.uint64), lambda context, builder, signature, args: builder.ctpop(args[0])


@instruction
def _trailing_zeros(typing: Any, word: types.Type) -> tuple[Any, _Implementation]:
    """Index of the lowest set bit of a uint64; 64 if there is none."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


# --- Operators of a Wide ---


def _overload_wordwise(op: Callable[[Any, Any], Any]) -> None:
    @compiles(op)
    def wordwise(a: types.Type, b: types.Type) -> _Implementation | None:
        if not (is_wide(a) and is_wide(b)):
            return None
        return lambda a, b: Wide(op(a.w0, b.w0), op(a.w1, b.w1), op(a.w2, b.w2), op(a.w3, b.w3), op(a.w4, b.w4))


for _operation in (operator.and_, operator.or_, operator.xor):
    _overload_wordwise(_operation)


@compiles(operator.invert)
def _invert(a: types.Type) -> _Implementation | None:
    return (lambda a: Wide(~a.w0, ~a.w1, ~a.w2, ~a.w3, ~a.w4)) if is_wide(a) else None


@register_jitable
def _word(cells: Wide, place: int) -> np.uint64:
    return cells[place] if 0 <= place < WORDS else _ZERO


@register_jitable
def _joined(low: np.uint64, high: np.uint64, distance: int) -> np.uint64:
    """The lowest 64 bits of the two words shifted right by 0 to 63."""
    return (low >> distance) | ((high << (63 - distance)) << 1)


@register_jitable
def _shifted_right(a: Wide, distance: int) -> Wide:
    """Shifts by a distance of any sign; a negative one shifts up by whole words, then down by the rest (0 to 63)."""
    words, rest = distance >> 6, distance & 63
    return Wide(
        _joined(_word(a, words), _word(a, words + 1), rest),
        _joined(_word(a, words + 1), _word(a, words + 2), rest),
        _joined(_word(a, words + 2), _word(a, words + 3), rest),
        _joined(_word(a, words + 3), _word(a, words + 4), rest),
        _joined(_word(a, words + 4), _word(a, words + 5), rest),
    )


@compiles(operator.rshift)
def _shift_right(a: types.Type, b: types.Type) -> _Implementation | None:
    return (lambda a, b: _shifted_right(a, b)) if is_wide(a) else None


@compiles(operator.lshift)
def _shift_left(a: types.Type, b: types.Type) -> _Implementation | None:
    return (lambda a, b: _shifted_right(a, -b)) if is_wide(a) else None


# --- The functions of bits.py, for five words and for one ---


@register_jitable
def _bit(cell: int, place: int) -> np.uint64:
    return _ONE << (cell & 63) if cell >> 6 == place else _ZERO


def _first_in_wide(cells: Wide) -> int:
    for place in range(WORDS):
        if cells[place] != _ZERO:
            return 64 * place + int(_trailing_zeros(cells[place]))
    return 64 * WORDS


def _store_word(rows: Any, row: int, cells: np.uint64) -> None:
    rows[row, 0] = cells


def _store_wide(rows: Any, row: int, cells: Wide) -> None:
    for place in range(WORDS):
        rows[row, place] = cells[place]


compile_both(
    bits.any_cell,
    wide=lambda cells: (cells.w0 | cells.w1 | cells.w2 | cells.w3 | cells.w4) != _ZERO,
    word=lambda cells: cells != _ZERO,
)
compile_both(
    bits.has_cell,
    wide=lambda cells, cell: (cells[cell >> 6] >> (cell & 63)) & _ONE != _ZERO,
    word=lambda cells, cell: (cells >> cell) & _ONE != _ZERO,
)
compile_both(
    bits.single_cell,
    wide=lambda cell, like: Wide(_bit(cell, 0), _bit(cell, 1), _bit(cell, 2), _bit(cell, 3), _bit(cell, 4)),
    word=lambda cell, like: _ONE << cell,
)
compile_both(
    bits.count_cells,
    wide=lambda cells: np.int64(
        _ones(cells.w0) + _ones(cells.w1) + _ones(cells.w2) + _ones(cells.w3) + _ones(cells.w4)
    ),
    word=lambda cells: np.int64(_ones(cells)),
)
compile_both(bits.first_cell, wide=_first_in_wide, word=lambda cells: np.int64(_trailing_zeros(cells)))
compile_both(
    bits.load,
    wide=lambda rows, row, like: Wide(rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3], rows[row, 4]),
    word=lambda rows, row, like: rows[row, 0],
)
compile_both(bits.store, wide=_store_wide, word=_store_word)


# --- Hashing ---


@register_jitable
def mixed(word: np.uint64) -> np.uint64:
    """A bijection of 64-bit words that spreads every bit over all (the finaliser of SplitMix64)."""
    word = (word ^ (word >> 30)) * _MIX_1
    word = (word ^ (word >> 27)) * _MIX_2
    return word ^ (word >> 31)


def fold(cells: Any) -> np.uint64:
    """One word for a set of cells: the word itself, or a hash of the five words of a Wide."""
    if not isinstance(cells, Wide):
        return np.uint64(cells)
    folded = _ZERO
    for word in cells:
        folded = mixed(folded ^ word)
    return folded


compile_both(
    fold,
    wide=lambda cells: mixed(mixed(mixed(mixed(mixed(cells.w0) ^ cells.w1) ^ cells.w2) ^ cells.w3) ^ cells.w4),
    word=lambda cells: cells,
)
