"""From a results store, or a tournament in it, to a report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from statistics import median
from typing import Any

import msgspec

from inarow import __version__
from inarow.arena.leaderboard import chosen_grades, numbered_names
from inarow.arena.ratings import Ratings, Results, count_results, fit_ratings
from inarow.arena.resume import stored_games
from inarow.arena.review import MoveReview, review_move
from inarow.arena.store import Store
from inarow.arena.store_entries import AgentIdentity, GradeEntry, MatchEntry
from inarow.arena.tournament import TournamentPlan
from inarow.errors import InvalidResultsError, StoreError, one_line, shown
from inarow.games.position import Position
from inarow.games.record import GameRecord
from inarow.games.spec import GameSpec
from inarow.report.data import AgentGrade, ReplayGame, ReportData
from inarow.search.limits import Limits
from inarow.search.solver.api import analyse as solve_all
from inarow.search.solver.solution import Analysis

_FAST_NODES, _SLOW_NODES = 2_000_000, 20_000
"""For each position of the games, on boards that the solver is made for and on others: well under a
second. Positions that need more are shown without scores."""

Analyse = Callable[[Position], Analysis]
Pair = tuple[str, str]
Names = Mapping[AgentIdentity, str]


def report_from_store(
    store: Store, board: str, *, games: int = 8, analyse: Analyse | None = None, command: str = ""
) -> ReportData:
    """What a store knows about a board, with at most `games` games to replay; `analyse` scores
    their moves. Raises StoreError if the store knows nothing about the board.
    """
    board = str(GameSpec.parse(board))
    pairs, grades, matches = store.results(board), store.grades(board), store.counted_matches(board)
    if not pairs and not grades:
        boards = ", ".join(sorted({match.board for match in store.matches().values()})) or "nothing"
        raise StoreError(f"the results store has no games or grades on {board}; it has {boards}")
    players = [agent for pair in pairs for agent in (pair.first, pair.second)]
    names = numbered_names([*players, *(entry.agent for entry in grades)])
    results = [Results(names[p.first], names[p.second], p.wins, p.draws, p.losses) for p in pairs]
    records = partial(_records, store, matches, names)
    seeds = tuple(sorted({match.seed for match in matches.values()}))
    report = _report(board, names, results, records, grades, games, analyse)
    return replace(report, seeds=seeds, command=command, distinct_games=sum(pair.distinct for pair in pairs))


def report_from_tournament(
    plan: TournamentPlan, store: Store, *, games: int = 8, analyse: Analyse | None = None, command: str = ""
) -> ReportData:
    """The same about the games of one tournament, all of which the store has, and the grades of its agents."""
    board = str(plan.matches[0].spec)
    names = {AgentIdentity.parse(agent): agent for agent in plan.agents}
    grades = [entry for entry in store.grades(board) if entry.agent in names]

    def records() -> Iterator[GameRecord]:
        return chain.from_iterable(stored_games(match, store) for match in plan.matches)

    report = _report(board, names, count_results(records()), records, grades, games, analyse)
    distinct = len({(record.first, record.second, record.moves) for record in records()})
    return replace(report, seeds=(plan.seed,), command=command, distinct_games=distinct)


def bounded_analysis(spec: GameSpec) -> Analyse:
    """Scores what can be solved in well under a second."""
    return partial(solve_all, limits=Limits(nodes=_FAST_NODES if spec.gravity and spec.fits_word else _SLOW_NODES))


def _report(
    board: str,
    names: Names,
    results: Iterable[Results],
    records: Callable[[], Iterable[GameRecord]],
    grades: Iterable[GradeEntry],
    games: int,
    analyse: Analyse | None,
) -> ReportData:
    results = tuple(results)
    ratings, unrated = _rate(results)
    return ReportData(
        title=f"{len(names)} agents on {board}",
        board=board,
        command="",
        version=__version__,
        results=results,
        ratings=ratings,
        unrated=unrated,
        grades=tuple(_read_grade(entry, names) for entry in chosen_grades(grades).values()),
        seconds_per_move=_seconds_per_move(records()),
        games=tuple(
            ReplayGame(record, review_end(record, analyse) if analyse else ())
            for record in interesting_games(records(), games)
        ),
    )


def interesting_games(records: Iterable[GameRecord], count: int) -> list[GameRecord]:
    """At most `count` games, the same for the same records: from each pair of agents the longest game
    of its rarest result, as when the weaker one wins; then of its second rarest and so on.
    """
    longest: dict[Pair, dict[str | None, GameRecord]] = defaultdict(dict)
    times: Counter[tuple[Pair, str | None]] = Counter()
    for record in records:
        pair = min(record.first, record.second), max(record.first, record.second)
        winner = {1: record.first, 2: record.second, None: None}[record.winner]
        times[pair, winner] += 1
        known = longest[pair].get(winner)
        if known is None or len(record.actions) > len(known.actions):
            longest[pair][winner] = record
    ranked = [
        (turn, -len(longest[pair][winner].actions), pair, longest[pair][winner])
        for pair in longest
        for turn, winner in enumerate(sorted(longest[pair], key=lambda winner: (times[pair, winner], winner or "")))
    ]
    return [record for *_, record in sorted(ranked, key=lambda entry: entry[:-1])[:count]]


def review_end(record: GameRecord, analyse: Analyse) -> tuple[MoveReview, ...]:
    """Reviews the moves of a game from the last one back, as far as `analyse` can solve."""
    positions = [Position.start(record.spec)]
    for action in record.actions:
        positions.append(positions[-1].play(action))
    reviews: list[MoveReview] = []
    for position, action in zip(positions[-2::-1], reversed(record.actions), strict=True):
        analysis = analyse(position)
        if analysis.score is None:
            break
        reviews.append(review_move(position, action, analysis))
    return tuple(reversed(reviews))


def _rate(results: Iterable[Results]) -> tuple[Ratings | None, str | None]:
    try:
        return fit_ratings(results), None
    except InvalidResultsError as error:
        return None, one_line(error)


def _records(store: Store, matches: Mapping[int, MatchEntry], names: Names) -> Iterator[GameRecord]:
    """The finished games of some matches, with the names that the report uses."""
    for match_id, match in matches.items():
        its_names = {agent.name: names[agent] for agent in (match.a, match.b) if agent in names}
        for record in store.games(match_id=match_id):
            if record.termination != "unfinished":
                yield replace(record, first=its_names[record.first], second=its_names[record.second])


def _seconds_per_move(records: Iterable[GameRecord]) -> dict[str, float]:
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for record in records:
        players = record.first, record.second
        for ply, known in enumerate(record.plies, start=record.opening):
            if known.seconds is not None:
                seconds[players[ply % 2]].append(known.seconds)
    return {agent: median(times) for agent, times in seconds.items()}


def _read_grade(entry: GradeEntry, names: Names) -> AgentGrade:
    document: dict[str, Any] = {**entry.grade, "agent": names[entry.agent], "suite": entry.suite}
    try:
        return msgspec.convert(document, AgentGrade)
    except msgspec.ValidationError as error:
        raise StoreError(f"the grade of {shown(entry.agent.name)} cannot be read: {one_line(error)}") from None
