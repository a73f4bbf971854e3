"""`inarow leaderboard`."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

from rich.table import Table

from inarow.arena.leaderboard import rate_store
from inarow.arena.ratings import Ratings
from inarow.arena.store import Store
from inarow.arena.store_schema import default_store_path
from inarow.cli.options import Board, Json, Seed
from inarow.cli.output import print_json, print_table, spinner, stdout
from inarow.games.spec import GameSpec
from inarow.report.data import ReportData, Standing, standings
from inarow.report.gather import report_from_store
from inarow.report.tables import leaderboard as texts


def leaderboard(*, board: Board = "connect4", store: Path | None = None, json: Json = False, seed: Seed = 0) -> None:
    """Rate all agents of the results store by all their games on a board.

    Agents that no games link, directly or through others, are rated apart. Where an agent was
    graded, its outcome accuracy is told, too. A match that several versions played counts once.

    Args:
        store: The results store; by default the one in the user's data folder.
    """
    name = str(GameSpec.parse(board))
    with Store.open(store or default_store_path(), readonly=True) as results, spinner("reading the games"):
        groups = rate_store(results, name)
        known = report_from_store(results, name, games=0) if groups else None
    if json:
        print_json(_document(name, known, groups))
        return
    if known is None:
        stdout.print(f"there are no games on {name} yet", highlight=False)
        return
    for ratings in groups:
        print_table(_drawn(_group(known, ratings)))
        stdout.print(
            f"{ratings.anchor or 'their mean'} is 0; the first move is worth {ratings.advantage:+.0f}", highlight=False
        )
    stdout.print(f"{_games(known)} games, {known.distinct_games} distinct", highlight=False)


def _games(known: ReportData) -> int:
    return sum(result.games for result in known.results)


def _group(known: ReportData, ratings: Ratings) -> list[Standing]:
    """The agents of one group, strongest first."""
    return [standing for standing in standings(replace(known, ratings=ratings)) if standing.rating]


def _drawn(agents: list[Standing]) -> Table:
    table = texts(agents)
    drawn = Table(box=None, pad_edge=False)
    for heading in table.headings:
        drawn.add_column(heading, justify="left" if heading in table.words else "right")
    for row in table.rows:
        drawn.add_row(*row)
    return drawn


def _document(board: str, known: ReportData | None, groups: list[Ratings]) -> dict[str, object]:
    if known is None:
        return {"board": board, "games": 0, "distinct_games": 0, "groups": []}
    rated = [_rated(known, ratings) for ratings in groups]
    return {"board": board, "games": _games(known), "distinct_games": known.distinct_games, "groups": rated}


def _rated(known: ReportData, ratings: Ratings) -> dict[str, object]:
    table = [
        {
            **asdict(agent.rating),
            "score": agent.score,
            "seconds_per_move": agent.seconds_per_move,
            "outcome_accuracy": agent.grade.outcome_accuracy if agent.grade else None,
        }
        for agent in _group(known, ratings)
        if agent.rating
    ]
    return {**asdict(ratings), "table": table}
