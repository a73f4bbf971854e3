"""How the cells of a board map to the bits of a number.

Columns follow each other, each from the bottom up with a sentinel bit on top without stones. On 3 rows x 4 columns:

     3   7  11  15      sentinels, always 0
     2   6  10  14      top row
     1   5   9  13
     0   4   8  12      bottom row

A neighbour is a fixed distance away: up 1, right `rows + 1`, up-right `rows + 2`, down-right `rows`. A line that would
leave the board at the top or the bottom meets a sentinel, so it never wraps into the next column.

Two numbers describe a position: `stones`, the stones of the side to move, and `mask`, all stones.
"""

from functools import lru_cache
from typing import Any, NamedTuple

from inarow.games.spec import GameSpec

Steps = tuple[int, int, int, int]


class Layout(NamedTuple):
    """The numbers that the rules need for one spec. `bottom` and `board` are sets of cells, in the
    same type as the stones: `int`, one machine word, or `Wide`.
    """

    rows: int
    columns: int
    inarow: int
    gravity: bool
    stride: int  # bits from a cell to its right neighbour
    steps: Steps  # the directions in which a line fits
    bottom: Any  # the lowest cell of every column
    board: Any  # every cell, without the sentinels

    def cell(self, row: int, column: int) -> int:
        """The bit of the cell in `row` (0 on top) and `column`. In kernels: `rules.cell_at`."""
        return column * self.stride + self.rows - 1 - row

    def row_and_column(self, cell: int) -> tuple[int, int]:
        """The inverse of `cell`. In kernels: `rules.row_and_column`."""
        column, height = divmod(cell, self.stride)
        return self.rows - 1 - height, column


@lru_cache(maxsize=256)
def layout_of(spec: GameSpec) -> Layout:
    """The layout of `spec` in Python integers."""
    stride = spec.rows + 1
    bottom = sum(1 << column * stride for column in range(spec.columns))
    steps, board = _line_steps(spec, stride), bottom * ((1 << spec.rows) - 1)
    return Layout(spec.rows, spec.columns, spec.inarow, spec.gravity, stride, steps, bottom, board)


def _line_steps(spec: GameSpec, stride: int) -> Steps:
    """Bit distances along which `inarow` cells fit. Always four, so that there is one compiled type:
    a direction in which no line fits repeats another, since its shifts could exceed a word.
    """
    steps = []
    if spec.inarow <= spec.rows:
        steps.append(1)
    if spec.inarow <= spec.columns:
        steps.append(stride)
    if spec.inarow <= min(spec.rows, spec.columns):
        steps += [stride + 1, stride - 1]
    steps += [steps[0]] * (4 - len(steps))
    return steps[0], steps[1], steps[2], steps[3]
