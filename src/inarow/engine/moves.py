"""Notations of moves and positions for engine protocols.

columns    a column from 1 on boards with gravity, else a cell as in chess: `c4` is the third column, fourth row
           from below
openspiel  the action strings of OpenSpiel's connect_four, tic_tac_toe and mnk: `x3`, `o(0,2)`, counted from 0, rows
           from the top
"""

import re
from collections.abc import Sequence
from typing import Literal

from inarow.errors import IllegalMoveError, NotationError, shown
from inarow.games import GameSpec, Position
from inarow.games.notation import parse_moves

Notation = Literal["columns", "openspiel"]

_CELL = re.compile(r"([a-p])([0-9]{1,2})")
_FEN_PART = re.compile(r"((?<![0-9])[0-9]{1,2})|(.)", re.DOTALL)
_COLUMN = re.compile(r"([xo]?)([0-9]{1,2})")
_OPENSPIEL_CELL = re.compile(r"[xo]\(([0-9]{1,2}),([0-9]{1,2})\)")


def format_engine_move(action: int, spec: GameSpec) -> str:
    """A move in the notation `columns`."""
    if spec.gravity:
        return str(action + 1)
    row, column = divmod(action, spec.columns)
    return f"{chr(ord('a') + column)}{spec.rows - row}"


def format_openspiel_move(action: int, position: Position) -> str:
    """An action of the side to move in the notation `openspiel`."""
    side = "xo"[position.side_to_move - 1]
    if position.spec.gravity:
        return f"{side}{action}"
    row, column = divmod(action, position.spec.columns)
    return f"{side}({row},{column})"


def parse_engine_move(text: str, spec: GameSpec) -> int:
    """The action of a move in either notation; raises NotationError. Does not check that it is legal."""
    action = _column(text) if spec.gravity else _cell(text, spec)
    if action is None or not 0 <= action < spec.actions:
        last = format_engine_move(spec.columns - 1, spec)
        kind = f"columns are 1 to {last}" if spec.gravity else f"cells are a1 to {last}"
        raise NotationError(f"{shown(text)} is not a move on {spec}; {kind}")
    return action


def parse_engine_moves(words: Sequence[str], spec: GameSpec) -> tuple[int, ...]:
    """The actions of moves, one word each; a single word that is not a move may be a move string."""
    if len(words) == 1 and len(words[0]) > 1:
        try:
            return (parse_engine_move(words[0], spec),)
        except NotationError:
            return parse_moves(words[0], spec)
    return tuple(parse_engine_move(word, spec) for word in words)


def _column(text: str) -> int | None:
    match = _COLUMN.fullmatch(text)
    return None if match is None else int(match[2]) - (not match[1])  # OpenSpiel counts from 0


def _cell(text: str, spec: GameSpec) -> int | None:
    if match := _OPENSPIEL_CELL.fullmatch(text):
        row, column = int(match[1]), int(match[2])
    elif match := _CELL.fullmatch(text):
        row, column = spec.rows - int(match[2]), ord(match[1]) - ord("a")
    else:
        return None
    return row * spec.columns + column if 0 <= row < spec.rows and column < spec.columns else None


def parse_position(words: Sequence[str], spec: GameSpec) -> Position:
    """`startpos [moves ...]` or `fen ROWS [x|o] [moves ...]`; unknown words are skipped."""
    place = words.index("moves") if "moves" in words else len(words)
    before, moves = list(words[:place]), words[place + 1 :]
    if "fen" in before:
        fen = before[before.index("fen") + 1 :]
        position = _parse_fen(fen[0] if fen else "", spec)
    elif "startpos" in before or moves:
        position = Position.start(spec)
    else:
        raise NotationError("position needs startpos or fen")
    for number, action in enumerate(parse_engine_moves(moves, spec), start=1):
        try:
            position = position.play(action)
        except IllegalMoveError as error:
            raise IllegalMoveError(f"move {number}: {error}") from None
    return position


def _parse_fen(text: str, spec: GameSpec) -> Position:
    """Parses rows from the top, separated by /, of x, o and numbers of empty cells. The numbers of stones determine the
    side to move.
    """
    rows = []
    for row in text.lower().split("/"):
        cells: list[int] = []
        for empty, character in _FEN_PART.findall(row):
            if character and character not in "xo":
                raise NotationError(f"{shown(text)} has {shown(character)}, which is not x, o or a number")
            cells += ["xo".index(character) + 1] if character else [0] * int(empty)
        rows.append(cells)
    if len(rows) != spec.rows or any(len(cells) != spec.columns for cells in rows):
        raise NotationError(f"{shown(text)} is not a board of {spec.rows} rows and {spec.columns} columns")
    return Position.from_array(rows, spec)
