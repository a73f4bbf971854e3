"""The messages of clients and their replies, as msgspec schemas: socket messages, games as text."""

from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from inarow.errors import NotationError
from inarow.games import GameRecord, GameSpec, Position
from inarow.games.pgn import from_pgn, split_games, to_pgn
from inarow.games.record import from_json_line, to_json_line
from inarow.web.pool_worker import Reporter
from inarow.web.settings import MAX_MESSAGE

QuestionId = Annotated[int, Meta(ge=0, le=2**53, description="chosen by the client; every reply carries it")]
Board = Annotated[str, Meta(max_length=32, description="board string")]
Moves = Annotated[str, Meta(max_length=1100, description="move string of the game so far")]
AgentText = Annotated[str, Meta(max_length=1000, description="agent string")]

_MAX_GAMES = 200


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="type"):
    """A request of a client."""

    id: QuestionId


class Think(Request, frozen=True, kw_only=True, tag="think"):
    """Asks for the decision of an agent with all of its data."""

    board: Board
    moves: Moves = ""
    agent: AgentText
    seed: Annotated[int, Meta(ge=0, le=2**53, description="random seed of this game")] = 0


class Hint(Request, frozen=True, kw_only=True, tag="hint"):
    """Asks for the exact score of every move, or an estimate if the position is too hard."""

    board: Board
    moves: Moves = ""


class Review(Request, frozen=True, kw_only=True, tag="review"):
    """Asks for a review of every move of a game against perfect play."""

    board: Board
    moves: Moves


class Cancel(Request, frozen=True, kw_only=True, tag="cancel"):
    """Cancels the question with this id."""


AnyRequest = Think | Hint | Review | Cancel


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """`progress` any number of times, then `answer` or `error`. An error that belongs to no question has id null."""

    type: Literal["progress", "answer", "error"]
    id: int | None
    data: msgspec.Raw = msgspec.Raw(b"null")
    error: str | None = None


_decoder = msgspec.json.Decoder(AnyRequest)


def decode_request(text: str | None) -> AnyRequest:
    """The request in a message, which is None if binary; raises ValueError with a one-line message."""
    if text is None:
        raise ValueError("the message is binary; send JSON as text")
    if len(text) > MAX_MESSAGE:
        raise ValueError(f"the message has {len(text)} characters; the limit is {MAX_MESSAGE}")
    try:
        request: AnyRequest = _decoder.decode(text)
    except RecursionError:
        raise ValueError("the message is nested too deeply") from None
    except UnicodeError:
        raise ValueError("the message is not valid text") from None
    return request


def id_of(text: str) -> int | None:
    """The id of an otherwise invalid message, if it has one."""
    try:
        return msgspec.json.decode(text[:MAX_MESSAGE], type=_OnlyId).id
    except (ValueError, RecursionError):
        return None


class _OnlyId(msgspec.Struct):
    id: int | None = None


# --- Games as text ---


class GameText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Text that should hold games: a move string, PGN-like text or JSON Lines."""

    text: Annotated[str, Meta(max_length=1 << 20)]
    board: Board = "6x7x4"  # the board of a move string


class PlayedGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game to write as text."""

    board: Board
    moves: Moves
    first: AgentText = "human"
    second: AgentText = "human"


def read_games(given: GameText, say: Reporter) -> list[GameRecord]:
    """The games of a text, at most 200; raises NotationError."""
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
