"""Move strings and diagrams: games and positions as text.

A move string has one character per move, counted from 1: `1`-`9`, then `a`-`z` for 10 to 35; with more than 35 actions,
numbers separated by commas. A move is a column with gravity, else a cell counted row by row from the top left.

A diagram has one line per row, the top row first: `.` empty, `X` the first side, `O` the second.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from inarow.errors import NotationError, shown
from inarow.games.spec import GameSpec

_ALPHABET = "123456789abcdefghijklmnopqrstuvwxyz"
_ACTION_OF = {character: action for action, character in enumerate(_ALPHABET)}
MARKS = {1: "X", 2: "O"}  # marks of the sides, in diagrams and wherever a side is shown
_CELL_CHARACTERS = {0: "."} | MARKS
_CELL_VALUES = {".": 0, "X": 1, "x": 1, "O": 2, "o": 2}


# --- Move strings ---


def format_move(action: int, spec: GameSpec) -> str:
    return _ALPHABET[action] if spec.actions <= len(_ALPHABET) else str(action + 1)


def format_moves(actions: Iterable[int], spec: GameSpec) -> str:
    if spec.actions <= len(_ALPHABET):
        return "".join([_ALPHABET[action] for action in actions])
    return ",".join([str(action + 1) for action in actions])


def parse_move(text: str, spec: GameSpec) -> int:
    """The action of one move; raises NotationError. Does not check that it is legal in a position."""
    if spec.actions <= len(_ALPHABET):
        action = _ACTION_OF.get(text, -1)
    else:
        action = int(text) - 1 if text.isascii() and text.isdigit() and len(text) <= 3 else -1
    if not 0 <= action < spec.actions:
        raise NotationError(f"{shown(text)} is not a move on {spec}; {describe_moves(spec)}")
    return action


def parse_moves(text: str, spec: GameSpec) -> tuple[int, ...]:
    """The actions of a move string; raises NotationError. Does not check that they are legal in a game."""
    text = text.strip()
    moves = text if spec.actions <= len(_ALPHABET) else text.split(",") if text else ()
    if len(moves) > spec.cells:
        raise NotationError(f"{len(moves)} moves do not fit on {spec}, which has {spec.cells} cells")
    usual = _usual_moves(spec)
    try:
        return tuple([usual[move] for move in moves])
    except KeyError:
        pass  # a number with leading zeros, or an invalid move that the message names
    actions = []
    for number, move in enumerate(moves, start=1):
        try:
            actions.append(parse_move(move, spec))
        except NotationError as error:
            raise NotationError(f"move {number}: {error}") from None
    return tuple(actions)


@lru_cache(maxsize=256)
def _usual_moves(spec: GameSpec) -> Mapping[str, int]:
    return {format_move(action, spec): action for action in range(spec.actions)}


def describe_moves(spec: GameSpec) -> str:
    """The moves of a board, for error messages and prompts."""
    kind = "columns" if spec.gravity else "cells"
    return f"{kind} are {format_move(0, spec)} to {format_move(spec.actions - 1, spec)}"


# --- Diagrams ---


def format_diagram(cells: npt.NDArray[np.int8]) -> str:
    """The diagram of an array as `Position.to_array` returns it, without a final line break."""
    return "\n".join(" ".join(_CELL_CHARACTERS[int(cell)] for cell in row) for row in cells)


def parse_diagram(text: str, spec: GameSpec) -> npt.NDArray[np.int8]:
    """The array of a diagram, blanks ignored; raises NotationError. Does not check that a game leads to it."""
    lines = ["".join(line.split()) for line in text.splitlines() if line.strip()]
    if len(lines) != spec.rows:
        raise NotationError(f"the diagram has {len(lines)} rows; {spec} has {spec.rows}")
    for number, line in enumerate(lines, start=1):
        if len(line) != spec.columns:
            raise NotationError(f"row {number} of the diagram has {len(line)} cells; {spec} has {spec.columns} columns")
        unknown = next((character for character in line if character not in _CELL_VALUES), None)
        if unknown is not None:
            raise NotationError(f"row {number} of the diagram has {shown(unknown)}; cells are '.', 'X' or 'O'")
    return np.array([[_CELL_VALUES[character] for character in line] for line in lines], np.int8)


def side_name(side: int, player: str) -> str:
    """The mark of a side and the name of its player."""
    return f"{MARKS[side]} ({player})"
