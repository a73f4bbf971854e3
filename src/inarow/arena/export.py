"""Games and tournaments as files for other programs: CSV, JSON Lines, PGN-like text."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from inarow.arena.game_rows import GAME_COLUMNS, game_row
from inarow.arena.leaderboard import Standing
from inarow.arena.tally import CrossTable
from inarow.errors import visible, visible_json
from inarow.games import GameRecord
from inarow.games.pgn import to_pgn
from inarow.games.record import to_json_line
from inarow.storage.atomic import atomic_write
from inarow.storage.csv_text import write_csv_rows


def write_games(path: Path | str, records: Iterable[GameRecord]) -> None:
    """Writes games to a file, atomically; the suffix selects the format."""
    path = Path(path)
    with atomic_write(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        writer_for(path)(records, text)
        text.detach()


def writer_for(path: Path) -> Callable[[Iterable[GameRecord], TextIO], None]:
    """The function that writes games to a file: CSV for .csv, PGN-like text for .pgn, otherwise JSON Lines."""
    return {".csv": write_csv, ".pgn": write_pgn}.get(path.suffix, write_json_lines)


def write_csv(records: Iterable[GameRecord], file: TextIO) -> None:
    """Writes a header and one line per game."""
    write_csv_rows(file, [GAME_COLUMNS])
    write_csv_rows(file, (game_row(record).values() for record in records))


def write_json_lines(records: Iterable[GameRecord], file: TextIO) -> None:
    """Writes complete records, one per line; `from_json_line` reads them."""
    file.writelines(f"{visible_json(to_json_line(record))}\n" for record in records)


def write_pgn(records: Iterable[GameRecord], file: TextIO) -> None:
    """Writes PGN-like games with an empty line after each; `split_games` and `from_pgn` read them. Control characters
    in names and faults are escaped.
    """
    for record in records:
        fault = None if record.fault is None else visible(record.fault)
        shown = replace(record, first=visible(record.first), second=visible(record.second), fault=fault)
        file.write(f"{to_pgn(shown)}\n")


def write_crosstable(agents: Sequence[str], cross: CrossTable, file: TextIO) -> None:
    """Writes CSV: the points of each agent against each other (empty if they did not meet), against all, and
    its games.
    """
    rows: list[list[object]] = [["agent", *agents, "points", "games"]]
    for agent in agents:
        meetings = [cross.tally(agent, other) for other in agents]
        points = [meeting.points if meeting.games else "" for meeting in meetings]
        total = cross.tally(agent)
        rows.append([agent, *points, total.points, total.games])
    write_csv_rows(file, rows)


def write_ratings(standings: Iterable[Standing], file: TextIO) -> None:
    """Writes CSV: one line per agent, strongest first, with the bounds of its 95 % interval."""
    rows: list[list[object]] = [
        ["agent", "elo", "elo_low", "elo_high", "los", "games", "wins", "draws", "losses", "score"]
    ]
    for row in standings:
        elo = (row.rating.elo, *row.rating.interval) if row.rating else (None,) * 3
        total = row.tally.total
        rows.append([row.agent, *elo, row.los, total.games, total.wins, total.draws, total.losses, row.score])
    write_csv_rows(file, rows)
