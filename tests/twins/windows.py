"""Exact values of windows, slow and obvious, on lists of lists: every arrangement that gravity allows, memoised."""

from functools import cache
from itertools import product

from inarow.games.spec import GameSpec
from tests.twins import reference

Cells = tuple[tuple[int, ...], ...]


def all_windows(spec: GameSpec) -> list[Cells]:
    """Rows from the top; 1 for the side to move, 2 for its opponent."""
    columns = [
        (0,) * (spec.rows - height) + stones
        for height in range(spec.rows + 1)
        for stones in product((1, 2), repeat=height)
    ]
    return [tuple(zip(*chosen, strict=True)) for chosen in product(columns, repeat=spec.columns)]


def best_result(cells: Cells, spec: GameSpec) -> tuple[int, int]:
    """(1 for a win of the side to move, 0, -1; number of moves to the end) by perfect play."""
    return _solve(cells, spec)


@cache
def _solve(cells: Cells, spec: GameSpec) -> tuple[int, int]:
    board = [list(row) for row in cells]
    if reference.has_line(board, 2, spec):
        return -1, 0
    results = [
        result
        for action in range(spec.columns)
        if board[0][action] == 0
        for result in [after(reference.play(board, action, 1, spec), spec)]
    ]
    # A fast win, a slow loss.
    return max(results, key=lambda result: (result[0], -result[0] * result[1]), default=(0, 0))


def after(board: reference.Cells, spec: GameSpec) -> tuple[int, int]:
    """The result for the side that made the last move, of which 1 are the stones."""
    result, moves = _solve(tuple(tuple((0, 2, 1)[cell] for cell in row) for row in board), spec)
    return (-result, moves + 1)


def bits(cells: Cells, spec: GameSpec) -> tuple[int, int]:
    """(Stones of the side to move, all stones) in the layout of the spec."""
    own = both = 0
    for row, line in enumerate(cells):
        for column, cell in enumerate(line):
            bit = 1 << column * (spec.rows + 1) + spec.rows - 1 - row
            both |= bit if cell else 0
            own |= bit if cell == 1 else 0
    return own, both
