"""Playing matches into a store: what it has is not played again, what is played is kept at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from inarow.arena.schedule import MatchPlan, play_plans
from inarow.arena.store import Store
from inarow.games.record import GameRecord
from inarow.workers import Workers, check_workers, open_pool


def play_into_store(
    plans: Sequence[MatchPlan], store: Store, *, workers: Workers = 1
) -> Iterator[tuple[int, list[GameRecord]]]:
    """All games of the plans: index of a plan, some games of it, in ascending order for each plan.

    The games that the store has come first; every other batch comes after it was written. Since
    batches are written in order, the games of a match that are there are always its first ones.
    """
    check_workers(workers)
    match_ids = [store.add_match(plan.entry()) for plan in plans]
    finished = [len(store.finished_numbers(match_id)) for match_id in match_ids]
    for match, plan in enumerate(plans):
        yield match, stored_games(plan, store)
    with open_pool(workers) as pool:
        for match, games in play_plans([plan.in_order() for plan in plans], pool, finished):
            store.add_games(match_ids[match], games)
            yield match, plans[match].seen_by_a(record for _, record in games)


def stored_games(plan: MatchPlan, store: Store) -> list[GameRecord]:
    """The games of a plan that the store has."""
    return plan.seen_by_a(islice(store.games(match_id=store.add_match(plan.entry())), plan.games))
