"""Tournaments: matches between all pairs of agents, or between the first agent and each other."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from inarow.agents.custom import AgentLike, agent_strings, check_reachable
from inarow.agents.registry import make_agent
from inarow.arena.export import write_games
from inarow.arena.leaderboard import Leaderboard, Standing, rank_agents, standing_row
from inarow.arena.match import MatchSummary, play_all, play_into_store, play_missing, stored_games, summarise
from inarow.arena.match_plan import MatchPlan, MatchSettings, plan_match
from inarow.arena.openings import OpeningKind
from inarow.arena.ratings import Ratings
from inarow.arena.store import Store, opened
from inarow.arena.tally import CrossTable
from inarow.errors import Interrupted, InvalidAgentError, InvalidLimitError, shown
from inarow.games import CONNECT_FOUR, Board, GameRecord, GameSpec
from inarow.results import PlottedResult, ResultTable
from inarow.workers import Progress, Workers


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlan:
    """All data that determines the games of a tournament; created by `plan_tournament`."""

    agents: tuple[str, ...]
    matches: tuple[MatchPlan, ...]
    gauntlet: bool
    seed: int

    @property
    def board(self) -> str:
        return str(self.matches[0].spec)

    @property
    def games(self) -> int:
        return sum(match.games for match in self.matches)


def plan_tournament(
    agents: Sequence[str],
    spec: GameSpec = CONNECT_FOUR,
    settings: MatchSettings | None = None,
    *,
    gauntlet: bool = False,
) -> TournamentPlan:
    """A checked plan in which all agents meet; with `gauntlet` the first agent meets all others.

    The match of two agents does not depend on the other agents or on their order, so a later
    tournament with more agents finds it in the store.
    """
    settings = settings or MatchSettings()
    names = tuple(make_agent(agent).name for agent in agents)
    if len(names) < 2:
        raise InvalidLimitError(f"a tournament needs at least 2 agents; there {'are none' if not names else 'is 1'}")
    for name in names:
        if names.count(name) > 1:
            raise InvalidAgentError(f"{shown(name)} takes part more than once")
    pairings = combinations(names, 2) if not gauntlet else ((names[0], other) for other in names[1:])
    matches = tuple(
        plan_match(a, b, spec, replace(settings, seed=_match_seed(settings.seed, a, b)))
        for a, b in map(sorted, pairings)
    )
    return TournamentPlan(agents=names, matches=matches, gauntlet=gauntlet, seed=settings.seed)


def _match_seed(seed: int, a: str, b: str) -> int:
    """A different seed for each pair, so that an agent does not repeat its random choices against every opponent."""
    digest = hashlib.blake2b(f"{seed} {a} {b}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentSummary:
    """Leaderboard and matches of a tournament."""

    leaderboard: Leaderboard
    matches: tuple[MatchSummary, ...]
    seed: int
    gauntlet: bool

    @property
    def ratings(self) -> Ratings:
        return self.leaderboard.groups[0]

    @property
    def standings(self) -> list[Standing]:
        """Strongest first."""
        return self.leaderboard.standings()

    def pairings(self) -> ResultTable:
        """A row for each pair of agents that met: results and costs for a."""
        return ResultTable("Pairings", tuple(match.row() for match in self.matches))

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `inarow tournament --json`, with 95 % intervals."""
        cross = self.leaderboard.cross
        of_ratings = ("anchor", "advantage", "advantage_interval", "draw_rate_equal")
        return {
            "board": self.leaderboard.board,
            "games": cross.games,
            "distinct_games": cross.distinct_games,
            "seed": self.seed,
            "gauntlet": self.gauntlet,
            "standings": [_row(standing) for standing in self.standings],
            **{name: getattr(self.ratings, name) for name in of_ratings},
            "matches": [match.to_dict() for match in self.matches],
        }


def _row(standing: Standing) -> dict[str, Any]:
    assert standing.rating is not None
    return {
        "agent": standing.agent,
        "elo": standing.rating.elo,
        "elo_interval": standing.rating.interval,
        "los": standing.los,
        **standing.tally.total.to_dict(),
        "score": standing.score,
        "as_first": standing.tally.as_first.to_dict(),
        "as_second": standing.tally.as_second.to_dict(),
        **standing.faults,
    }


