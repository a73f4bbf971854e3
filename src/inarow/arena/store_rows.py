"""The records of the results store, and games as its rows.

The details of all plies of a game are one JSON object of columns: a list of scores, a list of seconds and so on;
columns without values are omitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import repeat
from operator import attrgetter
from typing import Any, Literal, get_args

import msgspec

from inarow.agents.registry import format_agent, parse_agent
from inarow.errors import StoreError, one_line, shown
from inarow.games.record import GameRecord, Ply, Termination

RunStatus = Literal["running", "finished", "failed", "interrupted"]

GAME_COLUMNS = "number, first, second, moves, winner, termination, opening, plies, seed, fault, details"
_PLY_FIELDS = Ply.__struct_fields__
_TERMINATIONS = get_args(Termination)
_ply_values = attrgetter(*_PLY_FIELDS)


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """What decides how an agent plays: results of equal identities may be added up."""

    name: str
    """Agent string, in its shortest form."""
    kind: str
    parameters: str
    """A JSON object with all parameters, defaults included."""
    content_hash: str | None = None
    """Of its table or net, if it has one."""

    @classmethod
    def parse(cls, text: str) -> AgentIdentity:
        """The identity of an agent string; raises InvalidAgentError, or what a file it names is not."""
        kind, parameters = parse_agent(text)
        content_hash = None if kind.content_hash is None else kind.content_hash(parameters)
        return cls(format_agent(kind, parameters), kind.name, to_json(parameters), content_hash)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEntry:
    """A match as it was planned; its games are stored one by one."""

    key: str
    """Identifies the match in its store."""
    board: str
    """Board string, as the records of its games have it."""
    a: AgentIdentity
    b: AgentIdentity
    seed: int
    opening_plies: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    """Whatever else decides the games; must be JSON."""

    @property
    def games_key(self) -> str:
        """The same for matches with the same games, in any version of inarow and any order of the agents. A match
        without a version has a key of its own.
        """
        settings = dict(self.settings)
        if settings.pop("version", None) is None:
            return self.key
        agents = sorted(map(to_json, (self.a, self.b)))
        return to_json((self.board, agents, str(self.seed), self.opening_plies, settings))


@dataclass(frozen=True, slots=True)
class GradeEntry:
    """A grade against perfect play, and when it was given."""

    agent: AgentIdentity
    board: str
    suite: str
    grade: dict[str, Any]
    created: str
    """UTC, ISO 8601, as are all times of the store."""


@dataclass(frozen=True, slots=True)
class RunEntry:
    """Something that was started: a tournament, a training, a grading."""

    id: int
    kind: str
    config: dict[str, Any]
    status: RunStatus
    """The run of a killed process stays `running`."""
    started: str
    finished: str | None
    command: str
    version: str
    """Of inarow."""


def to_json(value: object) -> str:
    """Compact JSON that is the same for equal values."""
    return msgspec.json.encode(value, order="deterministic").decode()


def from_json(text: str) -> Any:
    """The inverse of `to_json`; raises StoreError."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise StoreError(f"the results store is damaged: {one_line(error)}") from None


# --- games ---


class _Details(msgspec.Struct, omit_defaults=True):
    tags: dict[str, str] = {}
    plies: int = 0
    score: list[int | None] | None = None
    value: list[float | None] | None = None
    depth: list[int | None] | None = None
    nodes: list[int | None] | None = None
    seconds: list[float | None] | None = None
    details: list[dict[str, Any] | None] | None = None


_decoder = msgspec.json.Decoder(_Details)


def to_row(number: int, record: GameRecord, board: str, agents: Mapping[str, int]) -> tuple[Any, ...]:
    """The `GAME_COLUMNS` of a game between `agents`, given by name with their ids; raises StoreError."""
    if record.board != board:
        raise StoreError(f"game {number} is on {shown(record.board)}, its match on {board}")
    if record.first not in agents or record.second not in agents:
        raise StoreError(f"game {number} is {shown(record.first)} - {shown(record.second)}, not of its match")
    try:
        plies, details = len(record.actions), _encode_details(record)
    except (TypeError, ValueError, OverflowError) as error:
        raise StoreError(f"game {number} cannot be stored: {one_line(error)}") from None
    return (
        number,
        agents[record.first],
        agents[record.second],
        record.moves,
        record.winner,
        record.termination,
        record.opening,
        plies,
        None if record.seed is None else str(record.seed),
        record.fault,
        details,
    )


def from_row(row: tuple[Any, ...], board: str, names: Mapping[int, str]) -> GameRecord:
    """The inverse of `to_row`; raises StoreError if the details are damaged."""
    number, first, second, moves, winner, termination, opening, _, seed, fault, details = row
    try:
        known = _decoder.decode(details)
        plies = _decode_plies(known)
        if not (isinstance(moves, str) and isinstance(opening, int) and termination in _TERMINATIONS):
            raise ValueError("invalid moves, opening or termination")
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise StoreError(f"game {number} of the results store is damaged: {one_line(error)}") from None
    return GameRecord(
        board=board,
        first=names[first],
        second=names[second],
        moves=moves,
        winner=winner,
        termination=termination,
        opening=opening,
        plies=plies,
        seed=None if seed is None else int(seed),
        fault=fault,
        tags=known.tags,
    )


def _encode_details(record: GameRecord) -> bytes:
    columns = zip(_PLY_FIELDS, zip(*map(_ply_values, record.plies), strict=True), strict=False)
    known: dict[str, Any] = {name: column for name, column in columns if column.count(None) < len(column)}
    return msgspec.json.encode(_Details(record.tags, len(record.plies), **known))


def _decode_plies(known: _Details) -> tuple[Ply, ...]:
    columns = (getattr(known, name) or repeat(None, known.plies) for name in _PLY_FIELDS)
    return tuple(Ply(**dict(zip(_PLY_FIELDS, values, strict=True))) for values in zip(*columns, strict=True))
