"""Slow, obvious twins of the kernels, on lists of lists. Never optimise this file.

A board is `cells[row][column]`, row 0 on top, with 0 empty, 1 first side, 2 second side.
"""

from __future__ import annotations

from inarow.games.spec import GameSpec

Cells = list[list[int]]

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def empty(spec: GameSpec) -> Cells:
    return [[0] * spec.columns for _ in range(spec.rows)]


def landing(cells: Cells, action: int, spec: GameSpec) -> tuple[int, int] | None:
    """(row, column) of the stone that `action` plays; None if there is no room."""
    if not spec.gravity:
        row, column = divmod(action, spec.columns)
        return (row, column) if cells[row][column] == 0 else None
    for row in reversed(range(spec.rows)):
        if cells[row][action] == 0:
            return row, action
    return None


def legal_actions(cells: Cells, spec: GameSpec) -> list[int]:
    if has_line(cells, 1, spec) or has_line(cells, 2, spec):
        return []
    return [action for action in range(spec.actions) if landing(cells, action, spec) is not None]


def play(cells: Cells, action: int, side: int, spec: GameSpec) -> Cells:
    row, column = landing(cells, action, spec)
    after = [line[:] for line in cells]
    after[row][column] = side
    return after


def has_line(cells: Cells, side: int, spec: GameSpec) -> bool:
    for row in range(spec.rows):
        for column in range(spec.columns):
            for down, right in DIRECTIONS:
                line = [(row + i * down, column + i * right) for i in range(spec.inarow)]
                if all(0 <= r < spec.rows and 0 <= c < spec.columns and cells[r][c] == side for r, c in line):
                    return True
    return False


def winning_cells(cells: Cells, side: int, spec: GameSpec) -> set[tuple[int, int]]:
    """Empty cells, reachable or not, on which one more stone of `side` is part of a new line."""
    found = set()
    for row in range(spec.rows):
        for column in range(spec.columns):
            if cells[row][column] == 0:
                after = [line[:] for line in cells]
                after[row][column] = side
                if has_line_through(after, row, column, spec):
                    found.add((row, column))
    return found


def has_line_through(cells: Cells, row: int, column: int, spec: GameSpec) -> bool:
    side = cells[row][column]
    for down, right in DIRECTIONS:
        for shift in range(spec.inarow):
            line = [(row + (i - shift) * down, column + (i - shift) * right) for i in range(spec.inarow)]
            if all(0 <= r < spec.rows and 0 <= c < spec.columns and cells[r][c] == side for r, c in line):
                return True
    return False


def count_sequences(spec: GameSpec, depth: int, cells: Cells | None = None, ply: int = 0) -> int:
    cells = empty(spec) if cells is None else cells
    if ply == depth:
        return 1
    return sum(
        count_sequences(spec, depth, play(cells, action, 1 + ply % 2, spec), ply + 1)
        for action in legal_actions(cells, spec)
    )
