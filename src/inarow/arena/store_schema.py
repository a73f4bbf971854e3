"""The file of the results store: its schema, the checks on opening, and its rows.

An SQLite database in WAL mode. `application_id` identifies it, `user_version` is the version of its schema. The
details of all plies of a game are one JSON object of columns: a list of scores, a list of seconds and so on; columns
without values are omitted.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import repeat
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from inarow.agents.kind import format_agent
from inarow.agents.registry import parse_agent
from inarow.errors import StoreError, raised_as, shown
from inarow.games import GameRecord
from inarow.games.record import Ply, Termination

APPLICATION_ID = int.from_bytes(b"inar", "big")
_HEADER_BYTES = 100
_PATIENCE = 60.0  # seconds that a writer waits for another writer
RunStatus = Literal["running", "finished", "failed", "interrupted"]

_PLAIN_FIELDS = ("moves", "winner", "termination", "opening", "fault")  # of a record, stored unchanged
GAME_COLUMNS = "number, first, second, plies, seed, details, " + ", ".join(_PLAIN_FIELDS)
_PLY_FIELDS = Ply.__struct_fields__
_TERMINATIONS = get_args(Termination)
_ply_values, _plain_values = attrgetter(*_PLY_FIELDS), attrgetter(*_PLAIN_FIELDS)

MIGRATIONS: tuple[list[str], ...] = (
    (files("inarow.arena") / "schema/1.sql").read_text("utf-8").strip(";\n").split(";\n"),
)
"""Statements that migrate from the version of their index to the next. Released entries must never change."""


def default_store_path() -> Path:
    """`inarow/lab.sqlite` in XDG_DATA_HOME, or else in the user's data folder; raises StoreError."""
    folder = {"win32": "AppData/Local", "darwin": "Library/Application Support"}.get(sys.platform, ".local/share")
    try:
        data = os.environ.get("XDG_DATA_HOME") or Path.home() / folder
    except RuntimeError:
        raise StoreError("cannot determine the home directory; set XDG_DATA_HOME or give a results store") from None
    return Path(data) / "inarow/lab.sqlite"


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Raises errors of the database or the file system as StoreError."""
    with raised_as(StoreError, f"results store {path}", sqlite3.Error, OSError, UnicodeError, OverflowError):
        yield


@contextmanager
def damage_errors(path: Path) -> Iterator[None]:
    """Raises StoreError for rows that contradict each other or hold invalid values."""
    with raised_as(StoreError, f"results store {path} is damaged", LookupError, TypeError, ValueError):
        yield


def connect(path: Path, *, readonly: bool) -> sqlite3.Connection:
    """A connection to the store at `path`, in autocommit mode; raises StoreError with the reason.

    If it is opened for writing, a missing or empty file becomes a store and an old schema is migrated. A
    file that is not a store is never written to.
    """
    with store_errors(path):
        if path.exists() and not path.is_file():
            raise StoreError(f"{path} is not a file; give the file of a results store")
        if readonly and not path.exists():
            raise StoreError(f"there is no results store at {path}")
        if path.exists() and 0 < path.stat().st_size < _HEADER_BYTES:
            raise StoreError(f"{path} is not a results store")  # SQLite would overwrite a single byte
        if readonly and path.stat().st_size == 0:
            raise StoreError(
                f"{path} is empty; it becomes a results store when the first match or grade is stored in it"
            )
        check_names(path)
        if not readonly:
            path.parent.mkdir(parents=True, exist_ok=True)
        address = f"{path.absolute().as_uri()}?mode={'ro' if readonly else 'rwc'}"
        connection = sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
        try:
            _accept(connection, path, readonly)
        except BaseException:
            connection.close()
            raise
    return connection


def check_names(path: Path) -> None:
    """Raises StoreError for a file with several names (hard links): SQLite has a log for each name, and writers that
    use different names overwrite each other.
    """
    if path.exists() and path.stat().st_nlink > 1:
        raise StoreError(f"{path} has other names (hard links), which can lose games; copy it and use the copy")


def _accept(connection: sqlite3.Connection, path: Path, readonly: bool) -> None:
    """Checks, migrates and sets up, in one transaction: processes may open the store at the same time."""
    connection.execute("BEGIN" if readonly else "BEGIN IMMEDIATE")
    program, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
    if program == APPLICATION_ID:
        _check_length(connection, path)
    elif program or version or connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise StoreError(f"{path} is a database of another program, not a results store")
    if version > len(MIGRATIONS):
        raise StoreError(f"{path} has schema version {version}; this version of inarow reads up to {len(MIGRATIONS)}")
    if readonly and version < len(MIGRATIONS):
        raise StoreError(f"{path} has an old schema; open it for writing once")
    if connection.execute("SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchone():
        raise StoreError(f"{path} has triggers or views, which a results store cannot have; export its games elsewhere")
    if version < len(MIGRATIONS):
        for statements in MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    connection.execute("COMMIT")
    if not readonly:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _check_length(connection: sqlite3.Connection, path: Path) -> None:
    """Raises StoreError for a truncated file: SQLite does not detect that if the cut is within the last page. A
    write-ahead log may hold the rest.
    """
    expected = _pragma(connection, "page_count") * _pragma(connection, "page_size")
    file = path.resolve()
    log = file.with_name(f"{file.name}-wal")
    if not (log.exists() and log.stat().st_size) and file.stat().st_size < expected:
        raise StoreError(f"{path} is truncated: {file.stat().st_size} of {expected} bytes")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


# --- rows ---


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """The identity of an agent: results of equal identities may be added."""

    name: str  # agent string, in its shortest form
    kind: str
    parameters: str  # a JSON object with all parameters; those added later only if they differ from their defaults
    content_hash: str | None = None  # hash of its table or net and of registered code, if any

    @classmethod
    def parse(cls, text: str) -> AgentIdentity:
        """The identity of an agent string; raises InvalidAgentError, or the error of a file in it."""
        kind, parameters = parse_agent(text)
        content_hash = None if kind.content_hash is None else kind.content_hash(parameters)
        return cls(format_agent(kind, parameters), kind.name, _decisive_json(parameters), content_hash)


def _decisive_json(parameters: msgspec.Struct) -> str:
    """The parameters of an agent. Those listed as `added` in its struct, which older stored games lack, are included
    only if they differ from their defaults, so that the identity of the agent does not change.
    """
    added: frozenset[str] = getattr(parameters, "added", frozenset())
    fields = msgspec.structs.fields(parameters)
    unchanged = {each.name for each in fields if each.name in added and getattr(parameters, each.name) == each.default}
    kept = {name: value for name, value in msgspec.structs.asdict(parameters).items() if name not in unchanged}
    return msgspec.json.encode(kept).decode()  # in the order of the struct


@dataclass(frozen=True, slots=True)
class MatchEntry:
    """A planned match; its games are stored separately."""

    key: str  # identifies the match in its store
    board: str  # board string, as in the records of its games
    a: AgentIdentity
    b: AgentIdentity
    seed: int
    opening_plies: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)  # other settings that determine the games; must be JSON

    @property
    def games_key(self) -> str:
        """A key that matches with the same games share, in any version of inarow and any order of the agents. A match
        without a version has its own key.
        """
        settings = dict(self.settings)
        if settings.pop("version", None) is None:
            return self.key
        agents = sorted(map(to_json, (self.a, self.b)))
        return to_json((self.board, agents, str(self.seed), self.opening_plies, settings))


@dataclass(frozen=True, slots=True)
class GradeEntry:
    """A grade against perfect play, and its time."""

    agent: AgentIdentity
    board: str
    suite: str
    grade: dict[str, Any]
    created: str  # UTC, ISO 8601, like all times of the store


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A started activity: a tournament, a training, a grading."""

    id: int
    kind: str
    config: dict[str, Any]
    status: RunStatus  # the run of a killed process stays `running`
    started: str
    finished: str | None
    command: str
    version: str  # of inarow


