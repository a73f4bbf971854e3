"""The base of every exported file: its clock, the rules of ConnectX, and the function that Kaggle calls.

Positions are integers. Bit `column * (rows + 1) + height` is a cell; the topmost bit of each column is not a cell and
always 0.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

LOADED = time.perf_counter()  # when this file began to be loaded, which Kaggle counts as part of the first move


class OutOfTimeError(Exception):
    """The time for a search is over."""


class Deadline:
    """Ends `seconds` after `start`. `check` reads the clock on every 64th call only."""

    def __init__(self, start: float, seconds: float) -> None:
        self._end, self._calls = start + seconds, 0

    def is_over(self) -> bool:
        return time.perf_counter() >= self._end

    def check(self) -> None:
        """Raises OutOfTimeError when time is over."""
        self._calls += 1
        if self._calls % 64 == 0 and self.is_over():
            raise OutOfTimeError


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


def single_cells(cells: int) -> list[int]:
    """The cells of a set one by one, from the left and from below."""
    found = []
    while cells:
        found.append(cells & -cells)
        cells &= cells - 1
    return found


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


SHARE_OF_TIME = 0.5  # the part of `actTimeout` that a move may take: machines are sometimes slower


def check_board(rules: Rules, made_for: tuple[int, int, int], thing: str) -> None:
    if (rules.rows, rules.columns, rules.inarow) != made_for:
        raise ValueError("the {} is for {}x{}x{}".format(thing, *made_for))


class Player(Protocol):
    """Chooses columns in unfinished positions, by about the deadline."""

    def choose(self, rules: Rules, own: int, both: int, deadline: Deadline) -> int: ...


class Entry:
    """Reads the observation and asks the player."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._start: float | None = LOADED

    def __call__(self, observation: Any, configuration: Any) -> int:
        start = time.perf_counter() if self._start is None else self._start
        self._start = None
        rules = Rules(configuration["rows"], configuration["columns"], configuration["inarow"])
        own, both = read_stones(observation["board"], observation["mark"], rules)
        deadline = Deadline(start, SHARE_OF_TIME * configuration["actTimeout"])
        return int(self._player.choose(rules, own, both, deadline))
