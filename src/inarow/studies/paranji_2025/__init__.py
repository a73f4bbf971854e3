"""The study paranji-2025: minimax, alpha-beta and tabular Q-learning, and its published numbers."""

from statistics import fmean
from typing import Literal, get_args

import msgspec

from inarow.studies.experiment import published_numbers

BOARDS = ("tictactoe", "connect4")
AGENTS = ("default", "minimax", "alphabeta", "q")
Searcher = Literal["minimax", "alphabeta"]  # the deterministic agents
SEARCHERS: tuple[Searcher, ...] = get_args(Searcher)
PAIRINGS = tuple((first, second) for first in AGENTS for second in AGENTS if first != second)


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of Table 1: over all games of an agent; moves and seconds per game over the games that it began. Figures
    of a pairing: for the first side, with the nodes of both sides.
    """

    wins: float
    draws: float
    moves: float
    seconds: float | None = None
    seconds_below: float | None = None  # printed as "< ..."
    first: float | None = None
    second: float | None = None


class InText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the text says about pruning: seconds per game, and percentages where it has them."""

    seconds: dict[Searcher, float]
    nodes_saved: float | None = None
    time_saved: float | None = None


class DepthTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Per game, by depth from 1."""

    nodes: tuple[int, ...]
    seconds: tuple[float, ...]


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers that the report states about its experiments and games, none of them measured by a game."""

    pairing_games: int
    games: int  # per board
    episodes: dict[str, int]  # of the Q agent, by board
    listed_games: dict[str, int]  # --num_games of the commands
    states: dict[str, float]  # of each board
    unlimited_minutes: float  # per move of Connect Four without a depth limit: more than this
    learning: dict[str, float]


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The published numbers, all except `depth_test` and `setup` by board."""

    setup: Setup
    table_1: dict[str, dict[str, Figures]]
    pruning: dict[str, dict[Searcher, float]]
    text: dict[str, InText]
    depth_test: DepthTest
    pairings: dict[str, dict[str, Figures]]

    def of_agent(self, board: str, agent: str) -> Figures:
        """The figures of an agent in Table 1, recomputed from the pairings."""
        begun = [self.pairings[board][f"{agent}-{other}"] for other in AGENTS if other != agent]
        followed = [self.pairings[board][f"{other}-{agent}"] for other in AGENTS if other != agent]
        wins = fmean([each.wins for each in begun] + [100 - each.wins - each.draws for each in followed])
        return Figures(wins, fmean(each.draws for each in begun + followed), fmean(each.moves for each in begun))


published = published_numbers(__name__, Published)
