"""A person at the board: moves typed in lines, or steered by keys on a board that is drawn in place."""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from inarow.errors import InarowError, NotationError, one_line
from inarow.games import Position
from inarow.games.notation import MARKS, describe_moves, format_move, parse_move
from inarow.search.limits import Limits
from inarow.search.solver.api import analyse

COMMANDS = "h: hint, u: undo, q: quit"
_HINT_SECONDS = 5
_STYLES = {1: "bold red", 2: "bold cyan"}
ENTER, BACKSPACE, LEAVE = "enter", "backspace", "leave"
_NAMED_KEYS = {"\r": ENTER, "\n": ENTER, " ": ENTER, "\x7f": BACKSPACE, "\b": BACKSPACE, "\x04": LEAVE, "": LEAVE}
_ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
_STEPS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}
_ESCAPE = "\x1b"
_ESCAPE_SECONDS = 0.05  # how long the rest of an arrow key may take; a lone Escape has none


class TakeBackRequest(Exception):
    """Raised when a person wants to take back their last move."""


class LeaveRequest(Exception):
    """Raised when a person wants to stop."""


class Screen(Protocol):
    """Where a game is shown, with a person to ask for moves."""

    def welcome(self, position: Position) -> str:
        """How to move, in a line."""

    def show(self, position: Position, status: str = "") -> None:
        """Shows a position, and what it waits for."""

    def __call__(self, position: Position) -> int:
        """The move of the person; raises TakeBackRequest or LeaveRequest."""


def draw_position(position: Position, *, cursor: int | None = None) -> Text:
    """The board with its moves: columns on top with gravity, else a number in each empty cell.

    Colour is never the only sign: winning stones are in square brackets, the last stone in round ones. `cursor` is an
    action to point at.
    """
    spec, cells, line, last = position.spec, position.to_array(), position.winning_line, position.last_cell
    width = 3 if spec.gravity else max(3, len(format_move(spec.actions - 1, spec)) + 2)
    text = Text()

    def append_move(action: int) -> None:
        text.append(format_move(action, spec).center(width), style="reverse" if action == cursor else "dim")

    if spec.gravity:
        for column in range(spec.columns):
            append_move(column)
        text.append("\n")
    for row in range(spec.rows):
        for column in range(spec.columns):
            if side := int(cells[row, column]):
                left, right = "[]" if (row, column) in line else "()" if (row, column) == last else "  "
                text.append(f"{left}{MARKS[side]}{right}".center(width), style=_STYLES[side])
            elif spec.gravity:
                text.append(".".center(width), style="dim")
            else:
                append_move(row * spec.columns + column)
        text.append("\n")
    return text


def _hint(position: Position) -> str:
    """What the solver says within a few seconds."""
    analysis = analyse(position, only_best=True, limits=Limits(seconds=_HINT_SECONDS))
    if not analysis.best:
        return f"no hint: not solved within {_HINT_SECONDS} s"
    best = " ".join(format_move(action, position.spec) for action in analysis.best)
    return f"best: {best} (score {analysis.score}, {analysis.plies} plies to the end)"


@dataclass
class LineScreen:
    """Prints every position and reads one move per line. A person may try again; a bad line from a pipe is an error."""

    console: Console
    lines: TextIO
    number: int = 0

    def welcome(self, position: Position) -> str:
        return f"Type a move and press Enter; {describe_moves(position.spec)}. {COMMANDS}."

    def show(self, position: Position, status: str = "") -> None:
        """Prints the position."""
        self.console.print(draw_position(position))

    def __call__(self, position: Position) -> int:
        while True:
            self.console.print(f"{MARKS[position.side_to_move]} to move: ", end="")
            line = self.lines.readline()
            self.number += 1
            if not self.lines.isatty():
                self.console.print()
            if not line:
                raise LeaveRequest
            text = line.strip()
            try:
                return _legal_action(text, position)
            except InarowError as error:
                word = text if isinstance(error, NotationError) else ""  # on large boards, letters are moves
                if word in ("h", "hint"):
                    self.console.print(_hint(position))
                elif word in ("q", "quit"):
                    raise LeaveRequest from None
                elif word in ("u", "undo"):
                    raise TakeBackRequest from None
                elif not self.lines.isatty():
                    raise NotationError(f"line {self.number}: {one_line(error)}") from None
                else:
                    self.console.print(f"{one_line(error)}  ({COMMANDS})")


