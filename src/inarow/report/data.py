"""What a report shows: plain values, wherever they come from."""

from __future__ import annotations

from dataclasses import dataclass, field

from inarow.arena.ratings import Rating, Ratings, Results
from inarow.arena.review import MoveReview
from inarow.arena.statistics import Interval
from inarow.games.record import GameRecord


@dataclass(frozen=True, slots=True)
class ReplayGame:
    """A game to step through."""

    record: GameRecord
    reviews: tuple[MoveReview, ...] = ()
    """Of the moves whose positions could be solved, by ply; of no others."""


@dataclass(frozen=True, slots=True)
class PlyAccuracy:
    """A point of an accuracy curve."""

    ply: int
    outcome_accuracy: float | None
    """None where there were no positions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentGrade:
    """What a report reads of a grade against perfect play, the JSON of `inarow grade`."""

    agent: str
    suite: str
    positions: int
    outcome_accuracy: float | None
    critical_accuracy: float | None
    optimal_accuracy: float | None
    mean_regret: float | None
    intervals: dict[str, Interval | None] = field(default_factory=dict)
    """Of 95 %, by the name of the figure."""
    by_ply: tuple[PlyAccuracy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """All that a report is made of. Agents are named the same in every part."""

    title: str
    board: str
    command: str
    """Makes the report again."""
    version: str
    """Of inarow."""
    seeds: tuple[int, ...] = ()
    """Of the matches."""
    results: tuple[Results, ...] = ()
    ratings: Ratings | None = None
    unrated: str | None = None
    """Why there are no ratings, where there are games."""
    grades: tuple[AgentGrade, ...] = ()
    """At most one for each agent."""
    seconds_per_move: dict[str, float] = field(default_factory=dict)
    """The median: the first moves of a process also load compiled code."""
    games: tuple[ReplayGame, ...] = ()
    distinct_games: int | None = None
    """How many of all games differ in their moves or in who made them; None if nobody has counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """An agent's line of the leaderboard."""

    agent: str
    wins: int
    draws: int
    losses: int
    rating: Rating | None
    seconds_per_move: float | None
    grade: AgentGrade | None

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """In [0, 1]; None without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else None


def standings(data: ReportData) -> list[Standing]:
    """Every agent that played or was graded: the strongest first, by rating or else by score."""
    ratings = {rating.agent: rating for rating in data.ratings.table} if data.ratings else {}
    grades = {grade.agent: grade for grade in data.grades}
    agents = {agent for result in data.results for agent in (result.first, result.second)} | set(grades)
    found = []
    for agent in agents:
        wins, draws, losses = count_games(data.results, agent)
        found.append(
            Standing(
                agent=agent,
                wins=wins,
                draws=draws,
                losses=losses,
                rating=ratings.get(agent),
                seconds_per_move=data.seconds_per_move.get(agent),
                grade=grades.get(agent),
            )
        )
    return sorted(found, key=_rank)


def _rank(standing: Standing) -> tuple[bool, float, float, str]:
    rating, score = standing.rating, standing.score
    return rating is None, -rating.elo if rating else 0.0, 1.0 if score is None else -score, standing.agent


def count_games(results: tuple[Results, ...], agent: str, opponent: str | None = None) -> tuple[int, int, int]:
    """Wins, draws and losses of an agent on both sides: against one opponent, or against all others."""
    wins = draws = losses = 0
    for result in results:
        if result.first == result.second:
            continue
        if result.first == agent and opponent in (None, result.second):
            wins, draws, losses = wins + result.wins, draws + result.draws, losses + result.losses
        elif result.second == agent and opponent in (None, result.first):
            wins, draws, losses = wins + result.losses, draws + result.draws, losses + result.wins
    return wins, draws, losses
