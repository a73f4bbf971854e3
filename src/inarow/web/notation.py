"""Games as text: what people paste or upload, and what they take home."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from inarow.errors import NotationError
from inarow.games.pgn import from_pgn, split_games, to_pgn
from inarow.games.position import Position
from inarow.games.record import GameRecord, from_json_line, to_json_line
from inarow.games.spec import GameSpec
from inarow.web.pool_worker import Reporter

_MAX_GAMES = 200


class GameText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that may be a game: a move string, PGN-like text or JSON Lines."""

    text: Annotated[str, Meta(max_length=1 << 20)]
    board: Annotated[str, Meta(max_length=32, description="of a move string, which does not say")] = "6x7x4"


class PlayedGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game to take home."""

    board: Annotated[str, Meta(max_length=32)]
    moves: Annotated[str, Meta(max_length=1100)]
    first: Annotated[str, Meta(max_length=1000)] = "human"
    second: Annotated[str, Meta(max_length=1000)] = "human"


def read_games(given: GameText, say: Reporter) -> list[GameRecord]:
    """The games of a text, at most some hundred; raises NotationError."""
    text = given.text.strip()
    if text.startswith("["):
        records = [from_pgn(game) for game in split_games(text)[:_MAX_GAMES]]
    elif text.startswith("{"):
        records = [from_json_line(line) for line in text.splitlines()[:_MAX_GAMES] if line.strip()]
    else:
        position = Position.parse("".join(text.split()), GameSpec.parse(given.board))
        records = [GameRecord.of_position(position, "human", "human")]
    if not records:
        raise NotationError("there is no game in this text")
    return [replace(record, plies=()) for record in records]


def write_game(game: PlayedGame) -> dict[str, Any]:
    """`{"pgn", "json"}`; raises NotationError or IllegalMoveError."""
    position = Position.parse(game.moves, GameSpec.parse(game.board))
    record = GameRecord.of_position(position, game.first, game.second)
    return {"pgn": to_pgn(record), "json": to_json_line(record)}
