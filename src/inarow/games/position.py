"""A position: an immutable value with its rules and the game that leads to it.

Plain Python on integers of any size, fast enough to play and record games. Searches pass `stones` and `mask` to
kernels.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from inarow.errors import FinishedGameError, IllegalMoveError, NotationError, shown
from inarow.games import rules
from inarow.games.history import find_history, find_history_of_key
from inarow.games.layout import Layout, layout_of
from inarow.games.notation import format_diagram, format_move, format_moves, parse_diagram, parse_moves
from inarow.games.spec import CONNECT_FOUR, Board, GameSpec
from inarow.results import drawn_by_report


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """The stones on a board. Positions are equal if their specs and stones are, regardless of the order of the moves.
    The constructor checks nothing: use `start`, `parse`, `play` or `from_...`. `GameSpec` defines actions, `layout.py`
    cells.
    """

    spec: GameSpec
    stones: int  # stones of the side to move
    mask: int  # stones of both sides
    actions: tuple[int, ...] = field(compare=False)  # a legal game that leads here
    winner: int | None = field(compare=False)  # 1 or 2, the side with a line; None if there is none
    layout: Layout = field(compare=False)

    @classmethod
    def start(cls, spec: Board = CONNECT_FOUR) -> Position:
        """The empty board."""
        spec = GameSpec.parse(spec)
        return cls(spec, 0, 0, (), None, layout_of(spec))

    @classmethod
    def parse(cls, moves: str | Position, spec: Board = CONNECT_FOUR) -> Position:
        """The position after a move string; raises `NotationError` or `IllegalMoveError`, which name the move. A
        position is returned unchanged.
        """
        if isinstance(moves, Position):
            return moves
        if not isinstance(moves, str):
            raise NotationError(f"{shown(repr(moves))} is neither a move string such as '4453' nor a position")
        spec = GameSpec.parse(spec)
        position = cls.start(spec)
        for number, action in enumerate(parse_moves(moves, spec), start=1):
            try:
                position = position.play(action)
            except IllegalMoveError as error:
                raise IllegalMoveError(f"move {number}: {error}") from None
        return position

    @classmethod
    def from_diagram(cls, text: str, spec: GameSpec = CONNECT_FOUR) -> Position:
        """The inverse of `str`; raises NotationError, or UnreachablePositionError if no legal game leads there."""
        return cls.from_array(parse_diagram(text, spec), spec)

    @classmethod
    def from_array(cls, cells: npt.ArrayLike, spec: GameSpec = CONNECT_FOUR) -> Position:
        """The inverse of `to_array` and `to_kaggle`; raises as `from_diagram`."""
        try:
            array = np.asarray(cells)
        except ValueError:  # lists of unequal length
            rows, columns = spec.rows, spec.columns
            raise NotationError(f"the cells are not in rows of one length; {spec} has {rows} x {columns}") from None
        return cls.from_actions(find_history(array, spec), spec)

    @classmethod
    def from_key(cls, key: int, spec: GameSpec = CONNECT_FOUR) -> Position:
        """The position without a line that has this `key`, with gravity only; raises UnreachablePositionError."""
        return cls.from_actions(find_history_of_key(key, spec), spec)

    @classmethod
    def from_actions(cls, actions: Iterable[int], spec: GameSpec = CONNECT_FOUR) -> Position:
        """The position after these actions from the start; raises IllegalMoveError."""
        position = cls.start(spec)
        for action in actions:
            position = position.play(action)
        return position

    def line(self) -> Iterator[Position]:
        """The positions of the game, from the start to this one, both included."""
        position = Position.start(self.spec)
        yield position
        for action in self.actions:
            position = position._after(action)
            yield position

    # --- Playing ---

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """The actions that `play` accepts, ascending; none when the game is over."""
        if self.winner is not None:
            return ()
        layout = self.layout
        if layout.gravity:
            return _open_columns(self.mask >> layout.rows - 1 & layout.bottom, layout.columns, layout.stride)
        return tuple([action for action in range(self.spec.actions) if not self.mask >> self._entry(action) & 1])

    def play(self, action: SupportsIndex) -> Position:
        """The position after `action`; raises IllegalMoveError with the reason."""
        number = operator.index(action)
        if self.winner is not None or not 0 <= number < self.spec.actions or self.mask >> self._entry(number) & 1:
            raise IllegalMoveError(self._why_illegal(number))
        return self._after(number)

    def _entry(self, action: int) -> int:
        """The cell that must be empty for `action` to be legal: the top of a column, or the cell itself."""
        layout = self.layout
        if layout.gravity:
            return action * layout.stride + layout.rows - 1
        return layout.cell(*divmod(action, layout.columns))

    def _after(self, action: int) -> Position:
        """`play` for search. Not checked: `action` is legal and the game is not over."""
        stone = 1 << self.landing_cell(action)
        mine = self.stones | stone
        winner = self.side_to_move if _has_line(mine, self.layout) else None
        return Position(
            self.spec, self.mask ^ self.stones, self.mask | stone, (*self.actions, action), winner, self.layout
        )

    def landing_cell(self, action: int) -> int:
        """The cell on which a legal `action` puts its stone."""
        if self.layout.gravity:
            bottom = 1 << action * self.layout.stride
            return (self.mask + bottom & ~self.mask).bit_length() - 1
        return self.layout.cell(*divmod(action, self.layout.columns))

    def winning_actions(self, *, of_opponent: bool = False) -> tuple[int, ...]:
        """The legal actions, ascending, that complete a line for the side to move, or for the opponent if
        `of_opponent`.
        """
        stones = self.mask ^ self.stones if of_opponent else self.stones
        if self.winner is not None or stones.bit_count() < self.layout.inarow - 1:
            return ()
        cells = _line_gaps(stones, self.layout) & rules.playable(self.mask, self.layout)
        return tuple(sorted([self.action_of(cell) for cell in cells_of(cells)])) if cells else ()

    def action_of(self, cell: int) -> int:
        """The action that puts a stone on a playable cell."""
        return rules.action_of(cell, self.layout)

    def _why_illegal(self, action: int) -> str:
        after = f"after {self.moves!r}" if self.actions else "at the start"
        legal = format_moves(self.legal_actions, self.spec) or "none"
        if not 0 <= action < self.spec.actions:
            actions = f"actions 0 to {self.spec.actions - 1}"
            return f"action {action} does not exist on {self.spec}, which has {actions}; legal moves {after}: {legal}"
        kind = "column" if self.spec.gravity else "cell"
        move = format_move(action, self.spec)
        if self.is_over:
            return f"{kind} {move} cannot be played on {self.spec} {after}: the game is over; legal: {legal}"
        full = "full" if self.spec.gravity else "taken"
        return f"{kind} {move} is {full} on {self.spec} {after}; legal: {legal}"

    # --- Facts ---

    @property
    def ply(self) -> int:
        """Number of stones on the board."""
        return self.mask.bit_count()

    @property
    def side_to_move(self) -> int:
        """1 or 2. In a finished game, the side that would move next."""
        return 1 + self.ply % 2

    @property
    def is_over(self) -> bool:
        return self.winner is not None or self.mask == self.layout.board

    def check_ongoing(self) -> None:
        """Raises FinishedGameError if the game is over."""
        if self.is_over:
            raise FinishedGameError(f"the game on {self.spec} is over after {self.moves!r}")

    @property
    def moves(self) -> str:
        """The move string of a legal game that leads here; of the game played, if the position comes from one."""
        return format_moves(self.actions, self.spec)

    @property
    def key(self) -> int:
        """An integer; two positions of one spec have the same key exactly if they are equal."""
        if self.layout.gravity:
            return rules.gravity_key(self.stones, self.mask, self.layout)
        return self.mask << self.layout.stride * self.layout.columns | self.stones

    @property
    def winning_line(self) -> tuple[tuple[int, int], ...]:
        """(row, column) of every stone that is part of a line, row 0 on top; empty if there is none."""
        if self.winner is None:
            return ()
        line = 0
        for step in self.layout.steps:
            starts = rules.line_starts(self.mask ^ self.stones, step, self.layout.inarow)
            for place in range(self.layout.inarow):
                line |= starts << step * place
        return tuple(sorted(self.layout.row_and_column(cell) for cell in cells_of(line)))

    @property
    def last_cell(self) -> tuple[int, int] | None:
        """(row, column) of the stone played last, row 0 on top; None at the start."""
        if not self.actions:
            return None
        action = self.actions[-1]
        if self.layout.gravity:
            return self.layout.rows - self.column_heights[action], action
        return divmod(action, self.layout.columns)

    @property
    def column_heights(self) -> tuple[int, ...]:
        """The number of stones in each column."""
        layout, column_cells = self.layout, (1 << self.layout.rows) - 1
        columns = range(layout.columns)
        return tuple([(self.mask >> column * layout.stride & column_cells).bit_count() for column in columns])

    # --- Other forms ---

    def mirror(self) -> Position:
        """The position and its game with left and right exchanged."""
        columns = self.layout.columns
        return Position(
            self.spec,
            rules.mirror(self.stones, self.layout),
            rules.mirror(self.mask, self.layout),
            tuple(action - 2 * (action % columns) + columns - 1 for action in self.actions),
            self.winner,
            self.layout,
        )

    def to_array(self) -> npt.NDArray[np.int8]:
        """int8 [rows, columns], row 0 on top: 0 empty, 1 first side, 2 second side."""
        array = np.zeros((self.spec.rows, self.spec.columns), np.int8)
        for side, stones in ((self.side_to_move, self.stones), (3 - self.side_to_move, self.mask ^ self.stones)):
            for cell in cells_of(stones):
                array[self.layout.row_and_column(cell)] = side
        return array

    def to_kaggle(self) -> list[int]:
        """Kaggle's `observation.board`: the array as a flat list, row by row from the top left."""
        return [int(cell) for cell in self.to_array().ravel()]

    def _repr_svg_(self) -> str:
        svg: str = drawn_by_report("board", "board_svg", self)
        return svg

    def __str__(self) -> str:
        return format_diagram(self.to_array())

    def __repr__(self) -> str:
        return f"Position.parse({self.moves!r}, GameSpec.parse({str(self.spec)!r}))"


