"""Compiled: a position as the network sees it, float32 [PLANES, rows, columns] with row 0 on top.

Everything is for the side to move. The planes hold only what the rules of the game imply: stones, playable cells,
cells that complete a line, and the cells of a column that a side gets if both fill columns in turn.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, from_int, has_cell
from inarow.games.kernels import compiled_layout, kernel
from inarow.games.layout import Layout
from inarow.games.position import Position
from inarow.games.rules import playable, winning_cells

PLANES = 9
OWN, OTHER, PLAYABLE, OWN_WINS, OTHER_WINS, PARITY, IS_FIRST, INAROW, ON_BOARD = range(PLANES)
"""The winning cells are all empty cells that complete a line, reachable now or later. PARITY is 1 on
rows 1, 3, ... from the bottom for the first side and on the others for the second. IS_FIRST, INAROW
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


def planes_of(position: Position) -> np.ndarray:
    """The planes of one position."""
    layout = compiled_layout(position.spec)
    planes = np.empty((1, PLANES, layout.rows, layout.columns), np.float32)
    stones, mask = from_int(position.stones, layout.board), from_int(position.mask, layout.board)
    _write_one(planes, stones, mask, position.ply, layout)
    return planes[0]


@kernel
def _write_one(planes: np.ndarray, stones: Bits, mask: Bits, ply: int, layout: Layout) -> None:
    write_planes(planes, 0, stones, mask, ply, layout)
