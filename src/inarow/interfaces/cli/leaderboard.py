"""`inarow leaderboard`."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from inarow.arena.leaderboard import rate_store
from inarow.arena.ratings import Ratings
from inarow.arena.store import Store
from inarow.arena.store_schema import default_store_path
from inarow.games.spec import GameSpec
from inarow.interfaces.cli.options import Board, Json, Seed
from inarow.interfaces.cli.output import print_json, print_table, stdout


def leaderboard(*, board: Board = "connect4", store: Path | None = None, json: Json = False, seed: Seed = 0) -> None:
    """Rate all agents of the results store by all their games on a board.

    Agents that no games link, directly or through others, are rated apart.

    Args:
        store: The results store; by default the one in the user's data folder.
    """
    name = str(GameSpec.parse(board))
    with Store.open(store or default_store_path(), readonly=True) as results:
        groups = rate_store(results, name)
    if json:
        print_json({"board": name, "groups": groups})
        return
    if not groups:
        stdout.print(f"there are no games on {name} yet", highlight=False)
    for ratings in groups:
        print_table(_table(ratings))
        stdout.print(
            f"{ratings.anchor or 'their mean'} is 0; the first move is worth {ratings.advantage:+.0f}", highlight=False
        )


def _table(ratings: Ratings) -> Table:
    table = Table("", "agent", "Elo", "95 %", "games", box=None, pad_edge=False)
    for column in (0, 2, 3, 4):
        table.columns[column].justify = "right"
    for place, rating in enumerate(ratings.table, start=1):
        low, high = rating.interval
        table.add_row(str(place), rating.agent, f"{rating.elo:+.0f}", f"{low:+.0f} to {high:+.0f}", str(rating.games))
    return table
