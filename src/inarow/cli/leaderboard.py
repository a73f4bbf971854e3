"""`inarow leaderboard`."""

from __future__ import annotations

from pathlib import Path

from inarow.arena.store import Store
from inarow.arena.store_schema import default_store_path
from inarow.cli.options import Board, Json, UnusedSeed
from inarow.cli.output import number_table, print_json, print_table, spinner, stdout
from inarow.games.spec import GameSpec
from inarow.report.data import read_leaderboard
from inarow.report.tables import leaderboard_table


def leaderboard(
    *, board: Board = "connect4", store: Path | None = None, json: Json = False, seed: UnusedSeed = 0
) -> None:
    """Rate all agents of the results store by all their games on a board.

    Agents that no games link, directly or through others, are rated apart. Graded agents are shown
    with their outcome accuracy. A match that several versions played counts once.

    Args:
        store: The results store; by default the one in the user's data folder.
    """
    name = str(GameSpec.parse(board))
    with Store.open(store or default_store_path(), readonly=True) as results, spinner("reading the games"):
        known = read_leaderboard(results, name)
    if json:
        print_json(known.to_dict())
        return
    if not known.groups:
        stdout.print(f"there are no games on {name} yet")
        return
    for ratings, rows in zip(known.groups, known.group_standings(), strict=True):
        table = leaderboard_table(rows)
        print_table(number_table(*table.headings, rows=table.rows, words=table.words))
        stdout.print(f"{ratings.anchor or 'their mean'} is 0; the first move is worth {ratings.advantage:+.0f}")
    stdout.print(f"{known.cross.games} games, {known.cross.distinct_games} distinct")
