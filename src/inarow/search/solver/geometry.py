"""Compiled: the geometry of a board with gravity that fits one word, as one record.

A deep recursion passes a record as a single pointer. Rows count from 1: the bottom row is odd.

Kernels read `geometry.stride` and the like. Given a record, they are compiled once for all boards; given a
`ConstantGeometry`, they are compiled for its board only, with the fields as constants of the machine code, which is
faster (`tools/benchmarks/general_geometry.py`). Numba caches both on disk.
"""

from functools import cache
from typing import Annotated, Any, cast

import numpy as np
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_jitable,
    register_model,
    unbox,
)
from numba.np.numpy_support import from_dtype

from inarow.games import GameSpec
from inarow.games.bits import count_cells
from inarow.games.kernels import Word, new_record, record_type
from inarow.games.layout import layout_of
from inarow.games.position import cells_of
from inarow.games.rules import line_gaps, line_starts
from inarow.search.solver.lanes import four_gaps, has_four

ZERO, ONE = np.uint64(0), np.uint64(1)


class GeometryRecord:
    """A board with gravity that fits one word: a record, or a `ConstantGeometry`."""

    cells: Word  # every cell
    bottom: Word  # the lowest cell of each column
    sentinels: Word  # the bit above each column
    odd_rows: Word
    even_rows: Word
    stride: Word  # rows + 1
    key_bits: Word
    key_mask: Word
    columns: int
    area: int  # number of cells
    inarow: int
    steps: Annotated[np.ndarray, "i8", 4]  # directions in which a line fits
    is_four: int  # whether lines have four stones and fit in all directions or only upward
    has_even_rows: int  # zugzwang arguments hold for an even number of rows only
    column_cells: Annotated[np.ndarray, "u8", 64]  # by bit: the cells of its column
    cell_order: Annotated[np.ndarray, "i8", 64]  # by bit: the move-ordering value of the cell


GEOMETRY = record_type(GeometryRecord)

_LINE_WORTH, _CENTRE_WORTH = 14, 8  # in move ordering: a line through the cell, and a column towards the centre


@cache
def make_geometry(spec: GameSpec) -> GeometryRecord:
    """The geometry of a board with gravity that fits one word, as a record."""
    layout = layout_of(spec)
    geometry: Any = new_record(GeometryRecord)  # Any: plain integers are assigned to its uint64 fields
    geometry.bottom, geometry.cells = layout.bottom, layout.board
    geometry.sentinels = layout.bottom << spec.rows
    geometry.odd_rows = layout.bottom * sum(1 << height for height in range(0, spec.rows, 2))
    geometry.even_rows = layout.board ^ int(geometry.odd_rows)
    geometry.stride = layout.stride
    geometry.key_bits = layout.stride * spec.columns
    geometry.key_mask = (1 << layout.stride * spec.columns) - 1
    geometry.columns, geometry.area, geometry.inarow = spec.columns, spec.cells, spec.inarow
    geometry.steps[:] = layout.steps
    geometry.is_four = spec.inarow == 4 and spec.columns >= 4
    geometry.has_even_rows = spec.rows % 2 == 0
    lines = lines_through_cells(spec)
    column_cells = (1 << spec.rows) - 1
    for cell in cells_of(layout.board):
        column = cell // layout.stride
        off_centre = abs(2 * column - spec.columns + 1) // 2
        geometry.column_cells[cell] = column_cells << column * layout.stride
        geometry.cell_order[cell] = _LINE_WORTH * lines[cell] - _CENTRE_WORTH * off_centre
    return cast(GeometryRecord, geometry)


def lines_through_cells(spec: GameSpec) -> np.ndarray:
    """int64 [bits of the layout]: how many lines of the board contain each cell."""
    layout = layout_of(spec)
    lines = np.zeros(layout.stride * layout.columns, np.int64)
    for step in dict.fromkeys(layout.steps):
        for start in cells_of(line_starts(layout.board, step, spec.inarow)):
            lines[start : start + step * spec.inarow : step] += 1
    return lines


@register_jitable(forceinline=True)
def winning_cells(stones: Word, free: Word, geometry: GeometryRecord) -> Word:
    """The cells of `free`, the set of empty cells, that complete a line of `stones`."""
    if geometry.is_four:
        return four_gaps(stones, geometry.stride) & free
    return _any_gaps(stones, geometry) & free


@register_jitable(forceinline=True)
def has_line(stones: Word, geometry: GeometryRecord) -> bool:
    if geometry.is_four:
        return has_four(stones, geometry.stride)
    return _has_any_line(stones, geometry)


@register_jitable
def _any_gaps(stones: Word, geometry: GeometryRecord) -> Word:
    gaps = ZERO
    for direction in range(4):
        gaps |= line_gaps(stones, int(geometry.steps[direction]), int(geometry.inarow))
    return gaps


@register_jitable
def _has_any_line(stones: Word, geometry: GeometryRecord) -> bool:
    for direction in range(4):
        if line_starts(stones, int(geometry.steps[direction]), int(geometry.inarow)) != ZERO:
            return True
    return False


@register_jitable(forceinline=True)
def from_upward(cells: Word, geometry: GeometryRecord) -> Word:
    """These cells and all cells above them in their columns."""
    return ((geometry.sentinels - cells) | cells) & geometry.cells


@register_jitable
def open_lines(cell: Word, reach: Word, geometry: GeometryRecord) -> int:
    """The number of lines through a cell that lie within the cells `reach`."""
    lines = 0
    for direction in range(4):
        step, inarow = int(geometry.steps[direction]), int(geometry.inarow)
        starts = cell
        for distance in range(1, inarow):
            starts |= cell >> (step * distance)
        lines += count_cells(starts & line_starts(reach, step, inarow))
    return lines


# --- Constants of the machine code ---


class ConstantGeometry(GeometryRecord):
    """A geometry with the fields of `make_geometry`, in Python and in compiled code."""

    def __init__(self, spec: GameSpec) -> None:
        self._numba_type_ = _GeometryType(spec)

    def __getattr__(self, field: str) -> Any:
        return self._numba_type_.value(field)


class _GeometryType(types.Type):
    """The Numba type of a `ConstantGeometry`; it contains the board."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        super().__init__(name=f"Geometry({spec})")

    def value(self, field: str) -> Any:
        return getattr(make_geometry(self.spec), field)

    def kind_of(self, field: str) -> types.Type:
        value = self.value(field)
        kind = from_dtype(value.dtype)
        return types.Array(kind, 1, "C", readonly=True) if isinstance(value, np.ndarray) else kind


register_model(_GeometryType)(models.OpaqueModel)


@infer_getattr
class _Fields(AttributeTemplate):
    key = _GeometryType

    def generic_resolve(self, typ: _GeometryType, attr: str) -> types.Type:  # type: ignore[override]
        return typ.kind_of(attr)


@lower_getattr_generic(_GeometryType)
def _constant(context: Any, builder: Any, geometry: _GeometryType, value: Any, field: str) -> Any:
    kind = geometry.kind_of(field)
    if isinstance(kind, types.Array):
        return context.make_constant_array(builder, kind, np.ascontiguousarray(geometry.value(field)))
    return context.get_constant(kind, geometry.value(field))


@unbox(_GeometryType)
def _unbox(kind: _GeometryType, instance: Any, context: Any) -> NativeValue:
    return NativeValue(context.context.get_dummy_value())
