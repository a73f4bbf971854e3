"""The leaderboard: results, ratings and grades of agents on one board, as typed rows.

It is the only source of the tables in the terminal, the report, Markdown, CSV, JSON and the web lab.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from inarow.arena.grading import ACCURACIES, Grade
from inarow.arena.ratings import Rating, Ratings, fit_ratings
from inarow.arena.store import Store, opened
from inarow.arena.store_schema import AgentIdentity, GradeEntry
from inarow.arena.suite import EXHAUSTIVE, STANDARD
from inarow.arena.tally import CrossTable, Tally
from inarow.errors import InvalidResultsError, StoreError, one_line, raised_as, shown
from inarow.games import CONNECT_FOUR, Board, GameRecord, GameSpec
from inarow.results import Result

_USUAL_SUITES = (STANDARD, EXHAUSTIVE)  # a board has one of these


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A row of the leaderboard."""

    agent: str
    tally: Tally  # against all others
    rating: Rating | None = None
    los: float | None = None  # likelihood that it is stronger than the next agent; None for the last
    grade: Grade | None = None
    seconds_per_move: float | None = None
    faults: Mapping[str, int] = field(default_factory=dict)
    """Games lost by `illegal_moves`, `crashes` and `time_outs`, if counted."""

    @property
    def score(self) -> float | None:
        """In [0, 1]; None without games."""
        return self.tally.score if self.tally.games else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard(Result):
    """Results, ratings and grades of the agents on a board; created by `rank_agents`."""

    board: str
    cross: CrossTable
    groups: tuple[Ratings, ...]  # one for each group of agents linked by games; the group with the most games first
    unrated: str | None  # the reason if there are no ratings of all agents together
    grades: Mapping[str, Grade] = field(default_factory=dict)
    seconds_per_move: Mapping[str, float] = field(default_factory=dict)
    """Medians, because the first moves of a process also load compiled code."""
    faults: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()  # of the matches

    @property
    def agents(self) -> set[str]:
        """The agents that played or were graded."""
        return {*self.cross.agents, *self.grades}

    @property
    def ratings(self) -> Ratings | None:
        """The ratings of all agents together, None if there are none."""
        return None if self.unrated else self.groups[0]

    def standings(self) -> list[Standing]:
        """All agents, strongest first, by rating if they have one, otherwise by score."""
        return self._rows(self.ratings)

    def group_standings(self) -> list[list[Standing]]:
        """The rated agents of each group, strongest first."""
        return [[row for row in self._rows(ratings) if row.rating] for ratings in self.groups]

    def rows(self) -> list[dict[str, object]]:
        """A row for each agent, strongest first."""
        return [
            {
                **standing_row(standing),
                "seconds_per_move": standing.seconds_per_move,
                **{name: getattr(standing.grade, name, None) for name in (*ACCURACIES, "mean_regret")},
            }
            for standing in self.standings()
        ]

    def _rows(self, ratings: Ratings | None) -> list[Standing]:
        table = ratings.table if ratings else ()
        rated = {rating.agent: rating for rating in table}
        los = {a.agent: ratings.los(a.agent, b.agent) for a, b in pairwise(table)} if ratings else {}
        rows = [
            Standing(
                agent=agent,
                tally=self.cross.tally(agent),
                rating=rated.get(agent),
                los=los.get(agent),
                grade=self.grades.get(agent),
                seconds_per_move=self.seconds_per_move.get(agent),
                faults=self.faults.get(agent, {}),
            )
            for agent in self.agents
        ]
        return sorted(rows, key=_rank)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `inarow leaderboard`."""
        return {
            "board": self.board,
            "games": self.cross.games,
            "distinct_games": self.cross.distinct_games,
            "groups": [
                {**asdict(ratings), "table": [_rated_row(row) for row in rows]}
                for ratings, rows in zip(self.groups, self.group_standings(), strict=True)
            ],
        }


def standing_row(standing: Standing) -> dict[str, object]:
    """A standing as a row of a table."""
    rating, total = standing.rating, standing.tally.total
    low, high = rating.interval if rating else (None, None)
    return {
        "agent": standing.agent,
        "elo": rating.elo if rating else None,
        "elo_low": low,
        "elo_high": high,
        "los": standing.los,
        **total.to_dict(),
        "score": standing.score,
        "score_as_first": standing.tally.as_first.score if standing.tally.as_first.games else None,
        "score_as_second": standing.tally.as_second.score if standing.tally.as_second.games else None,
    }


def _rank(row: Standing) -> tuple[bool, float, float, str]:
    rating, score = row.rating, row.score
    return rating is None, -rating.elo if rating else 0.0, 1.0 if score is None else -score, row.agent


def _rated_row(row: Standing) -> dict[str, Any]:
    assert row.rating is not None
    return {
        **asdict(row.rating),
        "score": row.score,
        "seconds_per_move": row.seconds_per_move,
        "outcome_accuracy": row.grade.outcome_accuracy if row.grade else None,
    }


def rank_agents(board: str, cross: CrossTable) -> Leaderboard:
    """The leaderboard of a cross table; other fields can be added by `replace`."""
    try:
        return Leaderboard(board=board, cross=cross, groups=(fit_ratings(cross),), unrated=None)
    except InvalidResultsError as error:
        groups = tuple(map(fit_ratings, cross.linked_groups()))
        return Leaderboard(board=board, cross=cross, groups=groups, unrated=one_line(error))


def ratings(
    games: Iterable[GameRecord] | Store | Path | str, *, board: Board = CONNECT_FOUR, anchor: str = "random"
) -> Ratings:
    """Elo ratings with 95 % intervals from games, or from all games of a results store on a board.

    The rating of `anchor` is 0; if it did not play, the mean rating is 0. Raises InvalidResultsError if there are no
    finished games, or if some groups of agents are not linked by games.
    """
    if isinstance(games, (Store, Path, str)):
        with opened(games, readonly=True) as store:
            assert store is not None
            return fit_ratings(store_leaderboard(store, str(GameSpec.parse(board))).cross, anchor=anchor)
    return fit_ratings(CrossTable.of(games), anchor=anchor)


# --- from a store ---


def store_leaderboard(store: Store, board: str, visit: Callable[[GameRecord], object] | None = None) -> Leaderboard:
    """The leaderboard of all results of a store for a board.

    Different agents with the same name (a default or a net has changed) are numbered. `visit` receives each finished
    game under these names; without it, games are not decoded.
    """
    matches = store.counted_matches(board)
    results, grades = store.results(matches), store.grades(board)
    names = _numbered_names([*(agent for pair in results for agent in pair), *(entry.agent for entry in grades)])
    cross = CrossTable({(names[first], names[second]): games for (first, second), games in results.items()})
    for match_id, match in matches.items():
        if visit is None:
            break
        its_names = {agent.name: names[agent] for agent in (match.a, match.b) if agent in names}
        for record in store.games(match_id=match_id):
            if record.termination != "unfinished":
                visit(replace(record, first=its_names[record.first], second=its_names[record.second]))
    seeds = tuple(sorted({match.seed for match in matches.values()}))
    ranked = rank_agents(str(GameSpec.parse(board)), cross)
    return replace(ranked, grades=read_grades(grades, names), seeds=seeds)


def _numbered_names(agents: Iterable[AgentIdentity]) -> dict[AgentIdentity, str]:
    seen: Counter[str] = Counter()
    names = {}
    for agent in dict.fromkeys(agents):
        seen[agent.name] += 1
        names[agent] = agent.name if seen[agent.name] == 1 else f"{agent.name} ({seen[agent.name]})"
    return names


def read_grades(grades: Iterable[GradeEntry], names: Mapping[AgentIdentity, str]) -> dict[str, Grade]:
    """The grade of each named agent for comparisons: its newest on the usual suite of the board, or its newest if it
    has none there. `grades` are sorted, oldest first. Raises StoreError.
    """
    chosen: dict[AgentIdentity, GradeEntry] = {}
    for entry in grades:
        known = chosen.get(entry.agent)
        if entry.agent in names and (known is None or entry.suite in _USUAL_SUITES or known.suite not in _USUAL_SUITES):
            chosen[entry.agent] = entry
    return {names[agent]: _read_grade(entry, names[agent]) for agent, entry in chosen.items()}


def _read_grade(entry: GradeEntry, name: str) -> Grade:
    with raised_as(StoreError, f"the grade of {shown(entry.agent.name)} cannot be read", msgspec.ValidationError):
        return msgspec.convert({**entry.grade, "agent": name, "board": entry.board, "suite": entry.suite}, Grade)
