"""Finding a legal game that leads to given stones, or the reason why none does.

Without gravity any order of moves is legal in which the last move completes the line, if there is one. With gravity a
backward search removes stones from the tops of columns, the sides alternating, and remembers failed states.
"""

from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from inarow.errors import UnreachablePositionError
from inarow.games import rules
from inarow.games.layout import Layout, layout_of
from inarow.games.spec import GameSpec

_MAX_STATES = 200_000
"""The search raises an error after this many states: it can take too long for some diagrams of large boards."""

_NO_ORDER = "no order of alternating moves builds these columns"

Columns = tuple[tuple[int, ...], ...]  # the sides (1, 2) that own the stones of each column, from the bottom up
Heights = tuple[int, ...]  # of columns


def find_history(cells: npt.NDArray[np.generic], spec: GameSpec) -> tuple[int, ...]:
    """The actions of one legal game that ends with the stones of an array; raises UnreachablePositionError."""
    board = _checked_board(cells, spec)
    counts = [int((board == side).sum()) for side in (1, 2)]
    if not 0 <= counts[0] - counts[1] <= 1:
        raise UnreachablePositionError(
            f"the first side (X, 1) has {counts[0]} stones and the second {counts[1]}; it must have as many or one more"
        )
    last_side = 2 - (counts[0] - counts[1])
    last_cells = _last_cells(board, spec, last_side)
    return _order_with_gravity(board, last_side, last_cells) if spec.gravity else _order_freely(board, last_cells)


def find_history_of_key(key: int, spec: GameSpec) -> tuple[int, ...]:
    """The same for a `rules.gravity_key` of a position without a line."""
    stride = layout_of(spec).stride
    bits = [key >> column * stride & (1 << stride) - 1 for column in range(spec.columns)]
    heights = [column.bit_length() - 1 for column in bits]
    side = 1 + sum(heights) % 2
    columns = tuple(
        tuple(side if column >> row & 1 else 3 - side for row in range(height))
        for column, height in zip(bits, heights, strict=True)
    )
    taken = _take_apart(columns, tuple(heights), 3 - side, set())
    if taken is None:
        raise UnreachablePositionError(_NO_ORDER)
    return taken[::-1]


def _checked_board(cells: npt.NDArray[np.generic], spec: GameSpec) -> npt.NDArray[np.int8]:
    if cells.size != spec.cells or cells.shape not in ((spec.cells,), (spec.rows, spec.columns)):
        raise UnreachablePositionError(f"the cells have shape {cells.shape}; {spec} has {spec.rows} x {spec.columns}")
    if cells.dtype.kind not in "iu" or not np.isin(cells, (0, 1, 2)).all():
        raise UnreachablePositionError("every cell must be the integer 0 (empty), 1 (first side) or 2 (second side)")
    board = cells.reshape(spec.rows, spec.columns).astype(np.int8)
    if spec.gravity:
        floating = np.argwhere((board[:-1] != 0) & (board[1:] == 0))
        if len(floating):
            row, column = floating[0]
            raise UnreachablePositionError(f"the stone in row {row + 1}, column {column + 1} is above an empty cell")
    return board


def _last_cells(board: npt.NDArray[np.int8], spec: GameSpec, last_side: int) -> list[tuple[int, int]]:
    """The cells, (row, column), whose stone may have been played last: those that are part of every line."""
    layout = layout_of(spec)
    if _has_line(board, 3 - last_side, layout):
        if _has_line(board, last_side, layout):
            raise UnreachablePositionError("both sides have a line")
        raise UnreachablePositionError(f"side {3 - last_side} has a line, but side {last_side} made the last move")
    candidates = [(int(row), int(column)) for row, column in np.argwhere(board == last_side)]
    if spec.gravity:
        candidates = [(row, column) for row, column in candidates if row == 0 or board[row - 1, column] == 0]
    if _has_line(board, last_side, layout):
        candidates = [cell for cell in candidates if not _has_line(_without(board, cell), last_side, layout)]
        if not candidates:
            raise UnreachablePositionError(f"the lines of side {last_side} cannot have been made by one last move")
    return candidates


def _has_line(board: npt.NDArray[np.int8], side: int, layout: Layout) -> bool:
    stones = sum(1 << layout.cell(int(row), int(column)) for row, column in np.argwhere(board == side))
    return rules.has_line(stones, layout)


def _without(board: npt.NDArray[np.int8], cell: tuple[int, int]) -> npt.NDArray[np.int8]:
    board = board.copy()
    board[cell] = 0
    return board


def _order_freely(board: npt.NDArray[np.int8], last_cells: list[tuple[int, int]]) -> tuple[int, ...]:
    if not last_cells:
        return ()
    last = last_cells[0]
    before = _without(board, last).ravel()
    first, second = (np.flatnonzero(before == side).tolist() for side in (1, 2))
    alternating = [action for pair in zip_longest(first, second) for action in pair if action is not None]
    return (*alternating, last[0] * board.shape[1] + last[1])


def _order_with_gravity(
    board: npt.NDArray[np.int8], last_side: int, last_cells: list[tuple[int, int]]
) -> tuple[int, ...]:
    columns = tuple(tuple(int(side) for side in column[::-1] if side) for column in board.T)
    if not any(columns):
        return ()
    failed: set[Heights] = set()
    for _, last in last_cells:
        taken = _take_apart(columns, _lowered(tuple(map(len, columns)), last), 3 - last_side, failed)
        if taken is not None:
            return (*taken[::-1], last)
    raise UnreachablePositionError(_NO_ORDER)


def _take_apart(columns: Columns, heights: Heights, side: int, failed: set[Heights]) -> tuple[int, ...] | None:
    """The columns from which to remove all stones, beginning with one of `side`; None, noted in `failed`, if
    impossible.
    """
    if not any(heights):
        return ()
    if len(failed) > _MAX_STATES:
        raise UnreachablePositionError(f"no order of moves was found among the first {_MAX_STATES:,} tried")

    def promise(number: int) -> tuple[bool, int, int]:
        """Sort key: columns that uncover a stone of the other side come first, the highest of them before the
        others.
        """
        height = heights[number]
        return height > 1 and columns[number][height - 2] != side, height, number

    able = [number for number, height in enumerate(heights) if height and columns[number][height - 1] == side]
    for number in sorted(able, key=promise, reverse=True):
        lower = _lowered(heights, number)
        if lower not in failed and (rest := _take_apart(columns, lower, 3 - side, failed)) is not None:
            return (number, *rest)
    failed.add(heights)
    return None


def _lowered(heights: Heights, number: int) -> Heights:
    return (*heights[:number], heights[number] - 1, *heights[number + 1 :])
