"""Asking a person for a move: by keys in a terminal, by lines everywhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from inarow.cli.drawing import MARKS, draw_position
from inarow.cli.keyboard import BACKSPACE, DOWN, ENTER, HAS_KEYS, LEAVE, LEFT, RIGHT, UP, read_key
from inarow.cli.session import LeaveRequest, TakeBackRequest
from inarow.errors import InarowError, NotationError, one_line
from inarow.games.notation import describe_moves, parse_move
from inarow.games.position import Position

HELP = "arrows and Enter, or type the move; h hints, u takes back, q leaves (or Backspace, Ctrl-D)"

Hint = Callable[[Position], str]
"""Advice for the side to move, in one line."""


def is_interactive() -> bool:
    """Whether keys can be read one by one and the board redrawn in place."""
    return HAS_KEYS and sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


class LineAsker:
    """Reads a move a line. A person may try again; a bad line from a pipe is an error, since
    nobody would notice the answer.
    """

    def __init__(self, console: Console, lines: TextIO, hint: Hint) -> None:
        self._console = console
        self._lines = lines
        self._hint = hint
        self._number = 0

    def __call__(self, position: Position) -> int:
        while True:
            self._console.print(f"{MARKS[position.side_to_move]} to move: ", end="", highlight=False)
            line = self._lines.readline()
            self._number += 1
            if not self._lines.isatty():
                self._console.print()
            if not line:
                raise LeaveRequest
            if line.strip() in ("h", "hint") and not _is_move(line.strip(), position):
                self._console.print(self._hint(position), highlight=False)
                continue
            try:
                return self._understood(line.strip(), position)
            except InarowError as error:
                if not self._lines.isatty():
                    raise NotationError(f"line {self._number}: {one_line(error)}") from None
                self._console.print(f"{one_line(error)} (h hints, u takes back, q leaves)", highlight=False)

    def _understood(self, text: str, position: Position) -> int:
        if text in ("q", "quit", "u", "undo") and not _is_move(text, position):
            raise LeaveRequest if text.startswith("q") else TakeBackRequest
        action = parse_move(text, position.spec)
        position.play(action)
        return action


def _is_move(text: str, position: Position) -> bool:
    """On boards with more than 25 actions the letters of the commands are moves, too."""
    try:
        parse_move(text, position.spec)
    except NotationError:
        return False
    return True


class KeyAsker:
    """Lets a person steer a cursor with the arrow keys, or type the move. Inside `single_keys`."""

    def __init__(self, console: Console, hint: Hint) -> None:
        self._console = console
        self._hint = hint

    def __call__(self, position: Position) -> int:
        cursor = _nearest_legal(position)
        typed, message = "", ""
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            while True:
                live.update(_screen(position, cursor, typed, message), refresh=True)
                key = read_key()
                message = ""
                if key == LEAVE or (key == "q" and not _is_move(key, position)):
                    raise LeaveRequest
                if (key == BACKSPACE and not typed) or (key == "u" and not _is_move(key, position)):
                    raise TakeBackRequest
                if key == "h" and not _is_move(key, position):
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
                        action = parse_move(typed, position.spec) if typed else cursor
                        position.play(action)
                        return action
                    except InarowError as error:
                        typed, message = "", one_line(error)


_STEPS = {LEFT: (0, -1), RIGHT: (0, 1), UP: (-1, 0), DOWN: (1, 0)}


def _screen(position: Position, cursor: int, typed: str, message: str) -> Text:
    text = draw_position(position, cursor=cursor)
    text.append(f"{MARKS[position.side_to_move]} to move {typed}\n", style="bold")
    text.append(message or f"{describe_moves(position.spec)}; {HELP}", style="dim")
    return text


def _nearest_legal(position: Position) -> int:
    """The legal action nearest to the middle of the board."""
    middle = position.spec.actions // 2
    return min(position.legal_actions, key=lambda action: abs(action - middle))


def _moved(cursor: int, step: tuple[int, int], position: Position) -> int:
    """The cursor one step further, around the edges; gravity leaves left and right."""
    spec = position.spec
    row, column = divmod(cursor, spec.columns)
    column = (column + step[1]) % spec.columns
    if not spec.gravity:
        row = (row + step[0]) % spec.rows
    return row * spec.columns + column
