"""The study gupta-shah-2022: five ConnectX agents, and its published numbers."""

import msgspec

from inarow.studies.experiment import published_numbers

PLAYERS = ("greedy", "mcts", "minimax", "hybrid", "alphazero")  # in the order of the tables
PAIRS = tuple((row, column) for place, row in enumerate(PLAYERS) for column in PLAYERS[place + 1 :])
"""The cells of Table 1: row, column."""
PROGRAM = "alphazero-as-published"
"""AlphaZero as the authors' program has it; `alphazero` is ours."""
TITLES = {
    "greedy": "Greedy",
    "mcts": "MCTS",
    "minimax": "Minimax",
    "hybrid": "Hybrid",
    "alphazero": "our AlphaZero",
    PROGRAM: "AlphaZero as published",
}


class Table1(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    games: int
    unknown_order: tuple[str, ...]  # columns for which the side that moved first is unknown
    cells: dict[str, tuple[int, int, int]]  # wins of the column, wins of the row, draws, by `row - column`

    def of(self, row: str, column: str) -> tuple[int, int, int]:
        return self.cells[f"{row} - {column}"]


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seconds: float
    table_1: Table1
    table_2: dict[str, int]
    simulations: dict[str, int]
    reserve: dict[str, float]


published = published_numbers(__name__, Published)
