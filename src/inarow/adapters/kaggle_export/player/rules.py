"""The rules of ConnectX on integers.

Bit `column * (rows + 1) + height` is a cell; the topmost bit of each column is no cell and always 0.
"""

from __future__ import annotations

from collections.abc import Sequence


class Rules:
    """A board: `rows` x `columns`, `inarow` stones in a row win. Sets of cells are integers."""

    def __init__(self, rows: int, columns: int, inarow: int) -> None:
        self.rows, self.columns, self.inarow = rows, columns, inarow
        self.cells = rows * columns
        self.stride = stride = rows + 1
        self.steps = (1, stride - 1, stride, stride + 1)
        self.bottom = sum(1 << column * stride for column in range(columns))
        self.board = self.bottom * ((1 << rows) - 1)
        self.column_cells = [((1 << rows) - 1) << column * stride for column in range(columns)]
        self.lowest = [1 << column * stride for column in range(columns)]

    def landing_bit(self, both: int, column: int) -> int:
        """The cell of the next stone in a column; 0 if it is full. `both` are the stones of both sides."""
        return (both + self.lowest[column]) & self.column_cells[column]

    def legal_columns(self, both: int) -> list[int]:
        return [column for column in range(self.columns) if self.landing_bit(both, column)]

    def has_line(self, stones: int) -> bool:
        """Whether the stones of one side have a line."""
        for step in self.steps:
            runs, length = stones, 1
            while runs and 2 * length <= self.inarow:
                runs &= runs >> step * length
                length *= 2
            if runs and length < self.inarow:
                runs &= runs >> step * (self.inarow - length)
            if runs:
                return True
        return False

    def winning_columns(self, stones: int, both: int) -> list[int]:
        """The columns in which the next stone of the side that has `stones` makes a line."""
        return [column for column in self.legal_columns(both) if self.has_line(stones | self.landing_bit(both, column))]

    def centre_first(self) -> list[int]:
        """The columns from the middle outwards."""
        return sorted(range(self.columns), key=lambda column: abs(2 * column - self.columns + 1))


def read_stones(board: Sequence[int], mark: int, rules: Rules) -> tuple[int, int]:
    """(Stones of side `mark`, stones of both) of Kaggle's board: a flat list, row by row from the top left."""
    own = both = 0
    for place, side in enumerate(board):
        if side:
            row, column = divmod(place, rules.columns)
            bit = 1 << column * rules.stride + rules.rows - 1 - row
            both |= bit
            if side == mark:
                own |= bit
    return own, both
