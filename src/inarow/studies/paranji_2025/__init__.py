"""The study paranji-2025: minimax, alpha-beta and tabular Q-learning, and what it published."""

from __future__ import annotations

from statistics import fmean

import msgspec

from inarow.studies.experiment import published_numbers

BOARDS = ("tictactoe", "connect4")
AGENTS = ("default", "minimax", "alphabeta", "q")
PAIRINGS = tuple((first, second) for first in AGENTS for second in AGENTS if first != second)


class AgentFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of Table 1: over all games of an agent; moves and seconds a game over those it began."""

    wins: float
    draws: float
    moves: float
    seconds: float | None = None


class PairingFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Over the games of a pairing, for the side that moves first."""

    wins: float
    draws: float
    moves: float
    first: float | None = None
    second: float | None = None


class PruningFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    minimax: float
    alphabeta: float


class PairingTables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    games: int
    tictactoe: dict[str, PairingFigures]
    connect4: dict[str, PairingFigures]

    def of(self, board: str) -> dict[str, PairingFigures]:
        return self.tictactoe if board == "tictactoe" else self.connect4

    def of_agent(self, board: str, agent: str) -> AgentFigures:
        """What Table 1 would say of an agent if it were made from these files."""
        games = self.of(board)
        begun = [games[f"{agent}-{other}"] for other in AGENTS if other != agent]
        followed = [games[f"{other}-{agent}"] for other in AGENTS if other != agent]
        won = [each.wins for each in begun] + [100 - each.wins - each.draws for each in followed]
        return AgentFigures(
            wins=fmean(won),
            draws=fmean(each.draws for each in begun + followed),
            moves=fmean(each.moves for each in begun),
        )


class DepthTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    nodes: tuple[int, ...]  # by depth from 1


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    table_1: dict[str, dict[str, AgentFigures]]
    pruning: dict[str, PruningFigures]
    depth_test: DepthTest
    pairings: PairingTables


published = published_numbers(__name__, Published)
