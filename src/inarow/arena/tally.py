"""Wins, draws and losses: the data type of results from matches to the leaderboard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from inarow.arena import statistics
from inarow.arena.statistics import Interval
from inarow.errors import InvalidResultsError
from inarow.games import GameRecord

Pentanomial = tuple[int, int, int, int, int]
NO_PAIRS: Pentanomial = (0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class SideTally:
    """Results of an agent on one side of the board."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    distinct: int = 0  # number of games with distinct moves, summed over matches

    def __post_init__(self) -> None:
        if min(self.wins, self.draws, self.losses) < 0:
            raise InvalidResultsError(
                f"{self.wins} wins, {self.draws} draws, {self.losses} losses: counts must not be negative"
            )

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Share of the points, in [0, 1]. Not checked: there are games."""
        return (self.wins + self.draws / 2) / self.games

    def swapped(self) -> SideTally:
        """The same games for the opponent."""
        return SideTally(self.losses, self.draws, self.wins, self.distinct)

    def __add__(self, other: SideTally) -> SideTally:
        return SideTally(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.distinct + other.distinct,
        )

    def to_dict(self) -> dict[str, int]:
        return {"games": self.games, "wins": self.wins, "draws": self.draws, "losses": self.losses}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Results of an agent on both sides, against one opponent or several."""

    as_first: SideTally = SideTally()
    as_second: SideTally = SideTally()
    pairs: Pentanomial = NO_PAIRS
    """Numbers of pairs of games with 0, 1/2, 1, 3/2, 2 points for the agent; zeros if games were not paired."""

    @classmethod
    def of_pairs(cls, records: Sequence[GameRecord]) -> Tally:
        """The tally of a: the first side in even records, the second side in odd records."""
        points = [half_points(record, 1 + number % 2) for number, record in enumerate(records)]
        pairs = [0] * 5
        for one, other in zip(points[::2], points[1::2], strict=True):
            pairs[one + other] += 1
        sides = [
            SideTally(own.count(2), own.count(1), own.count(0), len({record.moves for record in records[side::2]}))
            for side, own in enumerate((points[::2], points[1::2]))
        ]
        return cls(as_first=sides[0], as_second=sides[1], pairs=(pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]))

    @property
    def total(self) -> SideTally:
        return self.as_first + self.as_second

    @property
    def games(self) -> int:
        return self.as_first.games + self.as_second.games

    @property
    def distinct_games(self) -> int:
        """The number of games that differ in their moves or in the side of the agent, summed over matches."""
        return self.total.distinct

    @property
    def wins(self) -> int:
        return self.total.wins

    @property
    def draws(self) -> int:
        return self.total.draws

    @property
    def losses(self) -> int:
        return self.total.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Share of the points, in [0, 1]. Not checked: there are games."""
        return self.total.score

    @property
    def score_interval(self) -> Interval:
        """95 % interval of the expected score. Here and below, games must be paired."""
        return statistics.score_interval(self.pairs)

    @property
    def elo(self) -> float | None:
        """Rating difference; None if infinite."""
        return statistics.elo(self.score)

    @property
    def elo_interval(self) -> tuple[float | None, float | None]:
        low, high = self.score_interval
        return statistics.elo(low), statistics.elo(high)

    @property
    def los(self) -> float:
        """Likelihood that the agent is the stronger one."""
        return statistics.likelihood_of_superiority(self.pairs)

    def swapped(self) -> Tally:
        """The same games for the opponent."""
        return Tally(as_first=self.as_second.swapped(), as_second=self.as_first.swapped(), pairs=self.pairs[::-1])

    def __add__(self, other: Tally) -> Tally:
        lost, half, even, ahead, won = (one + two for one, two in zip(self.pairs, other.pairs, strict=True))
        return Tally(
            as_first=self.as_first + other.as_first,
            as_second=self.as_second + other.as_second,
            pairs=(lost, half, even, ahead, won),
        )

    def to_dict(self) -> dict[str, Any]:
        """The counts as JSON."""
        total = self.total.to_dict()
        return {
            "games": total.pop("games"),
            "distinct_games": self.distinct_games,
            **total,
            "as_first": self.as_first.to_dict(),
            "as_second": self.as_second.to_dict(),
        }


def half_points(record: GameRecord, side: int) -> int:
    """The result of a game for side 1 or 2: 2 for a win, 1 for a draw, 0 for a loss."""
    return 1 if record.winner is None else 2 if record.winner == side else 0


@dataclass(slots=True)
class CrossTable:
    """Results of every ordered pair of agents, for the agent that moved first."""

    results: dict[tuple[str, str], SideTally] = field(default_factory=dict)
    _seen: set[tuple[str, str, str]] = field(default_factory=set, compare=False, repr=False)

    @classmethod
    def of(cls, records: Iterable[GameRecord]) -> CrossTable:
        table = cls()
        for record in records:
            table.add_game(record)
        return table

    def add_game(self, record: GameRecord) -> None:
        """Counts a finished game; ignores unfinished games."""
        if record.termination == "unfinished":
            return
        game = record.first, record.second, record.moves
        is_new = game not in self._seen
        self._seen.add(game)
        winner = record.winner
        self.add(record.first, record.second, SideTally(winner == 1, winner is None, winner == 2, is_new))

    def add(self, first: str, second: str, games: SideTally) -> None:
        """Adds games in which `first` moved first; `games` are its results."""
        if games.games:
            self.results[first, second] = self.results.get((first, second), SideTally()) + games

    def add_match(self, a: str, b: str, tally: Tally) -> None:
        """Adds games between a and b; `tally` has the results of a."""
        self.add(a, b, tally.as_first)
        self.add(b, a, tally.as_second.swapped())

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(agent for pair in self.results for agent in pair))

    @property
    def games(self) -> int:
        return sum(side.games for side in self.results.values())

    @property
    def distinct_games(self) -> int:
        return sum(side.distinct for side in self.results.values())

    def games_of(self, agent: str) -> int:
        """The number of games of an agent, including those against itself."""
        return sum(side.games for pair, side in self.results.items() if agent in pair)

    def tally(self, agent: str, opponent: str | None = None) -> Tally:
        """Results of an agent against an opponent, or against all others."""
        if opponent is None:
            return sum((self.tally(agent, other) for other in self.agents if other != agent), Tally())
        return Tally(
            as_first=self.results.get((agent, opponent), SideTally()),
            as_second=self.results.get((opponent, agent), SideTally()).swapped(),
        )

    def linked_groups(self) -> Iterator[CrossTable]:
        """The results separately for groups of agents that are not linked by games; the group with the most games
        first.
        """
        groups: list[tuple[set[str], CrossTable]] = []
        for pair, games in self.results.items():
            agents, members = set(pair), {pair: games}
            apart = []
            for group in groups:
                if group[0] & agents:
                    agents |= group[0]
                    members = group[1].results | members
                else:
                    apart.append(group)
            groups = [*apart, (agents, CrossTable(members))]
        yield from sorted((group for _, group in groups), key=lambda group: -group.games)