@dataclass
class KeyScreen:
    """Draws the board in place; a person steers a cursor with the arrow keys, or types the move. Inside
    `single_keys` and `live`.
    """

    live: Live

    def welcome(self, position: Position) -> str:
        return f"Move with the arrow keys and Enter, or type the move. {COMMANDS}."

    def show(self, position: Position, status: str = "") -> None:
        """Draws the position in place of the last one."""
        self._draw(draw_position(position), status)

    def __call__(self, position: Position) -> int:
        spec, middle = position.spec, position.spec.actions // 2
        moves = [format_move(action, spec) for action in range(spec.actions)]  # on large boards, letters are moves
        cursor = min(position.legal_actions, key=lambda action: abs(action - middle))
        typed, message = "", ""
        while True:
            status = f"{MARKS[position.side_to_move]} to move {typed}"
            self._draw(draw_position(position, cursor=cursor), status, message or f"{describe_moves(spec)}; {COMMANDS}")
            key = read_key()
            message = ""
            word = key if key in ("h", "u", "q") and key not in moves else ""
            if key == LEAVE or word == "q":
                raise LeaveRequest
            if (key == BACKSPACE and not typed) or word == "u":
                raise TakeBackRequest
            if word == "h":
                self._draw(draw_position(position, cursor=cursor), status, "looking for a hint ...")
                message = _hint(position)
            elif key in _STEPS:
                cursor = _moved(cursor, _STEPS[key], position)
            elif key == BACKSPACE:
                typed = typed[:-1]
            elif len(key) == 1 and key.isalnum():
                typed += key
            # One key is a whole move on boards of up to 35 actions; others wait for Enter.
            if key == ENTER or (typed and spec.actions <= 35):
                try:
                    return _legal_action(typed or moves[cursor], position)
                except InarowError as error:
                    typed, message = "", f"{one_line(error)}  ({COMMANDS})"

    def _draw(self, screen: Text, status: str, message: str = "") -> None:
        screen.append(f"{status}\n", style="bold")
        screen.append(message, style="dim")
        self.live.update(screen, refresh=True)


def lines_needed(position: Position) -> tuple[int, int]:
    """(lines, columns) of a terminal that can show the board in place."""
    text = draw_position(position).plain.splitlines()
    return len(text) + 4, max(map(len, text))


def _legal_action(text: str, position: Position) -> int:
    """Raises NotationError for a text that is not a move, IllegalMoveError for a move that the rules forbid."""
    action = parse_move(text, position.spec)
    position.play(action)
    return action


def _moved(cursor: int, step: tuple[int, int], position: Position) -> int:
    """The cursor one step further, around the edges; gravity leaves left and right."""
    spec = position.spec
    row, column = divmod(cursor, spec.columns)
    column = (column + step[1]) % spec.columns
    if not spec.gravity:
        row = (row + step[0]) % spec.rows
    return row * spec.columns + column


@contextmanager
def single_keys() -> Iterator[None]:
    """Within a `with` block, keys arrive one by one and unechoed. Ctrl-C stays a signal.

    For a whole game, so that keys typed while the opponent thinks are neither lost nor echoed into the board.
    """
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def read_key() -> str:
    """The next key: a name of `_NAMED_KEYS` or `_ARROWS`, or the character. The end of the input is LEAVE."""
    character = _read_character()
    if character != _ESCAPE:
        return _NAMED_KEYS.get(character, character)
    if _more_comes() and _read_character() in ("[", "O") and _more_comes():
        return _ARROWS.get(_read_character(), _ESCAPE)
    return _ESCAPE


def _read_character() -> str:
    # Not through Python's buffer, which would hide from `select` what it has read already.
    return os.read(sys.stdin.fileno(), 1).decode("latin-1")


def _more_comes() -> bool:
    return bool(select.select([sys.stdin], [], [], _ESCAPE_SECONDS)[0])
