"""What goes over the socket: requests of the page and what is answered, as msgspec schemas."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from inarow.web.settings import MAX_MESSAGE

QuestionId = Annotated[int, Meta(ge=0, le=2**53, description="chosen by the client; every reply carries it")]
Board = Annotated[str, Meta(max_length=32, description="board string")]
Moves = Annotated[str, Meta(max_length=1100, description="move string of the game so far")]
AgentText = Annotated[str, Meta(max_length=1000, description="agent string")]


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="type"):
    """Something a client wants."""

    id: QuestionId


class Think(Request, frozen=True, kw_only=True, tag="think"):
    """The decision of an agent, with everything it knows."""

    board: Board
    moves: Moves = ""
    agent: AgentText
    seed: Annotated[int, Meta(ge=0, le=2**53, description="root of all chance of this game")] = 0


class Hint(Request, frozen=True, kw_only=True, tag="hint"):
    """The exact score of every move, or an estimate where the board is too hard."""

    board: Board
    moves: Moves = ""


class Review(Request, frozen=True, kw_only=True, tag="review"):
    """Every move of a game against perfect play."""

    board: Board
    moves: Moves


class Cancel(Request, frozen=True, kw_only=True, tag="cancel"):
    """Ends the question with this id."""


AnyRequest = Think | Hint | Review | Cancel


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """`progress` any number of times, then `answer` or `error`. An error about no question has id null."""

    type: Literal["progress", "answer", "error"]
    id: int | None
    data: msgspec.Raw = msgspec.Raw(b"null")
    error: str | None = None


_decoder = msgspec.json.Decoder(AnyRequest)


def decode_request(text: str) -> AnyRequest:
    """Raises ValueError with one line that says what is wrong."""
    if len(text) > MAX_MESSAGE:
        raise ValueError(f"the message has {len(text)} characters; at most {MAX_MESSAGE} are read")
    try:
        request: AnyRequest = _decoder.decode(text)
    except RecursionError:
        raise ValueError("the message is nested too deeply") from None
    except UnicodeError:
        raise ValueError("the message is not valid text") from None
    return request


def id_of(text: str) -> int | None:
    """The id of a message that could not be read as a whole, if it has one."""
    try:
        found = msgspec.json.decode(text[:MAX_MESSAGE], type=_OnlyId).id
    except (ValueError, RecursionError):
        return None
    return found


class _OnlyId(msgspec.Struct):
    id: int | None = None
