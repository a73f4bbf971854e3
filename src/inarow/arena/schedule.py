"""What matches play, as values, and how workers play it.

A match is cut into tasks of whole pairs. Every game has its own random streams and fresh agents,
so a game follows from its plan and its number, however the tasks are cut and whoever plays them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inarow import __version__
from inarow.agents.agent import check_board
from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.arena.openings import OpeningKind, OpeningSource, find_openings, opening_source, usual_plies
from inarow.arena.store_entries import AgentIdentity, MatchEntry, to_json
from inarow.errors import InvalidLimitError
from inarow.games.position import Position
from inarow.games.record import GameRecord
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.workers import Pool

MAX_GAMES = 1_000_000
_TASK_SECONDS = 0.25
"""How long a task should last: what a kill can cost, against the price of handing it out."""
_MAX_PAIRS_PER_TASK = 32

Numbered = tuple[int, GameRecord]
"""A game with its number in its match: a moves first in the even ones, b in the odd ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """Everything that decides the games of a match; `plan_match` makes one that holds together."""

    a: str
    """Agent string, in its shortest form."""
    b: str
    spec: GameSpec
    games: int
    """An even number. The games of a shorter match are the first ones of a longer one."""
    seed: int
    openings: OpeningSource
    opening_plies: int
    move_seconds: float | None
    """A decision that takes longer loses the game."""

    def in_order(self) -> MatchPlan:
        """The same match with its agents in the order of their names: so it is played and kept, whichever of them
        is asked for first. Otherwise deterministic agents would play the same games in two matches.
        """
        a, b = sorted((self.a, self.b))
        return replace(self, a=a, b=b)

    def seen_by_a(self, records: Iterable[GameRecord]) -> list[GameRecord]:
        """Whole pairs of games of `in_order`, in each pair that in which a moves first ahead."""
        records = list(records)
        if self.a <= self.b:
            return records
        pairs = zip(records[1::2], records[::2], strict=False)  # half a pair is played again
        return [record for pair in pairs for record in pair]

    def entry(self) -> MatchEntry:
        """The match as the store keeps it, under a key that follows from what decides its games."""
        a, b = (AgentIdentity.parse(agent) for agent in sorted((self.a, self.b)))
        settings = {"openings": self.openings, "move_seconds": self.move_seconds, "version": __version__}
        decisive = (str(self.spec), a, b, self.seed, self.opening_plies, settings)
        return MatchEntry(
            key=hashlib.blake2b(to_json(decisive).encode(), digest_size=16).hexdigest(),
            board=str(self.spec),
            a=a,
            b=b,
            seed=self.seed,
            opening_plies=self.opening_plies,
            settings=settings,
        )


def plan_match(
    a: str,
    b: str,
    spec: GameSpec = CONNECT_FOUR,
    *,
    games: int = 100,
    seed: int = 0,
    openings: OpeningKind = "balanced",
    opening_plies: int | None = None,
    move_seconds: float | None = None,
) -> MatchPlan:
    """A checked plan; raises InarowError, also if an agent does not play the board."""
    if not 2 <= games <= MAX_GAMES or games % 2:
        raise InvalidLimitError(f"games is {games}; it must be even, 2 to {MAX_GAMES}: each opening is played twice")
    check_seed(seed)
    if move_seconds is not None and not 0 < move_seconds < float("inf"):
        raise InvalidLimitError(f"move-seconds is {move_seconds:g}; it must be above 0")
    agents = make_agent(a), make_agent(b)
    for agent in agents:
        check_board(agent, spec)
    plies = usual_plies(spec, games // 2, openings) if opening_plies is None else opening_plies
    source = opening_source(spec, openings, plies)
    find_openings(spec, 1, source, seed=seed, plies=plies)  # raises if there are none
    return MatchPlan(
        a=agents[0].name,
        b=agents[1].name,
        spec=spec,
        games=games,
        seed=seed,
        openings=source,
        opening_plies=plies,
        move_seconds=move_seconds,
    )


def check_seed(seed: int) -> None:
    """Raises InvalidLimitError for a seed that no match has."""
    if not 0 <= seed < 2**63:
        raise InvalidLimitError(f"seed is {seed}; it must be 0 to 2^63 - 1")


@dataclass(frozen=True, slots=True)
class _Task:
    match: int
    """Index of the plan among those that are played."""
    plan: MatchPlan
    pairs: tuple[tuple[int, Position], ...]
    """Numbers of pairs with their openings."""


def play_plans(plans: Sequence[MatchPlan], pool: Pool, finished: Sequence[int]) -> Iterator[tuple[int, list[Numbered]]]:
    """All games but the first `finished` of each plan: index of a plan, some games of it.

    The games of one plan come in ascending order, those of different plans in turns. One pair of
    each comes first and shows how long the rest takes.
    """
    missing = [_missing_pairs(plan, games) for plan, games in zip(plans, finished, strict=True)]
    pairs_per_task = [1] * len(plans)
    probes = [_Task(match, plans[match], tuple(pairs[:1])) for match, pairs in enumerate(missing) if pairs]
    for task, games in zip(probes, pool.map(_play_pairs, probes), strict=True):
        pairs_per_task[task.match] = _pairs_per_task(games)
        yield task.match, games
    tasks = [
        _Task(match, plans[match], tuple(pairs[start : start + pairs_per_task[match]]))
        for match, pairs in enumerate(missing)
        for start in range(1, len(pairs), pairs_per_task[match])
    ]
    tasks.sort(key=lambda task: task.pairs[0][0])
    for task, games in zip(tasks, pool.map(_play_pairs, tasks), strict=True):
        yield task.match, games


def _missing_pairs(plan: MatchPlan, finished: int) -> list[tuple[int, Position]]:
    if finished >= plan.games:
        return []
    openings = find_openings(plan.spec, plan.games // 2, plan.openings, seed=plan.seed, plies=plan.opening_plies)
    return list(enumerate(openings))[finished // 2 :]


def _pairs_per_task(games: Sequence[Numbered]) -> int:
    """How many pairs like this one make a task of the wanted length."""
    seconds = sum(ply.seconds or 0.0 for _, record in games for ply in record.plies)
    return max(1, int(min(_MAX_PAIRS_PER_TASK, _TASK_SECONDS / (seconds + 1e-6))))


def _play_pairs(task: _Task) -> list[Numbered]:
    plan = task.plan
    games = []
    for pair, opening in task.pairs:
        for game, players in enumerate(((plan.a, plan.b), (plan.b, plan.a))):
            first, second = (
                make_agent(text, seed=np.random.SeedSequence(plan.seed, spawn_key=(pair, game, side)))
                for side, text in enumerate(players)
            )
            record = play_game(
                first,
                second,
                opening=opening,
                move_seconds=plan.move_seconds,
                seed=plan.seed,
                tags={"Round": f"{pair + 1}.{game + 1}"},
            )
            games.append((2 * pair + game, record))
    return games
