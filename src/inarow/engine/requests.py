"""What `position` and `go` ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inarow.engine.moves import parse_engine_moves
from inarow.errors import IllegalMoveError, NotationError, shown
from inarow.games.position import Position
from inarow.games.spec import GameSpec

_MOVES_LEFT = 12
"""How many more own moves a clock is divided by."""
_CLOCK_RESERVE = 0.05
"""Seconds of a clock that are never spent: the answer has to get through."""
_SHORTEST = 0.01
LONGEST = 3600.0
"""Seconds for a move, however many `go` names: what agents with a time limit accept at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoLimits:
    """What ends a search; without any, what the agent string says."""

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    infinite: bool = False
    """Think, and answer only when told to stop."""


def parse_position(words: Sequence[str], spec: GameSpec) -> Position:
    """`startpos [moves ...]` or `fen ROWS [x|o] [moves ...]`; words that mean nothing are skipped."""
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
    """Rows from the top, separated by /; x, o, and a number for so many empty cells. The side to move
    follows from the stones.
    """
    rows = []
    for row in text.lower().split("/"):
        cells: list[int] = []
        empty = ""
        for character in row + " ":
            if character.isascii() and character.isdigit() and len(empty) < 2:
                empty += character
                continue
            cells += [0] * int(empty or 0)
            empty = ""
            if character in "xo":
                cells.append("xo".index(character) + 1)
            elif character != " ":
                raise NotationError(f"{shown(text)} has {shown(character)}, which is no x, no o and no number")
        rows.append(cells)
    if len(rows) != spec.rows or any(len(cells) != spec.columns for cells in rows):
        raise NotationError(f"{shown(text)} is not a board of {spec.rows} rows and {spec.columns} columns")
    return Position.from_array(rows, spec)


def parse_go(words: Sequence[str], side_to_move: int) -> GoLimits:
    """The limits that `go` names. Unknown words, and numbers that are none, are skipped."""
    depth, nodes, movetime = (_number(words, name) for name in ("depth", "nodes", "movetime"))
    clock, increment = (_number(words, f"{'wb'[side_to_move - 1]}{name}") for name in ("time", "inc"))
    seconds = None if movetime is None else movetime / 1000
    if seconds is None and clock is not None:
        left = _number(words, "movestogo") or _MOVES_LEFT
        share = clock / 1000 / max(1, left) + 0.8 * (increment or 0) / 1000
        seconds = min(share, clock / 1000 - _CLOCK_RESERVE)
    return GoLimits(
        depth=None if depth is None else max(1, depth),
        nodes=None if nodes is None else max(1, nodes),
        seconds=None if seconds is None else min(max(_SHORTEST, seconds), LONGEST),
        infinite="infinite" in words or "ponder" in words,
    )


def _number(words: Sequence[str], name: str) -> int | None:
    """The number after a word; a negative one, as some clocks have, counts as 0."""
    if name not in words[:-1]:
        return None
    text = words[words.index(name) + 1]
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        return None
    return max(0, int(text))
