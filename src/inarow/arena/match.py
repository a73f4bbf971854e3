"""A match: two agents, many openings, each played twice with sides swapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inarow.arena.openings import OpeningKind
from inarow.arena.resume import play_into_store
from inarow.arena.schedule import MatchPlan, plan_match, play_plans
from inarow.arena.sprt import Sprt, until_decided
from inarow.arena.store import Store
from inarow.arena.summary import MatchSummary, summarise
from inarow.games.record import GameRecord
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.workers import Workers, check_workers, open_pool


@dataclass(frozen=True, slots=True)
class Match:
    """What was played, and what it says."""

    summary: MatchSummary
    records: tuple[GameRecord, ...]
    """In pairs: a moves first in the even ones, b in the odd ones."""


def play_match(
    a: str,
    b: str,
    spec: GameSpec = CONNECT_FOUR,
    *,
    games: int = 100,
    seed: int = 0,
    workers: Workers = 1,
    openings: OpeningKind = "balanced",
    opening_plies: int | None = None,
    move_seconds: float | None = None,
    sprt: Sprt | None = None,
) -> Match:
    """Plays `games` (an even number) between two agent strings and sums them up; with `sprt`, only
    until the test is decided.

    The games follow from the arguments alone, however many workers play them: every game has its
    own random streams, and agents are made anew for it. Only `move_seconds` brings in the clock. Asked
    for in the other order, two agents play the same games.
    """
    plan = plan_match(
        a,
        b,
        spec,
        games=games,
        seed=seed,
        openings=openings,
        opening_plies=opening_plies,
        move_seconds=move_seconds,
    )
    records = tuple(match_games(plan, workers=workers, sprt=sprt))
    return Match(summarise(records, sprt), records)


def match_games(
    plan: MatchPlan, *, workers: Workers = 1, sprt: Sprt | None = None, store: Store | None = None
) -> Iterator[GameRecord]:
    """The games of a plan one by one, in order; with `sprt` up to the pair that decides the test.

    With a store, games that it has are taken from there, and new ones are kept in it.
    """
    check_workers(workers)
    if store is None:
        records = _played(plan, workers)
    else:
        batches = play_into_store([plan], store, workers=workers)
        records = (record for _, batch in batches for record in batch)
    return records if sprt is None else until_decided(records, sprt)


def _played(plan: MatchPlan, workers: Workers) -> Iterator[GameRecord]:
    with open_pool(workers, tasks=plan.games // 2) as pool:
        for _, games in play_plans([plan.in_order()], pool, [0]):
            yield from plan.seen_by_a(record for _, record in games)
