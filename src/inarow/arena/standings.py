"""What the matches of a tournament say about its agents: the JSON that others rely on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from inarow.arena.ratings import Results, fit_ratings
from inarow.arena.statistics import Interval, half_points
from inarow.arena.summary import AgentCost, MatchSummary, SideResult
from inarow.games.record import GameRecord


class CrossTable:
    """Points of each agent against each, which grow game by game."""

    def __init__(self, agents: Iterable[str]) -> None:
        self.agents = tuple(agents)
        self._half_points: Counter[tuple[str, str]] = Counter()
        self._games: Counter[tuple[str, str]] = Counter()

    def add(self, record: GameRecord) -> None:
        for side, pair in ((1, (record.first, record.second)), (2, (record.second, record.first))):
            self._half_points[pair] += half_points(record, side)
            self._games[pair] += 1

    def points(self, agent: str, opponents: Iterable[str]) -> float:
        """What `agent` made against `opponents`."""
        return sum(self._half_points[agent, opponent] for opponent in opponents) / 2

    def games(self, agent: str, opponents: Iterable[str]) -> int:
        return sum(self._games[agent, opponent] for opponent in opponents)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """An agent in a tournament."""

    agent: str
    elo: float
    elo_interval: Interval
    los: float | None
    """Likelihood that it is stronger than the next one; None for the last."""
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    as_first: SideResult
    as_second: SideResult
    illegal_moves: int
    crashes: int
    time_outs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentSummary:
    """Ratings and results of a tournament. Intervals hold 95 %."""

    board: str
    games: int
    distinct_games: int
    """Games of a match that differ in their moves or in who moved first, summed over the matches."""
    seed: int
    gauntlet: bool
    standings: tuple[Standing, ...]
    """Strongest first."""
    anchor: str | None
    """The agent whose rating is 0; None if their mean is."""
    advantage: float
    """What the first move is worth, in Elo."""
    advantage_interval: Interval
    draw_rate_equal: float
    """How often equal agents draw."""
    matches: tuple[MatchSummary, ...]


def sum_up(matches: Sequence[MatchSummary], *, seed: int, gauntlet: bool) -> TournamentSummary:
    """The summary of at least one match."""
    ratings = fit_ratings(result for match in matches for result in _results(match))
    strongest_first = [rating.agent for rating in ratings.table]
    los = [*(ratings.los(*pair) for pair in pairwise(strongest_first)), None]
    return TournamentSummary(
        board=matches[0].board,
        games=sum(match.games for match in matches),
        distinct_games=sum(match.distinct_games for match in matches),
        seed=seed,
        gauntlet=gauntlet,
        standings=tuple(
            _standing(rating.agent, rating.elo, rating.interval, its_los, matches)
            for rating, its_los in zip(ratings.table, los, strict=True)
        ),
        anchor=ratings.anchor,
        advantage=ratings.advantage,
        advantage_interval=ratings.advantage_interval,
        draw_rate_equal=ratings.draw_rate_equal,
        matches=tuple(matches),
    )


def _results(match: MatchSummary) -> Iterator[Results]:
    first, second = match.as_first, _of_opponent(match.as_second)
    yield Results(match.a, match.b, first.wins, first.draws, first.losses)
    yield Results(match.b, match.a, second.wins, second.draws, second.losses)


def _standing(
    agent: str, elo: float, interval: Interval, los: float | None, matches: Sequence[MatchSummary]
) -> Standing:
    own = [match for match in matches if agent in (match.a, match.b)]
    as_first = _added(match.as_first if match.a == agent else _of_opponent(match.as_second) for match in own)
    as_second = _added(match.as_second if match.a == agent else _of_opponent(match.as_first) for match in own)
    total = _added((as_first, as_second))
    costs: list[AgentCost] = [match.cost["a" if match.a == agent else "b"] for match in own]
    return Standing(
        agent=agent,
        elo=elo,
        elo_interval=interval,
        los=los,
        games=total.games,
        wins=total.wins,
        draws=total.draws,
        losses=total.losses,
        score=(total.wins + total.draws / 2) / total.games,
        as_first=as_first,
        as_second=as_second,
        illegal_moves=sum(cost.illegal_moves for cost in costs),
        crashes=sum(cost.crashes for cost in costs),
        time_outs=sum(cost.time_outs for cost in costs),
    )


def _of_opponent(result: SideResult) -> SideResult:
    """The same games for the other agent."""
    return SideResult(result.games, result.losses, result.draws, result.wins)


def _added(results: Iterable[SideResult]) -> SideResult:
    counts = [(result.games, result.wins, result.draws, result.losses) for result in results]
    return SideResult(*map(sum, zip(*counts, strict=True)))
