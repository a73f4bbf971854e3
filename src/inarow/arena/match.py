"""Matches: two agents, many openings, each played twice with swapped sides.

A match is divided into tasks of whole pairs. A game depends only on its plan and its number, not on the division into
tasks or the process that plays it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from inarow.agents.agent import PreparedAgent
from inarow.agents.custom import AgentLike, agent_strings, check_reachable
from inarow.agents.registry import make_agent, parse_agent
from inarow.arena.export import write_games
from inarow.arena.game import play_game
from inarow.arena.game_rows import game_row
from inarow.arena.match_plan import MatchPlan, MatchSettings, plan_match
from inarow.arena.openings import OpeningKind, find_openings
from inarow.arena.sprt import Sprt, SprtResult, until_decided
from inarow.arena.store import Store, opened
from inarow.arena.tally import Tally
from inarow.errors import Interrupted
from inarow.games import CONNECT_FOUR, Board, GameRecord, GameSpec, Position
from inarow.games.record import Ply
from inarow.results import PlottedResult
from inarow.search.limits import Limits
from inarow.workers import Pool, Progress, Workers, check_workers, open_pool

_TASK_SECONDS = (
    0.25  # target length of a task: a kill loses less with short tasks, dispatching costs less with long ones
)
_MAX_PAIRS_PER_TASK = 32
_FIGURES = (
    *("score", "score_interval", "elo", "elo_interval", "los", "pairs"),
    *("openings", "opening_plies", "plies_per_game", "cost", "seed", "sprt"),
)
"""Columns of a `MatchSummary` after its counts."""

_COSTS = ("seconds_per_move", "median_seconds_per_move", "nodes_per_move", "median_nodes_per_move")
Numbered = tuple[int, GameRecord]
"""A game with its number in its match: a moves first in even games, b in odd games."""


# --- playing ---


@dataclass(frozen=True, slots=True)
class Task:
    """Some pairs of a match."""

    match: int  # index of the plan
    plan: MatchPlan
    pairs: tuple[tuple[int, Position], ...]  # numbers of pairs with their openings


def play_plans(plans: Sequence[MatchPlan], pool: Pool, finished: Sequence[int]) -> Iterator[tuple[int, list[Numbered]]]:
    """Plays all games of each plan except its first `finished` games; yields the index of a plan with some of its
    games.

    The games of one plan are yielded in ascending order, those of different plans in turn. The first pair of each plan
    is played first, to estimate the time of the others.
    """
    missing = [_missing_pairs(plan, games) for plan, games in zip(plans, finished, strict=True)]
    pairs_per_task = [1] * len(plans)
    probes = [Task(match, plans[match], tuple(pairs[:1])) for match, pairs in enumerate(missing) if pairs]
    for task, games in zip(probes, pool.map(play_pairs, probes), strict=True):
        pairs_per_task[task.match] = _pairs_per_task(games)
        yield task.match, games
    tasks = [
        Task(match, plans[match], tuple(pairs[start : start + pairs_per_task[match]]))
        for match, pairs in enumerate(missing)
        for start in range(1, len(pairs), pairs_per_task[match])
    ]
    tasks.sort(key=lambda task: task.pairs[0][0])
    for task, games in zip(tasks, pool.map(play_pairs, tasks), strict=True):
        yield task.match, games


def play_pairs(task: Task) -> list[Numbered]:
    """The games of a task, in a worker process."""
    plan = task.plan
    for agent in (plan.a, plan.b):
        make_ready(agent, plan.spec)  # otherwise the time of the first move would include loading compiled code
    games = []
    for pair, opening in task.pairs:
        for game in (0, 1):
            record = play_game(
                *plan.players(pair, game),
                opening=opening,
                move_seconds=plan.move_seconds,
                seed=plan.seed,
                tags={"Round": f"{pair + 1}.{game + 1}"},
            )
            games.append((2 * pair + game, record))
    return games


@lru_cache(maxsize=256)
def make_ready(agent: str, spec: GameSpec) -> None:
    """Loads code and data of an agent, once in a process, so that the time of its first move does not include it."""
    kind, _ = parse_agent(agent)
    if kind.is_custom or kind.runs_code:
        return
    try:
        made = make_agent(agent)
        if isinstance(made, PreparedAgent):
            made.prepare(spec)
        made.decide(Position.start(spec), limits=Limits(cancelled=lambda: True))
    except Exception:  # the error occurs again in a game, which the agent then loses
        return


def _missing_pairs(plan: MatchPlan, finished: int) -> list[tuple[int, Position]]:
    if finished >= plan.games:
        return []
    openings = find_openings(plan.spec, plan.games // 2, plan.openings, seed=plan.seed, plies=plan.opening_plies)
    return list(enumerate(openings))[finished // 2 :]


def _pairs_per_task(games: Sequence[Numbered]) -> int:
    """The number of pairs like this one in a task of the target length."""
    seconds = sum(ply.seconds or 0.0 for _, record in games for ply in record.plies)
    return max(1, int(min(_MAX_PAIRS_PER_TASK, _TASK_SECONDS / (seconds + 1e-6))))


# --- with a store: no game is played twice, and every batch is stored immediately ---


def stored_games(plan: MatchPlan, store: Store) -> list[GameRecord]:
    """The games of a plan that the store has. The store may be read-only."""
    match_id = store.find_match(plan.entry().key)
    return [] if match_id is None else plan.seen_by_a(islice(store.games(match_id=match_id), plan.games))


def play_missing(
    plans: Sequence[MatchPlan], store: Store, *, workers: Workers = 1
) -> Iterator[tuple[int, list[GameRecord]]]:
    """Plays the games that the store lacks; yields the index of a plan with some of its games, ascending for each plan.

    A batch is yielded after it has been stored. Since batches are stored in order, the stored games of a match are
    always its first ones.
    """
    check_workers(workers)
    match_ids = [store.add_match(plan.entry()) for plan in plans]
    finished = [len(store.finished_numbers(match_id)) for match_id in match_ids]
    with open_pool(workers) as pool:
        for match, games in play_plans([plan.in_order() for plan in plans], pool, finished):
            store.add_games(match_ids[match], games)
            yield match, plans[match].seen_by_a(record for _, record in games)


def play_into_store(
    plans: Sequence[MatchPlan], store: Store, *, workers: Workers = 1
) -> Iterator[tuple[int, list[GameRecord]]]:
    """All games of the plans: the stored games, then those of `play_missing`."""
    check_workers(workers)
    for match, plan in enumerate(plans):
        yield match, stored_games(plan, store)
    yield from play_missing(plans, store, workers=workers)


# --- results ---


@dataclass(frozen=True, slots=True)
class AgentCost:
    """Means and medians of an agent's costs per move, and the number of games that it lost by a fault."""

    seconds_per_move: float | None
    nodes_per_move: float | None  # None for agents that do not count nodes
    illegal_moves: int
    crashes: int
    time_outs: int
    median_seconds_per_move: float | None = None  # unlike the mean, not affected by a few slow moves
    median_nodes_per_move: float | None = None

    @property
    def faults(self) -> dict[str, int]:
        return {"illegal_moves": self.illegal_moves, "crashes": self.crashes, "time_outs": self.time_outs}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSummary(Tally):
    """The tally of a match for a, and the costs of its games."""

    a: str
    b: str
    board: str
    openings: int
    """The number of distinct openings."""
    opening_plies: int
    plies_per_game: float
    cost: dict[str, AgentCost]
    """By player: `a` and `b`."""
    seed: int | None
    sprt: SprtResult | None = None
    """The state of the sequential test, if there was one."""

    def row(self) -> dict[str, object]:
        """The match as a row of a table."""
        low, high = self.score_interval
        elo_low, elo_high = self.elo_interval
        return {
            "a": self.a,
            "b": self.b,
            **self.total.to_dict(),
            **{"score": self.score, "score_low": low, "score_high": high},
            **{"elo": self.elo, "elo_low": elo_low, "elo_high": elo_high, "plies_per_game": self.plies_per_game},
            **{f"{side}_{name}": getattr(cost, name) for side, cost in self.cost.items() for name in _COSTS},
        }

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON, with 95 % intervals; an infinite Elo difference is None."""
        names = {"a": self.a, "b": self.b, "board": self.board}
        return {**names, **Tally.to_dict(self), **{name: getattr(self, name) for name in _FIGURES}}


def summarise(records: Sequence[GameRecord], sprt: Sprt | None = None) -> MatchSummary:
    """The summary of pairs of games: a is the first side in even records, b in odd records."""
    tally = Tally.of_pairs(records)
    actions = [record.actions for record in records]
    return MatchSummary(
        as_first=tally.as_first,
        as_second=tally.as_second,
        pairs=tally.pairs,
        a=records[0].first,
        b=records[0].second,
        board=records[0].board,
        openings=len({moves[: records[0].opening] for moves in actions}),
        opening_plies=records[0].opening,
        plies_per_game=sum(map(len, actions)) / len(records),
        cost={"a": _cost(records, 0), "b": _cost(records, 1)},
        seed=records[0].seed,
        sprt=None if sprt is None else sprt.result(tally.pairs),
    )


def _cost(records: Sequence[GameRecord], player: int) -> AgentCost:
    """The cost of a (player 0) or b (player 1)."""
    plies: list[Ply] = []
    faults: list[str] = []
    for number, record in enumerate(records):
        side = 1 + (number + player) % 2
        plies += record.plies[(side - 1 - record.opening) % 2 :: 2]
        if record.fault is not None and record.winner != side:
            faults.append(record.termination)
    nodes = [ply.nodes for ply in plies if ply.nodes is not None]
    seconds = [ply.seconds or 0.0 for ply in plies]
    return AgentCost(
        seconds_per_move=sum(seconds) / len(seconds) if seconds else None,
        nodes_per_move=sum(nodes) / len(nodes) if nodes else None,
        illegal_moves=faults.count("illegal move"),
        crashes=faults.count("crash"),
        time_outs=faults.count("time-out"),
        median_seconds_per_move=median(seconds) if seconds else None,
        median_nodes_per_move=median(nodes) if nodes else None,
    )


# --- one match ---


@dataclass(frozen=True, slots=True, repr=False)
class Match(PlottedResult):
    """The games of a match and their summary."""

    summary: MatchSummary
    records: tuple[GameRecord, ...]
    """In pairs: a moves first in even records, b in odd records."""

    def __repr__(self) -> str:
        found = self.summary
        return f"<Match {found.a} - {found.b} on {found.board}: {found.points:g} of {found.games} points>"

    def rows(self) -> list[dict[str, object]]:
        """A row for each game."""
        return [game_row(record) for record in self.records]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `inarow match`."""
        return self.summary.to_dict()

    def to_csv(self, path: Path | str) -> None:
        """Writes a line for each game, with the time of each move."""
        write_games(path, self.records)


