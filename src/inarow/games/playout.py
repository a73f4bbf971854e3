"""Compiled: games of uniformly random moves."""

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, count_cells, has_cell, single_cell
from inarow.games.kernels import bits_of, compiled_layout, completes_line, kernel
from inarow.games.layout import Layout
from inarow.games.position import Position


class PlayoutCounts(NamedTuple):
    """Results of random games, for the side to move in their first position."""

    wins: int
    draws: int
    losses: int
    plies: int  # moves played in all games together


def random_playouts(
    position: Position, games: int, rng: np.random.Generator, *, wide: bool | None = None
) -> PlayoutCounts:
    """Plays `games` random games from a position that is not over."""
    layout = compiled_layout(position.spec, wide=wide)
    return PlayoutCounts(*_playouts(layout, *bits_of(position, layout), position.ply, games, rng))


@kernel
def _playouts(
    layout: Layout, stones: Bits, mask: Bits, ply: int, games: int, rng: np.random.Generator
) -> tuple[int, int, int, int]:
    heights = np.empty(layout.columns, np.int64)
    wins = losses = plies = 0
    for _ in range(games):
        fill_heights(heights, mask, layout)
        result, end = playout(layout, stones, mask, ply, heights, rng)
        wins += result > 0
        losses += result < 0
        plies += end - ply
    return wins, games - wins - losses, losses, plies


@register_jitable
def fill_heights(heights: np.ndarray, mask: Bits, layout: Layout) -> None:
    """Writes the number of stones in each column. Meaningful only with gravity."""
    column_cells = ~(~(mask ^ mask) << layout.rows)
    for column in range(layout.columns):
        heights[column] = count_cells((mask >> (column * layout.stride)) & column_cells)


@register_jitable
def playout(
    layout: Layout, stones: Bits, mask: Bits, ply: int, heights: np.ndarray, rng: np.random.Generator
) -> tuple[int, int]:
    """One random game from a position that is not over: (1 win, 0 draw, -1 loss for the side to
    move at its start, ply of its end). `heights` must be those of `mask`; they are overwritten.
    """
    result = 1
    for end in range(ply + 1, layout.rows * layout.columns + 1):
        cell = random_cell(mask, heights, layout, rng)
        mine = stones | single_cell(cell, stones)
        if completes_line(mine, cell, layout):
            return result, end
        mask, stones = mask | mine, mask ^ stones
        result = -result
    return 0, layout.rows * layout.columns


@register_jitable
def random_cell(mask: Bits, heights: np.ndarray, layout: Layout, rng: np.random.Generator) -> int:
    """The cell of a uniformly random legal action; one must exist. Updates `heights`."""
    while True:  # draw again if the column is full or the cell taken
        column = int(rng.random() * layout.columns)
        if layout.gravity:
            height = int(heights[column])
            if height < layout.rows:
                heights[column] += 1
                return column * layout.stride + height
        else:
            cell = column * layout.stride + int(rng.random() * layout.rows)
            if not has_cell(mask, cell):
                return cell
