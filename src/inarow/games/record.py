"""The record of a game, and its form as a line of JSON. `pgn.py` has the readable form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from inarow.errors import NotationError, raised_as, shown
from inarow.games.notation import format_move, parse_moves
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.results import Result

Termination = Literal["normal", "illegal move", "crash", "time-out", "unfinished"]
TAGS = ("Event", "Site", "Date", "Round", "TimeControl")
RESULTS = {1: "1-0", 2: "0-1", None: "1/2-1/2"}
UNFINISHED = "*"
_REPORTED = ("value", "score", "depth", "nodes", "seconds")


class Ply(msgspec.Struct, frozen=True, kw_only=True):
    """What the player reported about its move; None where unknown."""

    score: int | None = None  # exact, for the side that moved
    value: float | None = None  # in [-1, 1], for the side that moved
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    details: dict[str, Any] | None = None  # whatever else the agent reports; JSON only


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord(Result):
    """One game: players, moves, result. `check` tests whether they agree."""

    board: str  # board string
    first: str  # agent string of the side that moved first
    second: str
    moves: str  # move string of the whole game, opening included
    winner: int | None  # 1, 2, or None for a draw or an unfinished game
    termination: Termination = "normal"
    opening: int = 0  # number of moves at the start that the players did not choose
    plies: tuple[Ply, ...] = ()  # one for each move after the opening; or empty
    seed: int | None = None
    fault: str | None = None  # for an illegal move, a crash or a time-out: its description in one line
    tags: dict[str, str] = field(default_factory=dict)  # further PGN tags; keys are from `TAGS`

    @property
    def spec(self) -> GameSpec:
        return GameSpec.parse(self.board)

    @classmethod
    def of_position(cls, position: Position, first: str, second: str, *, opening: int = 0) -> GameRecord:
        """The record of a game of which only players and moves are known."""
        return cls(
            board=str(position.spec),
            first=first,
            second=second,
            moves=position.moves,
            winner=position.winner,
            termination="normal" if position.is_over else "unfinished",
            opening=opening,
        )

    @property
    def actions(self) -> tuple[int, ...]:
        return parse_moves(self.moves, self.spec)

    @property
    def position(self) -> Position:
        """The last position."""
        return Position.parse(self.moves, self.spec)

    @property
    def result(self) -> str:
        """`1-0`, `0-1`, `1/2-1/2` or `*`; White is the first side."""
        return UNFINISHED if self.termination == "unfinished" else RESULTS[self.winner]

    def rows(self) -> list[dict[str, object]]:
        """A row for each move, with what the player reported; `ply` counts from 1, `side` is 1 or 2."""
        spec, players = self.spec, (self.first, self.second)
        reports = (*(None,) * self.opening, *self.plies)
        rows = []
        for number, action in enumerate(self.actions):
            report = reports[number] if number < len(reports) else None
            known = {name: getattr(report, name, None) for name in _REPORTED}
            row = {"ply": number + 1, "side": 1 + number % 2, "agent": players[number % 2]}
            rows.append({**row, "move": format_move(action, spec), "is_opening": number < self.opening, **known})
        return rows

    def check(self) -> GameRecord:
        """Returns itself; raises NotationError, or the error of a move, if the fields contradict each other."""
        position = self.position
        if not 0 <= self.opening <= position.ply:
            raise NotationError(f"an opening of {self.opening} moves does not fit a game of {position.ply}")
        if self.plies and len(self.plies) != position.ply - self.opening:
            raise NotationError(f"{len(self.plies)} comments for {position.ply - self.opening} decided moves")
        if not self.tags.keys() <= set(TAGS):
            raise NotationError(f"tags are {shown(', '.join(self.tags))}; known tags are {', '.join(TAGS)}")
        if self.winner not in RESULTS:
            raise NotationError(f"the winner is {shown(repr(self.winner))}; it must be 1, 2 or null")
        if position.is_over and (self.winner, self.termination) != (position.winner, "normal"):
            raise NotationError(f"the moves end {RESULTS[position.winner]}, the record says {self.result}")
        if not position.is_over and (self.termination == "normal" or (self.winner is None) != (self.result == "*")):
            raise NotationError(f"the game is not over, but the record says {self.result} ({self.termination})")
        return self


# --- JSON Lines ---


def to_json_line(record: GameRecord) -> str:
    """The record as one line of JSON, without a line break."""
    return msgspec.json.encode(record).decode()


def from_json_line(line: str) -> GameRecord:
    """The inverse of `to_json_line`; raises NotationError."""
    with raised_as(NotationError, "not a game record in JSON", msgspec.MsgspecError, UnicodeError, RecursionError):
        record = msgspec.json.decode(line, type=GameRecord)
    return record.check()
