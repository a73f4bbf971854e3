"""Games and tournaments as files for other programs: CSV, JSON Lines, PGN-like text."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO

from inarow.arena.leaderboard import Standing
from inarow.arena.tally import CrossTable
from inarow.games.pgn import to_pgn
from inarow.games.record import GameRecord, to_json_line

_CSV_COLUMNS = ("board", "first", "second", "result", "termination", "opening", "plies", "moves", "seed", "fault")


def write_csv(records: Iterable[GameRecord], file: TextIO) -> None:
    """A header and one line per game, without the details of its plies."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for record in records:
        values = {name: getattr(record, name) for name in _CSV_COLUMNS} | {"plies": len(record.actions)}
        writer.writerow(values.values())


def write_json_lines(records: Iterable[GameRecord], file: TextIO) -> None:
    """Whole records, one per line; `from_json_line` reads it back."""
    file.writelines(f"{to_json_line(record)}\n" for record in records)


def write_pgn(records: Iterable[GameRecord], file: TextIO) -> None:
    """PGN-like games with an empty line after each; `split_games` and `from_pgn` read them back."""
    file.writelines(f"{to_pgn(record)}\n" for record in records)


def write_crosstable(agents: Sequence[str], cross: CrossTable, file: TextIO) -> None:
    """CSV: the points of each agent against each (empty where they did not meet), against all, and its games."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["agent", *agents, "points", "games"])
    for agent in agents:
        meetings = [cross.tally(agent, other) for other in agents]
        points = [meeting.points if meeting.games else "" for meeting in meetings]
        total = cross.tally(agent)
        writer.writerow([agent, *points, total.points, total.games])


def write_ratings(standings: Iterable[Standing], file: TextIO) -> None:
    """CSV: one line per agent, strongest first, with the ends of its 95 % interval."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["agent", "elo", "elo_low", "elo_high", "los", "games", "wins", "draws", "losses", "score"])
    for row in standings:
        elo = (row.rating.elo, *row.rating.interval) if row.rating else (None,) * 3
        total = row.tally.total
        writer.writerow([row.agent, *elo, row.los, total.games, total.wins, total.draws, total.losses, row.score])
