"""Exact values of windows: part of a board, played as a board of its own, with any stones that gravity allows.

Stones in part of a board need not alternate, so a window is any height of each column with any owner of each stone:
(2^(rows + 1) - 1)^columns windows, seen by the side to move. The other side to move is the window with the owners
exchanged. They are solved backwards, from the full ones, in the order of their heights: a move makes one column higher.

A score is 0 for a draw; `cells + 1 - n` for a win and `-(cells + 1 - n)` for a loss after n more moves, in which the
winner is as fast and the loser as slow as possible. `-(cells + 1)` is a line of the opponent, already on the board. The
score is not meaningful if the side to move has a line, which no play leads to.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.errors import InvalidLimitError
from inarow.games import GameSpec
from inarow.games.kernels import compiled_layout, kernel
from inarow.games.layout import Layout
from inarow.games.rules import has_line

MAX_WINDOWS = 1 << 30
"""The largest number of windows that is solved: a byte each, and seconds of computation. 5x5 has 992 million."""
EXACT_GAMMA = 0.95
"""Discount of the values, that of the Q-tables that ship with inarow."""


class ExactWindows:
    """The values that Q-learning with the target `negamax` converges to, if it met every window often enough: a move
    that leads to a win or a loss after n further moves is worth `gamma^n` or `-gamma^n`.
    """

    win = 1.0

    def __init__(self, spec: GameSpec, gamma: float = EXACT_GAMMA) -> None:
        """Solves all windows; raises InvalidLimitError if there are too many."""
        self.spec, self.scores = spec, solve_windows(spec)
        powers = gamma ** np.arange(spec.cells + 1.0)
        self._worth = np.zeros(2 * spec.cells + 3)  # of the move that leads to a score, at index `score + cells + 1`
        self._worth[: spec.cells + 1], self._worth[-spec.cells - 1 :] = powers, -powers[::-1]
        self._radix = (2 << spec.rows) - 1

    def values_of(self, own: int, both: int) -> np.ndarray | None:
        """The values for the side to move, float64 [A]; -inf for full columns."""
        rows, columns, radix = self.spec.rows, self.spec.columns, self._radix
        flipped, power, steps = 0, 1, []
        column_cells = (1 << rows) - 1
        for column in range(columns):
            filled = both >> column * (rows + 1) & column_cells
            stones = own >> column * (rows + 1) & column_cells
            flipped += (2 * filled - stones) * power  # filled is 2^height - 1
            steps.append(-1 if filled == column_cells else (filled + 1) * power)
            power *= radix
        values = np.full(columns, -np.inf)
        for column, step in enumerate(steps):
            if step >= 0:
                values[column] = self._worth[int(self.scores[flipped + step]) + self.spec.cells + 1]
        return values


def window_count(spec: GameSpec) -> int:
    """The number of windows, those with lines included."""
    return int(((2 << spec.rows) - 1) ** spec.columns)


def check_window_count(spec: GameSpec) -> None:
    """Raises InvalidLimitError if the windows of a board cannot be solved."""
    if not spec.gravity:
        raise InvalidLimitError(f"windows of {spec} cannot be solved: they need gravity")
    if (count := window_count(spec)) > MAX_WINDOWS:
        raise InvalidLimitError(
            f"there are {count:.2g} windows of {spec.rows}x{spec.columns}, more than the {MAX_WINDOWS:,} that are"
            " solved; give a smaller size, or a table or net"
        )


@lru_cache(maxsize=2)
def solve_windows(spec: GameSpec) -> np.ndarray:
    """The scores of all windows by `window_index`, int8. Raises InvalidLimitError if there are too many of them, or if
    the board has no gravity. They are shared and must not be changed.
    """
    check_window_count(spec)
    scores = np.zeros(window_count(spec), np.int8)
    _solve(compiled_layout(spec), scores)
    scores.setflags(write=False)
    return scores


def window_index(own: int, both: int, spec: GameSpec) -> int:
    """The index of a window in the scores: one digit per column, in the base 2^(rows + 1) - 1."""
    column_cells, index = (1 << spec.rows) - 1, 0
    for column in reversed(range(spec.columns)):
        filled = both >> column * (spec.rows + 1) & column_cells
        stones = own >> column * (spec.rows + 1) & column_cells
        index = index * (column_cells * 2 + 1) + filled + stones
    return index


@kernel
def _solve(layout: Layout, scores: np.ndarray) -> None:
    """Fills the scores of all windows."""
    rows, columns = layout.rows, layout.columns
    radix, lost = (2 << rows) - 1, -(rows * columns + 1)
    heights, steps = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    profiles = 1
    for _ in range(columns):
        profiles *= rows + 1
    for profile in range(profiles - 1, -1, -1):
        rest, stones, power, total = profile, 0, 1, 0
        for column in range(columns):
            height = rest % (rows + 1)
            rest //= rows + 1
            heights[column] = height
            # The index of the window after a move, less that of this window with the owners exchanged.
            steps[column] = (1 << height) * power if height < rows else 0
            total += 3 * ((1 << height) - 1) * power  # of this window and the one with the owners exchanged
            stones += height
            power *= radix
        for owners in range(1 << stones):
            index, other = _window_of(owners, heights, radix, layout)
            if has_line(other, layout):
                scores[index] = lost
                continue
            best, is_full = lost, True
            for column in range(columns):
                if steps[column]:
                    is_full = False
                    score = -scores[total - index + steps[column]]
                    best = max(best, score - 1 if score > 0 else score + 1 if score < 0 else 0)
            scores[index] = 0 if is_full else best


@register_jitable
def _window_of(owners: int, heights: np.ndarray, radix: int, layout: Layout) -> tuple[int, Any]:
    """(Index, stones of the opponent) of the window in which bit i of `owners` says whether the
    i-th stone, column by column, belongs to the side to move.
    """
    index, power = 0, 1
    other = np.uint64(0)
    for column in range(layout.columns):
        filled = (1 << heights[column]) - 1
        mine = owners & filled
        owners >>= heights[column]
        other |= np.uint64(filled ^ mine) << np.uint64(column * layout.stride)
        index += (filled + mine) * power
        power *= radix
    return index, other
