"""The data of a report, collected from a results store or a tournament in one pass over its games."""

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from statistics import median
from typing import TypedDict, Unpack

from inarow.arena.leaderboard import Leaderboard, read_grades, store_leaderboard
from inarow.arena.review import Analyse, MoveReview, review_end
from inarow.arena.review import bounded_analysis as bounded_analysis
from inarow.arena.store import Store
from inarow.arena.store_schema import AgentIdentity
from inarow.arena.tournament import TournamentSummary
from inarow.errors import StoreError
from inarow.games import GameRecord
from inarow.version import __version__


@dataclass(frozen=True, slots=True)
class ReplayGame:
    """A game to step through."""

    record: GameRecord
    reviews: tuple[MoveReview, ...] = ()  # of the moves whose positions could be solved, by ply


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """The data of a report. Agents have the same names in every part."""

    title: str
    command: str  # creates the report again
    version: str  # of inarow
    leaderboard: Leaderboard
    games: tuple[ReplayGame, ...] = ()


class GameSurvey:
    """The data of many games for a report: decision times, and interesting games."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, list[float]] = defaultdict(list)
        self._longest: dict[tuple[str, str], dict[str | None, tuple[int, GameRecord]]] = defaultdict(dict)
        self._times: Counter[tuple[tuple[str, str], str | None]] = Counter()

    def add(self, record: GameRecord) -> None:
        players = record.first, record.second
        for ply, known in enumerate(record.plies, start=record.opening):
            if known.seconds is not None:
                self._seconds[players[ply % 2]].append(known.seconds)
        pair = min(players), max(players)
        winner = None if record.winner is None else players[record.winner - 1]
        self._times[pair, winner] += 1
        longest, plies = self._longest[pair], len(record.actions)
        if winner not in longest or plies > -longest[winner][0]:
            longest[winner] = -plies, record  # negative, so that the longest comes first

    def seconds_per_move(self) -> dict[str, float]:
        """The median time per move of each agent."""
        return {agent: median(times) for agent, times in self._seconds.items()}

    def interesting_games(self, count: int) -> list[GameRecord]:
        """At most `count` games: from each pair of agents the longest game with its rarest result, for example a win of
        the weaker agent; then of its second rarest and so on. Deterministic.
        """
        ranked = []
        for pair, games in self._longest.items():
            rarest_first = sorted(games, key=lambda winner: (self._times[pair, winner], winner or ""))
            ranked += [(turn, games[winner][0], pair, games[winner][1]) for turn, winner in enumerate(rarest_first)]
        return [record for *_, record in sorted(ranked, key=lambda entry: entry[:-1])[:count]]


def read_leaderboard(store: Store, board: str) -> Leaderboard:
    """The leaderboard of a store with decision times, for which every game is read."""
    survey = GameSurvey()
    leaderboard = store_leaderboard(store, board, survey.add)
    return replace(leaderboard, seconds_per_move=survey.seconds_per_move())


class ReportOptions(TypedDict, total=False):
    games: int  # maximum number of games to replay, by default 8
    analyse: Analyse | None  # scores the moves of these games
    command: str  # creates the report again


def report_from_store(store: Store, board: str, **options: Unpack[ReportOptions]) -> ReportData:
    """The report of all results of a store for a board. Raises StoreError if there are none."""
    survey = GameSurvey()
    leaderboard = store_leaderboard(store, board, survey.add)
    if not leaderboard.agents:
        boards = ", ".join(sorted({match.board for match in store.matches().values()})) or "nothing"
        raise StoreError(f"the results store has no games or grades on {leaderboard.board}; it has {boards}")
    return _report(leaderboard, survey, **options)


def report_from_tournament(
    summary: TournamentSummary, survey: GameSurvey, store: Store, **options: Unpack[ReportOptions]
) -> ReportData:
    """The same for the games of one tournament, which `survey` has processed, and the stored grades of its agents."""
    leaderboard = summary.leaderboard
    names = {AgentIdentity.parse(agent): agent for agent in leaderboard.agents}
    leaderboard = replace(leaderboard, grades=read_grades(store.grades(leaderboard.board), names))
    return _report(leaderboard, survey, **options)


def _report(
    leaderboard: Leaderboard, survey: GameSurvey, games: int = 8, analyse: Analyse | None = None, command: str = ""
) -> ReportData:
    title = f"{len(leaderboard.agents)} agents on {leaderboard.board}"
    leaderboard = replace(leaderboard, seconds_per_move=survey.seconds_per_move())
    records = survey.interesting_games(games)
    replays = tuple(ReplayGame(record, review_end(record, analyse) if analyse else ()) for record in records)
    return ReportData(title=title, command=command, version=__version__, leaderboard=leaderboard, games=replays)