@dataclass(frozen=True, slots=True, repr=False)
class Tournament(PlottedResult):
    """A tournament: its summary, and all games."""

    summary: TournamentSummary
    records: tuple[GameRecord, ...]
    """Match by match."""

    def __repr__(self) -> str:
        board = self.summary.leaderboard
        return f"<Tournament of {len(board.agents)} agents on {board.board}: {len(self.records)} games>"

    @property
    def standings(self) -> list[Standing]:
        """Strongest first."""
        return self.summary.standings

    def ratings(self) -> Ratings:
        return self.summary.ratings

    def rows(self) -> list[dict[str, object]]:
        """A row for each agent, strongest first."""
        return [standing_row(standing) for standing in self.standings]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `inarow tournament`."""
        return self.summary.to_dict()

    def pairings(self) -> ResultTable:
        """A row for each pair of agents that met: results and costs for a."""
        return self.summary.pairings()

    def to_csv(self, path: Path | str) -> None:
        """Writes a line for each game; see `Match.to_csv`."""
        write_games(path, self.records)


def play_tournament(
    agents: Sequence[AgentLike],
    spec: Board = CONNECT_FOUR,
    *,
    games: int = 100,
    seed: int = 0,
    workers: Workers = 1,
    gauntlet: bool = False,
    openings: OpeningKind = "balanced",
    opening_plies: int | None = None,
    move_seconds: float | None = None,
    store: Store | Path | str | None = None,
    progress: bool | Progress = True,
) -> Tournament:
    """Plays matches of `games` games (an even number) between all agents; with `gauntlet` between the first and each
    other.

    Games depend only on the arguments, as in `play_match`. Games in the store are not played again, so the same call
    resumes a tournament. Raises InarowError, and on Ctrl-C Interrupted with the tournament so far.
    """
    settings = MatchSettings(
        games=games, seed=seed, openings=openings, opening_plies=opening_plies, move_seconds=move_seconds
    )
    with agent_strings(*agents) as names, opened(store) as results:
        plan = plan_tournament(names, GameSpec.parse(spec), settings, gauntlet=gauntlet)
        check_reachable(names, workers)
        return _play(plan, results, workers, progress)


def _play(plan: TournamentPlan, store: Store | None, workers: Workers, progress: bool | Progress) -> Tournament:
    from inarow.terminal import progress_bar

    found: list[list[GameRecord]] = [[] for _ in plan.matches]

    def tournament() -> Tournament | None:
        """The tournament of all finished pairs, None if there are none."""
        played = [records[: len(records) // 2 * 2] for records in found]
        if not any(played):
            return None
        return Tournament(summarise_games(plan, played), tuple(record for records in played for record in records))

    batches = (
        play_all(plan.matches, workers) if store is None else play_into_store(plan.matches, store, workers=workers)
    )
    done = 0
    with progress_bar("games", is_shown=progress) as advance:
        try:
            for match, records in batches:
                found[match] += records
                done += len(records)
                advance(done, plan.games)
        except KeyboardInterrupt:
            raise Interrupted(f"stopped after {done} of {plan.games} games", tournament()) from None
    finished = tournament()
    assert finished is not None
    return finished


def play_planned(plan: TournamentPlan, store: Store, *, workers: Workers = 1) -> TournamentSummary:
    """Plays the games that are missing in the store, stores them, and summarises all games of the plan."""
    for _ in play_missing(plan.matches, store, workers=workers):
        pass
    return summarise_tournament(plan, store)


def summarise_tournament(
    plan: TournamentPlan, store: Store, visit: Callable[[GameRecord], object] | None = None
) -> TournamentSummary:
    """The summary of a tournament whose games are all in the store; `visit` receives each of them in order. Every
    game is decoded once.
    """
    return summarise_games(plan, (stored_games(match, store) for match in plan.matches), visit)


def summarise_games(
    plan: TournamentPlan,
    games: Iterable[Sequence[GameRecord]],
    visit: Callable[[GameRecord], object] | None = None,
) -> TournamentSummary:
    """The same from the games of each match, in the order of the plan; matches without games are left out."""
    matches = []
    for records in filter(None, games):
        if visit is not None:
            for record in records:
                visit(record)
        matches.append(summarise(records))
    cross = CrossTable()
    faults: dict[str, Counter[str]] = {agent: Counter() for agent in plan.agents}
    for summary in matches:
        cross.add_match(summary.a, summary.b, summary)
        for agent, cost in zip((summary.a, summary.b), summary.cost.values(), strict=True):
            faults[agent].update(cost.faults)
    leaderboard = replace(rank_agents(plan.board, cross), faults=faults, seeds=(plan.seed,))
    return TournamentSummary(leaderboard=leaderboard, matches=tuple(matches), seed=plan.seed, gauntlet=plan.gauntlet)
