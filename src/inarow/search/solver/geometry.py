"""What the fast search knows about a board with gravity that fits one word, as one record.

A record is handed down a deep recursion as a single pointer. In the words odd and even rows count
from 1: the bottom row is odd.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import count_cells
from inarow.games.layout import layout_of
from inarow.games.position import cells_of
from inarow.games.rules import line_gaps, line_starts
from inarow.games.spec import GameSpec
from inarow.search.solver.lanes import four_gaps, has_four

ZERO, ONE = np.uint64(0), np.uint64(1)

GEOMETRY = np.dtype(
    [
        ("cells", "u8"),  # every cell
        ("bottom", "u8"),  # the lowest cell of each column
        ("sentinels", "u8"),  # the bit above each column
        ("odd_rows", "u8"),
        ("even_rows", "u8"),
        ("stride", "u8"),  # rows + 1
        ("key_bits", "u8"),
        ("key_mask", "u8"),
        ("columns", "i8"),
        ("area", "i8"),  # number of cells
        ("inarow", "i8"),
        ("steps", "i8", 4),  # directions in which a line fits
        ("is_four", "i8"),  # four in a row, and lines fit in all directions or only upward
        ("has_even_rows", "i8"),  # zugzwang arguments hold for an even number of rows only
        ("column_cells", "u8", 64),  # by bit: the cells of its column
        ("cell_order", "i8", 64),  # by bit: what the cell itself is worth in move ordering
    ],
    align=True,
)

_LINE_WORTH, _CENTRE_WORTH = 14, 8
"""In move ordering: a line through the cell, and a column towards the centre."""


def make_geometry(spec: GameSpec) -> Any:
    """The geometry of a board with gravity that fits one word, as a record array of length 1."""
    layout = layout_of(spec)
    array = np.zeros(1, GEOMETRY).view(np.recarray)
    geometry: Any = array[0]
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
    return array


def lines_through_cells(spec: GameSpec) -> np.ndarray:
    """int64 [bits of the layout]: how many lines of the board contain each cell."""
    layout = layout_of(spec)
    lines = np.zeros(layout.stride * layout.columns, np.int64)
    for step in dict.fromkeys(layout.steps):
        for start in cells_of(line_starts(layout.board, step, spec.inarow)):
            lines[start : start + step * spec.inarow : step] += 1
    return lines


@register_jitable(forceinline=True)
def winning_cells(stones: np.uint64, free: np.uint64, geometry: Any) -> np.uint64:
    """The cells of `free`, the empty ones, that complete a line of `stones`."""
    if geometry.is_four:
        return four_gaps(stones, geometry.stride) & free
    return _any_gaps(stones, geometry) & free


@register_jitable(forceinline=True)
def has_line(stones: np.uint64, geometry: Any) -> bool:
    """Whether the stones contain a line."""
    if geometry.is_four:
        return has_four(stones, geometry.stride)
    return _has_any_line(stones, geometry)


@register_jitable
def _any_gaps(stones: np.uint64, geometry: Any) -> np.uint64:
    gaps = ZERO
    for direction in range(4):
        gaps |= line_gaps(stones, int(geometry.steps[direction]), int(geometry.inarow))
    return gaps


@register_jitable
def _has_any_line(stones: np.uint64, geometry: Any) -> bool:
    for direction in range(4):
        if line_starts(stones, int(geometry.steps[direction]), int(geometry.inarow)) != ZERO:
            return True
    return False


@register_jitable(forceinline=True)
def from_upward(cells: np.uint64, geometry: Any) -> np.uint64:
    """The cells given and all above them in their columns."""
    return ((geometry.sentinels - cells) | cells) & geometry.cells


@register_jitable
def open_lines(cell: np.uint64, reach: np.uint64, geometry: Any) -> int:
    """How many lines through a cell lie wholly within `reach`."""
    lines = 0
    for direction in range(4):
        step, inarow = int(geometry.steps[direction]), int(geometry.inarow)
        starts = cell
        for distance in range(1, inarow):
            starts |= cell >> (step * distance)
        lines += count_cells(starts & line_starts(reach, step, inarow))
    return lines
