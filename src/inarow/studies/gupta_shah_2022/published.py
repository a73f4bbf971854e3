"""The kinds of numbers that gupta-shah-2022 published; `published.toml` has them."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from inarow.studies.published import load_published

PLAYERS = ("greedy", "mcts", "minimax", "hybrid", "alphazero")
"""In the order of the tables."""
PAIRS = tuple((row, column) for place, row in enumerate(PLAYERS) for column in PLAYERS[place + 1 :])
"""The cells of Table 1: row, column."""
TITLES = {
    "greedy": "Greedy",
    "mcts": "MCTS",
    "minimax": "Minimax",
    "hybrid": "Hybrid",
    "alphazero": "AlphaZero",
}


class Table1(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    games: int
    unknown_order: tuple[str, ...]
    """Columns of which nobody knows who moved first."""
    cells: dict[str, tuple[int, int, int]]
    """Wins of the column, wins of the row, draws, by `row - column`."""

    def of(self, row: str, column: str) -> tuple[int, int, int]:
        return self.cells[f"{row} - {column}"]


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seconds: float
    table_1: Table1
    table_2: dict[str, int]
    simulations: dict[str, int]
    reserve: dict[str, float]


@lru_cache(maxsize=1)
def published() -> Published:
    return load_published("inarow.studies.gupta_shah_2022", Published)
