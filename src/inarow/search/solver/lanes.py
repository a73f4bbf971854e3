"""Compiled: processor instructions that Numba does not offer, each with an equivalent in plain Python.

The four lanes of a vector register hold the steps 1 (up), stride - 1 (down-right), stride (right) and stride + 1
(up-right), so that one instruction serves all directions of lines.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from inarow.games.compiled_bits import compiles, instruction
from inarow.games.rules import line_gaps, line_starts

_WORD = ir.IntType(64)
_LANES = ir.VectorType(_WORD, 4)
_INDEX = ir.IntType(32)
_Implementation = Callable[..., Any]


def four_gaps(stones: np.uint64, stride: np.uint64) -> np.uint64:
    """The cells that complete four stones in a row, in any direction, on the board or off it."""
    gaps = np.uint64(0)
    for step in _plain_steps(stride):
        gaps |= line_gaps(stones, step, 4)
    return gaps


def has_four(stones: np.uint64, stride: np.uint64) -> bool:
    """Whether four stones stand in a row."""
    return any(line_starts(stones, step, 4) for step in _plain_steps(stride))


def prefetch(words: np.ndarray, index: np.uint64) -> None:
    """Prefetches `words[index]` into the processor's cache."""


def bit_length(number: int) -> int:
    """The number of bits of a number that is not negative; 0 for 0."""
    return int(number).bit_length()


def _plain_steps(stride: np.uint64) -> tuple[int, int, int, int]:
    return 1, int(stride) - 1, int(stride), int(stride) + 1


# --- The instructions ---


def _all_lanes(builder: Any, word: Any) -> Any:
    """A vector with `word` in every lane."""
    undefined = ir.Constant(_LANES, ir.Undefined)
    one = builder.insert_element(undefined, word, ir.Constant(_INDEX, 0))
    return builder.shuffle_vector(one, undefined, ir.Constant(ir.VectorType(_INDEX, 4), [0] * 4))


def _steps(builder: Any, stride: Any) -> Any:
    """The vector (1, stride - 1, stride, stride + 1)."""
    lanes = builder.and_(_all_lanes(builder, stride), ir.Constant(_LANES, [0, -1, -1, -1]))
    return builder.add(lanes, ir.Constant(_LANES, [1, -1, 0, 1]))


def _any_lane(builder: Any, lanes: Any) -> Any:
    """The bits that are set in at least one lane."""
    kind = ir.FunctionType(_WORD, [_LANES])
    reduce = cgutils.get_or_insert_function(builder.module, kind, "llvm.vector.reduce.or.v4i64")
    return builder.call(reduce, [lanes])


@instruction
def _four_gaps(typing: Any, stones: types.Type, stride: types.Type) -> tuple[Any, _Implementation]:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        step = _steps(builder, args[1])
        double = builder.add(step, step)
        first = _all_lanes(builder, args[0])
        second, third = builder.lshr(first, step), builder.lshr(first, double)
        fourth = builder.lshr(first, builder.add(double, step))
        pair = builder.and_(first, second)
        two_of_three = builder.or_(builder.and_(builder.or_(first, second), third), pair)
        # The first cells of four in a row of which at least three are stones.
        starts = builder.or_(builder.and_(two_of_three, fourth), builder.and_(pair, third))
        starts = builder.or_(starts, builder.shl(starts, step))
        return _any_lane(builder, builder.or_(starts, builder.shl(starts, double)))

    return types.uint64(types.uint64, types.uint64), generate


@instruction
def _has_four(typing: Any, stones: types.Type, stride: types.Type) -> tuple[Any, _Implementation]:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        step = _steps(builder, args[1])
        first = _all_lanes(builder, args[0])
        pair = builder.and_(first, builder.lshr(first, step))
        fours = builder.and_(pair, builder.lshr(pair, builder.add(step, step)))
        return builder.icmp_unsigned("!=", _any_lane(builder, fours), ir.Constant(_WORD, 0))

    return types.boolean(types.uint64, types.uint64), generate


@instruction
def _prefetch(typing: Any, words: types.Type, index: types.Type) -> tuple[Any, _Implementation]:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        address = builder.bitcast(builder.gep(array.data, [args[1]]), cgutils.voidptr_t)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, _INDEX, _INDEX, _INDEX])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        read, keep, data = (ir.Constant(_INDEX, number) for number in (0, 3, 1))
        builder.call(function, [address, read, keep, data])
        return context.get_dummy_value()

    return types.void(words, types.uint64), generate


@instruction
def _bit_length(typing: Any, number: types.Type) -> tuple[Any, _Implementation]:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(_WORD, 64), zeros)

    return types.int64(types.int64), generate


compiles(four_gaps)(lambda stones, stride: lambda stones, stride: _four_gaps(stones, stride))
compiles(has_four)(lambda stones, stride: lambda stones, stride: _has_four(stones, stride))
compiles(prefetch)(lambda words, index: lambda words, index: _prefetch(words, index))
compiles(bit_length)(lambda number: lambda number: _bit_length(number))
