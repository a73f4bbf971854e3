"""What the processes of the store's tests do. Apart from the tests, so that they start fast."""

from __future__ import annotations

import itertools
import sqlite3
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

from inarow.arena.store import Store
from inarow.arena.store_schema import AgentIdentity, MatchEntry
from inarow.games.record import GameRecord, Ply

A, B = AgentIdentity.parse("random"), AgentIdentity.parse("winblock")


def match(key: str, board: str = "tictactoe") -> MatchEntry:
    return MatchEntry(key=key, board=board, a=A, b=B, seed=1)


def game(number: int) -> GameRecord:
    """A game that contains its number, with a as first side in the even ones."""
    first, second = (A.name, B.name) if number % 2 == 0 else (B.name, A.name)
    plies = tuple(Ply(nodes=number, seconds=0.001) for _ in range(5))
    return GameRecord(board="3x3x3/free", first=first, second=second, moves="14253", winner=1, plies=plies)


def numbered(start: int, stop: int) -> list[tuple[int, GameRecord]]:
    return [(number, game(number)) for number in range(start, stop)]


def write(path: Path, key: str, start: int, stop: int, batch: int, told: Connection) -> None:
    """Adds games batch by batch, and reports the number of new ones after each."""
    with Store(path) as store:
        match_id = store.add_match(match(key))
        for first in range(start, stop, batch):
            told.send(store.add_games(match_id, numbered(first, first + batch)))


def write_for_ever(path: Path, start: int, batch: int, told: Connection) -> None:
    """The same with games so heavy that SQLite writes parts of a batch before its end."""
    with Store(path) as store:
        match_id = store.add_match(match("heavy"))
        for first in itertools.count(start, batch):
            games = [(number, replace(record, fault="x" * 50_000)) for number, record in numbered(first, first + batch)]
            told.send(store.add_games(match_id, games))


def read_until_complete(path: Path, games: int, batch: int, told: Connection) -> None:
    """Queries until all games are stored; reports its start, then the number of states seen or an error."""
    seen = [0]
    with Store(path, readonly=True) as store:
        told.send("reading")
        while seen[-1] < games:
            matches = store.matches()
            count = sum(len(store.finished_numbers(match_id)) for match_id in matches)
            won = store.results(store.counted_matches("tictactoe"))  # the first side wins them all
            wins = sum(side.wins for side in won.values())
            records = list(store.games(match_id=min(matches)))
            if not seen[-1] <= count <= wins or count % batch or wins % batch:
                told.send(f"{count} games, then {wins}, after {seen[-1]}")
            if len(records) % batch or records != [game(number) for number in range(len(records))]:
                told.send(f"{len(records)} games of a match are not those that were written")
            seen.append(count)
    told.send(len(set(seen)))


def integrity(path: Path) -> list[tuple[str, ...]]:
    """Everything that SQLite's own checks find."""
    connection = sqlite3.connect(path)
    try:
        faults = connection.execute("PRAGMA integrity_check").fetchall()
        return [fault for fault in faults if fault != ("ok",)] + connection.execute(
            "PRAGMA foreign_key_check"
        ).fetchall()
    finally:
        connection.close()