def play_match(
    a: AgentLike,
    b: AgentLike,
    spec: Board = CONNECT_FOUR,
    *,
    games: int = 100,
    seed: int = 0,
    workers: Workers = 1,
    openings: OpeningKind = "balanced",
    opening_plies: int | None = None,
    move_seconds: float | None = None,
    sprt: Sprt | None = None,
    store: Store | Path | str | None = None,
    progress: bool | Progress = True,
) -> Match:
    """Plays a match of `games` games (an even number) between two agents; with `sprt`, only until the test is decided.

    The games depend only on the arguments, not on the number of workers: every game has its own random streams and new
    agents, except agents passed as objects. Only `move_seconds` depends on the clock. The order of the two agents does
    not change the games. Games in the store are not played again; new ones are added to it.

    Raises InarowError, and Interrupted with the match of the finished pairs on Ctrl-C.
    """
    settings = MatchSettings(
        games=games, seed=seed, openings=openings, opening_plies=opening_plies, move_seconds=move_seconds
    )
    with agent_strings(a, b) as (one, other), opened(store) as results:
        plan = plan_match(one, other, GameSpec.parse(spec), settings)
        check_reachable((one, other), workers)
        return play_plan(plan, workers=workers, sprt=sprt, store=results, progress=progress)


def play_plan(
    plan: MatchPlan,
    *,
    workers: Workers = 1,
    sprt: Sprt | None = None,
    store: Store | None = None,
    progress: bool | Progress = True,
) -> Match:
    """Plays the match of a plan; see `play_match`."""
    from inarow.terminal import progress_bar

    records: list[GameRecord] = []

    def match() -> Match | None:
        pairs = tuple(records[: len(records) // 2 * 2])
        return Match(summarise(pairs, sprt), pairs) if pairs else None

    with progress_bar(f"{plan.a} - {plan.b}", is_shown=progress) as advance:
        try:
            for record in match_games(plan, workers=workers, sprt=sprt, store=store):
                records.append(record)
                advance(len(records), plan.games)
        except KeyboardInterrupt:
            raise Interrupted(f"stopped after {len(records)} of {plan.games} games", match()) from None
    finished = match()
    assert finished is not None
    return finished


def match_games(
    plan: MatchPlan, *, workers: Workers = 1, sprt: Sprt | None = None, store: Store | None = None
) -> Iterator[GameRecord]:
    """Yields the games of a plan in order; with `sprt` up to the pair that decides the test.

    Games in the store are not played again; new ones are added to it.
    """
    check_workers(workers)
    plans = [plan]
    batches = play_all(plans, workers) if store is None else play_into_store(plans, store, workers=workers)
    records = (record for _, batch in batches for record in batch)
    return records if sprt is None else until_decided(records, sprt)


def play_all(plans: Sequence[MatchPlan], workers: Workers) -> Iterator[tuple[int, list[GameRecord]]]:
    """Plays all games of the plans; yields the index of a plan with some of its games, ascending for each plan."""
    with open_pool(workers, tasks=sum(plan.games // 2 for plan in plans)) as pool:
        for match, games in play_plans([plan.in_order() for plan in plans], pool, [0] * len(plans)):
            yield match, plans[match].seen_by_a(record for _, record in games)
