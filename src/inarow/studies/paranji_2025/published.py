"""The kinds of numbers that paranji-2025 published; `published.toml` has them."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from inarow.studies.published import load_published

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


class DepthTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    nodes: tuple[int, ...]
    """By depth from 1."""


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    table_1: dict[str, dict[str, AgentFigures]]
    pruning: dict[str, PruningFigures]
    depth_test: DepthTest
    pairings: PairingTables


@lru_cache(maxsize=1)
def published() -> Published:
    return load_published("inarow.studies.paranji_2025", Published)