@lru_cache(maxsize=1024)
def _open_columns(full: int, columns: int, stride: int) -> tuple[int, ...]:
    """The columns that are not full, on a board with gravity; `full` has the lowest cell of each full one."""
    return tuple([column for column in range(columns) if not full >> column * stride & 1])


# The same rules for plain integers: twice as fast, because these functions leave a direction as soon as
# its runs are too short.


def _has_line(stones: int, layout: Layout) -> bool:
    """The same as `rules.has_line`."""
    inarow = layout.inarow
    if inarow < 4:
        return rules.has_line(stones, layout)
    for step in layout.steps:
        pairs = stones & stones >> step
        if pairs:
            fours = pairs & pairs >> 2 * step
            if fours and (inarow == 4 or rules.line_starts(fours, step, inarow - 3)):
                return True
    return False


def _line_gaps(stones: int, layout: Layout) -> int:
    """The same as `rules.line_gaps` in all directions together."""
    inarow, found = layout.inarow, 0
    if inarow == 4:  # the usual case, written out: most of the time of simple agents is spent here
        for step in layout.steps:
            pairs = stones & stones >> step
            if pairs:
                threes = pairs & pairs >> step
                found |= threes >> step | threes << 3 * step
                found |= (pairs & stones >> 3 * step) << 2 * step | (stones & pairs >> 2 * step) << step
        return found
    for step in layout.steps:
        runs, run = [-1], stones  # runs[k]: the cells at which k stones in a row begin
        while run and len(runs) < inarow:
            runs.append(run)
            run &= stones >> step * (len(runs) - 1)
        longest = len(runs) - 1
        for before in range(inarow - 1 - longest, longest + 1):
            found |= (runs[before] & runs[inarow - 1 - before] >> step * (before + 1)) << step * before
    return found


def cells_of(cells: int) -> list[int]:
    """The members of a set of cells, ascending."""
    members = []
    while cells:
        lowest = cells & -cells
        members.append(lowest.bit_length() - 1)
        cells ^= lowest
    return members
