"""A game with people in a terminal: the board, moves by keys or lines, taking moves back, leaving."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from inarow.agents.agent import Agent
from inarow.cli.keyboard import BACKSPACE, DOWN, ENTER, HAS_KEYS, LEAVE, LEFT, RIGHT, UP, read_key
from inarow.errors import InarowError, NotationError, one_line
from inarow.games.notation import MARKS, describe_moves, format_move, parse_move
from inarow.games.position import Position
from inarow.games.record import GameRecord

_HELP = "arrows and Enter, or type the move; h hints, u takes back, q leaves (or Backspace, Ctrl-D)"
_STYLES = {1: "bold red", 2: "bold cyan"}
_STEPS = {LEFT: (0, -1), RIGHT: (0, 1), UP: (-1, 0), DOWN: (1, 0)}

Show = Callable[[Position], None]
Hint = Callable[[Position], str]
"""Advice for the side to move, in one line."""


def draw_position(position: Position, *, cursor: int | None = None) -> Text:
    """The board with its moves: columns on top with gravity, else a number in each empty cell.

    Colour is never the only sign: winning stones are in square brackets, the last stone in round ones. `cursor` is an
    action to point at.
    """
    spec, cells = position.spec, position.to_array()
    line = set(position.winning_line)
    last = position.last_cell
    width = 3 if spec.gravity else max(3, len(format_move(spec.actions - 1, spec)) + 2)
    text = Text()
    if spec.gravity:
        for column in range(spec.columns):
            pointed = column == cursor
            text.append(format_move(column, spec).center(width), style="reverse" if pointed else "dim")
        text.append("\n")
    for row in range(spec.rows):
        for column in range(spec.columns):
            action = row * spec.columns + column
            side = int(cells[row, column])
            if side:
                left, right = "[]" if (row, column) in line else "()" if (row, column) == last else "  "
                text.append(f"{left}{MARKS[side]}{right}".center(width), style=_STYLES[side])
            elif spec.gravity:
                text.append(".".center(width), style="dim")
            else:
                text.append(format_move(action, spec).center(width), style="reverse" if action == cursor else "dim")
        text.append("\n")
    return text


class TakeBackRequest(Exception):
    """Raised when a person wants to take back their last move."""


class LeaveRequest(Exception):
    """Raised when a person wants to stop."""


class Session:
    """Plays from `start` with `first` and `second`, showing every position."""

    def __init__(self, first: Agent, second: Agent, start: Position, show: Show) -> None:
        self.position = start
        self._start = start
        self._agents = first, second
        self._show = show

    def run(self) -> GameRecord:
        """Plays until the game is over or a player leaves."""
        while not self.position.is_over:
            self._show(self.position)
            try:
                mover = self._agents[self.position.side_to_move - 1]
                self.position = self.position.play(mover.decide(self.position).action)
            except TakeBackRequest:
                self._take_back()
            except LeaveRequest:
                break
        self._show(self.position)
        first, second = self._agents
        return GameRecord.of_position(self.position, first.name, second.name, opening=self._start.ply)

    def _take_back(self) -> None:
        """Back to the last position in which the same agent was to move; stays if there is none."""
        asking = self._agents[self.position.ply % 2].name
        for ply in range(self.position.ply - 1, self._start.ply - 1, -1):
            if self._agents[ply % 2].name == asking:
                self.position = Position.from_actions(self.position.actions[:ply], self.position.spec)
                return


def is_interactive() -> bool:
    """Whether keys can be read one by one and the board redrawn in place."""
    return HAS_KEYS and sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


class LineAsker:
    """Reads one move per line. A person may try again; a bad line from a pipe is an error."""

    def __init__(self, console: Console, lines: TextIO, hint: Hint) -> None:
        self._console = console
        self._lines = lines
        self._hint = hint
        self._number = 0

    def __call__(self, position: Position) -> int:
        while True:
            self._console.print(f"{MARKS[position.side_to_move]} to move: ", end="")
            line = self._lines.readline()
            self._number += 1
            if not self._lines.isatty():
                self._console.print()
            if not line:
                raise LeaveRequest
            text = line.strip()
            try:
                return _legal_action(text, position)
            except InarowError as error:
                word = text if isinstance(error, NotationError) else ""  # on large boards, letters are moves
                if word in ("h", "hint"):
                    self._console.print(self._hint(position))
                elif word in ("q", "quit"):
                    raise LeaveRequest from None
                elif word in ("u", "undo"):
                    raise TakeBackRequest from None
                elif not self._lines.isatty():
                    raise NotationError(f"line {self._number}: {one_line(error)}") from None
                else:
                    self._console.print(f"{one_line(error)} (h hints, u takes back, q leaves)")


class KeyAsker:
    """Lets a person steer a cursor with the arrow keys, or type the move. Inside `single_keys`."""

    def __init__(self, console: Console, hint: Hint) -> None:
        self._console = console
        self._hint = hint

    def __call__(self, position: Position) -> int:
        middle = position.spec.actions // 2
        cursor = min(position.legal_actions, key=lambda action: abs(action - middle))
        typed, message = "", ""
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            while True:
                live.update(_screen(position, cursor, typed, message), refresh=True)
                key = read_key()
                message = ""
                word = key if key in ("h", "u", "q") and not _is_move(key, position) else ""
                if key == LEAVE or word == "q":
                    raise LeaveRequest
                if (key == BACKSPACE and not typed) or word == "u":
                    raise TakeBackRequest
                if word == "h":
                    message = self._hint(position)
                elif key in _STEPS:
                    cursor = _moved(cursor, _STEPS[key], position)
                elif key == BACKSPACE:
                    typed = typed[:-1]
                elif len(key) == 1 and key.isalnum():
                    typed += key
                # One key is a whole move on boards of up to 35 actions; others wait for Enter.
                if key == ENTER or (typed and position.spec.actions <= 35):
                    try:
                        return _legal_action(typed, position) if typed else _checked(cursor, position)
                    except InarowError as error:
                        typed, message = "", one_line(error)


def _legal_action(text: str, position: Position) -> int:
    """Raises NotationError for a text that is not a move, IllegalMoveError for a move that the rules forbid."""
    return _checked(parse_move(text, position.spec), position)


def _checked(action: int, position: Position) -> int:
    position.play(action)
    return action


def _is_move(text: str, position: Position) -> bool:
    """On boards with more than 25 actions the letters of the commands are moves, too."""
    try:
        parse_move(text, position.spec)
    except NotationError:
        return False
    return True


def _screen(position: Position, cursor: int, typed: str, message: str) -> Text:
    text = draw_position(position, cursor=cursor)
    text.append(f"{MARKS[position.side_to_move]} to move {typed}\n", style="bold")
    text.append(message or f"{describe_moves(position.spec)}; {_HELP}", style="dim")
    return text


def _moved(cursor: int, step: tuple[int, int], position: Position) -> int:
    """The cursor one step further, around the edges; gravity leaves left and right."""
    spec = position.spec
    row, column = divmod(cursor, spec.columns)
    column = (column + step[1]) % spec.columns
    if not spec.gravity:
        row = (row + step[0]) % spec.rows
    return row * spec.columns + column