def to_json(value: object) -> str:
    """Compact JSON that is the same for equal values."""
    return msgspec.json.encode(value, order="deterministic").decode()


def from_json(text: str) -> Any:
    """The inverse of `to_json`; raises StoreError."""
    with raised_as(StoreError, "the results store is damaged", msgspec.MsgspecError, UnicodeError, RecursionError):
        return msgspec.json.decode(text)


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
    """The `GAME_COLUMNS` of a game between `agents` (ids by name); raises StoreError."""
    if record.board != board:
        raise StoreError(f"game {number} is on {shown(record.board)}, its match on {board}")
    if record.first not in agents or record.second not in agents:
        raise StoreError(
            f"game {number} is {shown(record.first)} - {shown(record.second)}, which are not the agents of its match"
        )
    columns = zip(_PLY_FIELDS, zip(*map(_ply_values, record.plies), strict=True), strict=False)
    known: dict[str, Any] = {name: column for name, column in columns if column.count(None) < len(column)}
    with raised_as(StoreError, f"game {number} cannot be stored", TypeError, ValueError, OverflowError):
        plies = len(record.actions)
        details = msgspec.json.encode(_Details(record.tags, len(record.plies), **known))
    seed = None if record.seed is None else str(record.seed)
    return number, agents[record.first], agents[record.second], plies, seed, details, *_plain_values(record)


def from_row(row: tuple[Any, ...], board: str, names: Mapping[int, str]) -> GameRecord:
    """The inverse of `to_row`; raises StoreError if the details are damaged."""
    number, first, second, _, seed, details, *plain = row
    moves, _, termination, opening, _ = plain
    reasons = msgspec.MsgspecError, ValueError, TypeError, RecursionError
    with raised_as(StoreError, f"game {number} of the results store is damaged", *reasons):
        known = _decoder.decode(details)
        columns = (getattr(known, name) or repeat(None, known.plies) for name in _PLY_FIELDS)
        plies = [Ply(**dict(zip(_PLY_FIELDS, values, strict=True))) for values in zip(*columns, strict=True)]
        if not (isinstance(moves, str) and isinstance(opening, int) and termination in _TERMINATIONS):
            raise ValueError("invalid moves, opening or termination")
    return GameRecord(
        board=board,
        first=names[first],
        second=names[second],
        plies=tuple(plies),
        seed=None if seed is None else int(seed),
        tags=known.tags,
        **dict(zip(_PLAIN_FIELDS, plain, strict=True)),
    )
