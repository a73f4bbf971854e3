"""Heuristics, selection rules and leaf evaluators as users write them."""

import math
from collections import namedtuple

import numba
import numpy as np

HALF, EXPLORATION = np.float32(0.5), 1 / math.sqrt(2)


def lean(board):
    """Prefers the middle, and low rows; not symmetric in the two sides."""
    rows, columns = board.shape
    total = 0.25
    for row in range(rows):
        for column in range(columns):
            total += board[row, column] * (1.5 * min(column, columns - 1 - column) + row)
            if board[row, column] < 0:
                total -= 0.5
    return total


def copied_uct(parent, child):
    breadth = np.float32(EXPLORATION * math.sqrt(math.log(parent.visits)))
    return child.spread * (HALF * np.float32(child.total) * child.spread + breadth)


def fewest(parent, child):
    return -child.visits


def quarter(board, ply):
    return 0.25


def lean_result(board, ply):
    return math.tanh((board * np.arange(board.shape[1])).sum() / 10 - ply / 100)


def threats(board, ply):
    """Tic Tac Toe: won with a line to complete, lost if the other side has two."""
    rows, columns = board.shape
    own = other = 0
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last = row + 2 * down, column + 2 * right
                if last_row < rows and 0 <= last < columns:
                    stones = board[row, column] + board[row + down, column + right] + board[last_row, last]
                    own += stones == 2
                    other += stones == -2
    if own > 0:
        return 1.0
    return -1.0 if other > 1 else 0.0


Compiled = namedtuple("Compiled", "lean copied_uct fewest quarter lean_result threats")
compiled = Compiled(*map(numba.njit, (lean, copied_uct, fewest, quarter, lean_result, threats)))
