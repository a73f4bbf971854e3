"""`inarow play`: the board in a terminal, moves by keys or lines, taking moves back, leaving."""

import os
import select
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TextIO

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.text import Text

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.cli.options import AgentString, Board, Json, Moves, Seed
from inarow.cli.output import print_json, stderr, stdout
from inarow.errors import InarowError, NotationError, one_line
from inarow.games import GameRecord, GameSpec, Position
from inarow.games.notation import MARKS, describe_moves, format_move, parse_move, side_name
from inarow.search.limits import Limits
from inarow.search.solver.api import analyse

_HINT_SECONDS = 5
_HELP = "arrows and Enter, or type the move; h hints, u takes back, q leaves (or Backspace, Ctrl-D)"
_STYLES = {1: "bold red", 2: "bold cyan"}
ENTER, BACKSPACE, LEAVE = "enter", "backspace", "leave"
_NAMED_KEYS = {"\r": ENTER, "\n": ENTER, " ": ENTER, "\x7f": BACKSPACE, "\b": BACKSPACE, "\x04": LEAVE, "": LEAVE}
_ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
_STEPS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}
_ESCAPE = "\x1b"
_ESCAPE_SECONDS = 0.05  # how long the rest of an arrow key may take; a lone Escape has none


def play(
    *,
    board: Board = "connect4",
    first: AgentString = "human",
    second: AgentString = "solver:level=2",
    moves: Moves = "",
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Play a game in the terminal, by default against the computer.

    Where keys cannot be read one by one, moves are read one per line.

    Args:
        first: Agent string of the side that moves first.
        second: Agent string of the other side.

    Examples:
        inarow play                                    # you move first
        inarow play --second solver:level=5            # levels 1 (easy) to 10
        inarow play --first solver --second human      # the computer begins
        inarow play --board tictactoe --second human   # two people
    """
    console = stderr if json else stdout
    start = Position.parse(moves, GameSpec.parse(board))
    has_screen = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    by_keys = has_screen and find_spec("termios") is not None  # on Windows, moves are read by lines
    ask = KeyAsker(console) if by_keys else LineAsker(console, sys.stdin)
    streams = np.random.SeedSequence(seed).spawn(2)
    agents = [make_agent(text, seed=stream, ask=ask) for text, stream in zip((first, second), streams, strict=True)]
    console.print(f"{side_name(1, agents[0].name)} against {side_name(2, agents[1].name)}")
    session = Session(agents, start, console)
    try:
        with single_keys() if by_keys else nullcontext():
            record = session.run()
    except KeyboardInterrupt:
        if played := session.position.moves:
            options = {"--board": board, "--first": first, "--second": second, "--moves": played}
            command = shlex.join(["inarow", "play", *(word for option in options.items() for word in option)])
            stderr.print(f"continue with: {command}", style="yellow", markup=False, soft_wrap=True)
        raise
    console.print(_ending(record), style="bold")
    if json:
        print_json(record)


def _hint(position: Position) -> str:
    """What the solver says within a few seconds."""
    analysis = analyse(position, only_best=True, limits=Limits(seconds=_HINT_SECONDS))
    if not analysis.best:
        return f"no hint: not solved within {_HINT_SECONDS} s"
    best = " ".join(format_move(action, position.spec) for action in analysis.best)
    return f"best: {best} (score {analysis.score}, {analysis.plies} plies to the end)"


def _ending(record: GameRecord) -> str:
    moves = f"{len(record.actions)} moves: {record.moves}"
    if record.termination == "unfinished":
        return f"left after {moves}"
    if record.winner is None:
        return f"a draw after {moves}"
    return f"{side_name(record.winner, (record.first, record.second)[record.winner - 1])} wins after {moves}"


class TakeBackRequest(Exception):
    """Raised when a person wants to take back their last move."""


class LeaveRequest(Exception):
    """Raised when a person wants to stop."""


@dataclass
class Session:
    """Plays from `position` with two agents, showing every position."""

    agents: Sequence[Agent]
    position: Position
    console: Console

    def run(self) -> GameRecord:
        """Plays until the game is over or a player leaves."""
        start = self.position.ply
        while not self.position.is_over:
            self.console.print(draw_position(self.position))
            mover = self.agents[self.position.ply % 2]
            try:
                self.position = self.position.play(mover.decide(self.position).action)
            except TakeBackRequest:  # to the last position in which the same agent was to move, if there is one
                earlier = [*self.position.line()][start:-1]
                own = [each for each in earlier if self.agents[each.ply % 2].name == mover.name]
                self.position = own[-1] if own else self.position
            except LeaveRequest:
                break
        self.console.print(draw_position(self.position))
        first, second = (agent.name for agent in self.agents)
        return GameRecord.of_position(self.position, first, second, opening=start)


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


# --- Moves of people ---


@dataclass
class LineAsker:
    """Reads one move per line. A person may try again; a bad line from a pipe is an error."""

    console: Console
    lines: TextIO
    number: int = 0

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
                    self.console.print(f"{one_line(error)} (h hints, u takes back, q leaves)")


@dataclass
class KeyAsker:
    """Lets a person steer a cursor with the arrow keys, or type the move. Inside `single_keys`."""

    console: Console

    def __call__(self, position: Position) -> int:
        spec, middle = position.spec, position.spec.actions // 2
        moves = [format_move(action, spec) for action in range(spec.actions)]  # on large boards, letters are moves
        cursor = min(position.legal_actions, key=lambda action: abs(action - middle))
        typed, message = "", ""
        with Live(console=self.console, auto_refresh=False, transient=True) as live:
            while True:
                screen = draw_position(position, cursor=cursor)
                screen.append(f"{MARKS[position.side_to_move]} to move {typed}\n", style="bold")
                screen.append(message or f"{describe_moves(spec)}; {_HELP}", style="dim")
                live.update(screen, refresh=True)
                key = read_key()
                message = ""
                word = key if key in ("h", "u", "q") and key not in moves else ""
                if key == LEAVE or word == "q":
                    raise LeaveRequest
                if (key == BACKSPACE and not typed) or word == "u":
                    raise TakeBackRequest
                if word == "h":
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
                        typed, message = "", one_line(error)


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
