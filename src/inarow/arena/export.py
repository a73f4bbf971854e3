"""Games and tournaments as files for other programs: CSV, JSON Lines, PGN-like text."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import TextIO

from inarow.arena.standings import CrossTable, TournamentSummary
from inarow.games.pgn import to_pgn
from inarow.games.record import GameRecord, to_json_line

_CSV_COLUMNS = ("board", "first", "second", "result", "termination", "opening", "plies", "moves", "seed", "fault")


def write_csv(records: Iterable[GameRecord], file: TextIO) -> None:
    """One line per game under a line of names; what was known about single plies is left out."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for record in records:
        values = {name: getattr(record, name) for name in _CSV_COLUMNS} | {"plies": len(record.actions)}
        writer.writerow(values.values())


def write_json_lines(records: Iterable[GameRecord], file: TextIO) -> None:
    """All that is known, one game a line; `from_json_line` reads it back."""
    file.writelines(f"{to_json_line(record)}\n" for record in records)


def write_pgn(records: Iterable[GameRecord], file: TextIO) -> None:
    """PGN-like games with an empty line after each; `split_games` and `from_pgn` read them back."""
    file.writelines(f"{to_pgn(record)}\n" for record in records)


def write_crosstable(table: CrossTable, file: TextIO) -> None:
    """CSV: the points of each agent against each (empty where they did not meet), against all, and its games."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["agent", *table.agents, "points", "games"])
    for agent in table.agents:
        points = [table.points(agent, [other]) if table.games(agent, [other]) else "" for other in table.agents]
        writer.writerow([agent, *points, table.points(agent, table.agents), table.games(agent, table.agents)])


def write_ratings(summary: TournamentSummary, file: TextIO) -> None:
    """CSV: one line per agent, strongest first, with the ends of its 95 % interval."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["agent", "elo", "elo_low", "elo_high", "los", "games", "wins", "draws", "losses", "score"])
    for row in summary.standings:
        numbers = (row.games, row.wins, row.draws, row.losses, row.score)
        writer.writerow([row.agent, row.elo, *row.elo_interval, row.los, *numbers])
