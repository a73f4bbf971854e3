"""A tournament: many agents, a match between each two of them, or between the first and each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from inarow.agents.registry import make_agent
from inarow.arena.openings import OpeningKind
from inarow.arena.resume import play_into_store, stored_games
from inarow.arena.schedule import MatchPlan, check_seed, plan_match
from inarow.arena.standings import TournamentSummary, sum_up
from inarow.arena.store import Store
from inarow.arena.summary import summarise
from inarow.errors import InvalidAgentError, InvalidLimitError, shown
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.workers import Workers


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlan:
    """Everything that decides the games of a tournament; `plan_tournament` makes one."""

    agents: tuple[str, ...]
    matches: tuple[MatchPlan, ...]
    gauntlet: bool
    seed: int

    @property
    def games(self) -> int:
        return sum(match.games for match in self.matches)


def plan_tournament(
    agents: Sequence[str],
    spec: GameSpec = CONNECT_FOUR,
    *,
    games: int = 100,
    seed: int = 0,
    gauntlet: bool = False,
    openings: OpeningKind = "balanced",
    opening_plies: int | None = None,
    move_seconds: float | None = None,
) -> TournamentPlan:
    """A checked plan in which all agents meet, or with `gauntlet` the first meets all others, in
    matches of `games` games.

    The match of two agents does not depend on the other agents or on their order, so a later
    tournament with more of them finds it in the store.
    """
    check_seed(seed)
    names = tuple(make_agent(agent).name for agent in agents)
    if len(names) < 2:
        raise InvalidLimitError(f"a tournament needs at least 2 agents; there {'are none' if not names else 'is 1'}")
    for name in names:
        if names.count(name) > 1:
            raise InvalidAgentError(f"{shown(name)} takes part more than once")
    pairings = combinations(names, 2) if not gauntlet else ((names[0], other) for other in names[1:])
    matches = tuple(
        plan_match(
            a,
            b,
            spec,
            games=games,
            seed=_match_seed(seed, a, b),
            openings=openings,
            opening_plies=opening_plies,
            move_seconds=move_seconds,
        )
        for a, b in map(sorted, pairings)
    )
    return TournamentPlan(agents=names, matches=matches, gauntlet=gauntlet, seed=seed)


def _match_seed(seed: int, a: str, b: str) -> int:
    """A seed of their own, lest an agent makes the same random choices against everybody."""
    digest = hashlib.blake2b(f"{seed} {a} {b}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def play_tournament(plan: TournamentPlan, store: Store, *, workers: Workers = 1) -> TournamentSummary:
    """Plays what the store does not have yet, into it, and sums up. `play_into_store` does the
    same with `plan.matches` batch by batch.
    """
    for _ in play_into_store(plan.matches, store, workers=workers):
        pass
    return summarise_tournament(plan, store)


def summarise_tournament(plan: TournamentPlan, store: Store) -> TournamentSummary:
    """The summary of a tournament whose games are all in the store."""
    matches = [summarise(stored_games(match, store)) for match in plan.matches]
    return sum_up(matches, seed=plan.seed, gauntlet=plan.gauntlet)
