"""The file of the results store: its schema, and the checks when it is opened.

An SQLite database in WAL mode. `application_id` marks it as ours, `user_version` is the version of its schema.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inarow.errors import InarowError, StoreError, one_line

APPLICATION_ID = int.from_bytes(b"inar", "big")
_HEADER_BYTES = 100
_PATIENCE = 60.0
"""Seconds that a writer waits for another one."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE agents (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            kind TEXT NOT NULL,
            parameters TEXT NOT NULL,  -- JSON
            content_hash TEXT
        )""",
        # The name alone does not identify an agent: defaults change with versions, a net with training.
        "CREATE UNIQUE INDEX agents_identity ON agents (name, kind, parameters, ifnull(content_hash, ''))",
        """CREATE TABLE matches (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            board TEXT NOT NULL,
            a INTEGER NOT NULL REFERENCES agents,
            b INTEGER NOT NULL REFERENCES agents,
            seed TEXT NOT NULL,  -- a whole number of any size
            opening_plies INTEGER,
            settings TEXT NOT NULL,  -- JSON
            created TEXT NOT NULL
        )""",
        """CREATE TABLE games (
            id INTEGER PRIMARY KEY,
            match INTEGER NOT NULL REFERENCES matches,
            number INTEGER NOT NULL,
            first INTEGER NOT NULL REFERENCES agents,
            second INTEGER NOT NULL REFERENCES agents,
            moves TEXT NOT NULL,
            winner INTEGER CHECK (winner IN (1, 2)),
            termination TEXT NOT NULL,
            opening INTEGER NOT NULL,
            plies INTEGER NOT NULL,
            seed TEXT,
            fault TEXT,
            details BLOB NOT NULL,  -- JSON
            UNIQUE (match, number)
        )""",
        """CREATE TABLE grades (
            id INTEGER PRIMARY KEY,
            agent INTEGER NOT NULL REFERENCES agents,
            board TEXT NOT NULL,
            suite TEXT NOT NULL,
            grade TEXT NOT NULL,  -- JSON
            created TEXT NOT NULL
        )""",
        """CREATE TABLE runs (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            config TEXT NOT NULL,  -- JSON
            status TEXT NOT NULL,
            started TEXT NOT NULL,
            finished TEXT,
            command TEXT NOT NULL,
            version TEXT NOT NULL
        )""",
    ),
)
"""The statements that migrate from the version of their index to the next. Released ones never change."""


def default_store_path() -> Path:
    """`inarow/lab.sqlite` in XDG_DATA_HOME, or else in the user's data folder; raises StoreError."""
    folder = {"win32": "AppData/Local", "darwin": "Library/Application Support"}.get(sys.platform, ".local/share")
    try:
        data = os.environ.get("XDG_DATA_HOME") or Path.home() / folder
    except RuntimeError:
        raise StoreError("cannot determine the home directory; set XDG_DATA_HOME or name a results store") from None
    return Path(data) / "inarow/lab.sqlite"


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Raises errors of the database or the file system as StoreError."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeError, OverflowError) as error:
        raise StoreError(f"results store {path}: {one_line(error)}") from None


@contextmanager
def damage_errors(path: Path) -> Iterator[None]:
    """Raises StoreError for rows that contradict each other or hold invalid values."""
    try:
        yield
    except InarowError:
        raise
    except (LookupError, TypeError, ValueError) as error:
        raise StoreError(f"results store {path} is damaged: {one_line(error)}") from None


def connect(path: Path, *, readonly: bool) -> sqlite3.Connection:
    """A connection to the store at `path`, in autocommit mode; raises StoreError with the reason.

    For writing, a missing or empty file becomes a store and an older one is migrated. Nothing is
    written to a file that is not a store.
    """
    with store_errors(path):
        if path.exists() and not path.is_file():
            raise StoreError(f"{path} is not a file; the results store is one")
        if readonly and not path.exists():
            raise StoreError(f"there is no results store at {path}")
        if path.exists() and 0 < path.stat().st_size < _HEADER_BYTES:
            raise StoreError(f"{path} is not a results store")  # SQLite would overwrite a single byte
        if readonly and path.stat().st_size == 0:
            raise StoreError(f"{path} is empty: it becomes a results store with the first match or grade kept in it")
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
    """Raises StoreError for a file with several names: SQLite keeps a log beside each name, and writers that use
    different names overwrite each other.
    """
    if path.exists() and path.stat().st_nlink > 1:
        raise StoreError(f"{path} has other names (hard links), which would lose games; copy it and use the copy")


def _accept(connection: sqlite3.Connection, path: Path, readonly: bool) -> None:
    """Checks, migrates and sets up, in one transaction: processes may open the store at the same time."""
    connection.execute("BEGIN" if readonly else "BEGIN IMMEDIATE")
    if _pragma(connection, "application_id") == APPLICATION_ID:
        _check_length(connection, path)
    elif not _is_blank(connection):
        raise StoreError(f"{path} is a database of another program, not a results store")
    version = _pragma(connection, "user_version")
    if version > len(MIGRATIONS):
        raise StoreError(f"{path} has schema version {version}; this version of inarow reads up to {len(MIGRATIONS)}")
    if readonly and version < len(MIGRATIONS):
        raise StoreError(f"{path} has an old schema; open it for writing once")
    if connection.execute("SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchone():
        raise StoreError(f"{path} has triggers or views, which a results store does not; export its games elsewhere")
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


def _is_blank(connection: sqlite3.Connection) -> bool:
    is_marked = _pragma(connection, "application_id") or _pragma(connection, "user_version")
    return not is_marked and connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def _check_length(connection: sqlite3.Connection, path: Path) -> None:
    """SQLite does not detect a file cut within its last page. A write-ahead log may hold the rest."""
    expected = _pragma(connection, "page_count") * _pragma(connection, "page_size")
    file = path.resolve()
    log = file.with_name(f"{file.name}-wal")
    if not (log.exists() and log.stat().st_size) and file.stat().st_size < expected:
        raise StoreError(f"{path} is cut off: {file.stat().st_size} of {expected} bytes")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
