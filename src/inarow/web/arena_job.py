"""A tournament as a job: its games go into the results store, its standings to whoever looks on."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from inarow.arena.ratings import Results, fit_ratings, linked_groups
from inarow.arena.resume import play_into_store
from inarow.arena.standings import CrossTable
from inarow.arena.store import Store
from inarow.arena.tournament import TournamentPlan, plan_tournament
from inarow.games.record import GameRecord
from inarow.games.spec import GameSpec
from inarow.web.job import ArenaPlan
from inarow.web.pool_worker import Reporter

_TELL_EVERY = 0.5
"""Seconds; ratings are fitted anew each time."""
_RECENT = 12


def to_tournament(plan: ArenaPlan) -> TournamentPlan:
    """The plan as the arena knows it; raises InarowError."""
    return plan_tournament(
        plan.agents,
        GameSpec.parse(plan.board),
        games=plan.games,
        seed=plan.seed,
        gauntlet=plan.gauntlet,
        openings=plan.openings,
        move_seconds=plan.move_seconds,
    )


def check_arena(plan: ArenaPlan, say: Reporter) -> None:
    """A question for a search process, since balanced openings may have to be searched; raises InarowError."""
    to_tournament(plan)


def play_arena(plan: ArenaPlan, path: Path, tell: Callable[[dict[str, Any]], None], wait: Callable[[], object]) -> None:
    """Plays what the store does not have. `wait` is called between batches and returns when work may go on."""
    tournament = to_tournament(plan)
    standings = LiveStandings(tournament)
    with Store.open(path) as store:
        run = store.start_run("tournament", msgspec.to_builtins(tournament), command="inarow serve")
        try:
            told = 0.0
            for _, records in play_into_store(tournament.matches, store, workers=plan.workers):
                for record in records:
                    standings.add(record)
                if time.monotonic() - told > _TELL_EVERY:
                    tell(standings.snapshot())
                    told = time.monotonic()
                wait()
        except BaseException as error:
            store.finish_run(run, "interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
            tell(standings.snapshot())
            raise
        store.finish_run(run)
    tell(standings.snapshot())


class LiveStandings:
    """Cross table and ratings that grow game by game."""

    def __init__(self, tournament: TournamentPlan) -> None:
        self._tournament = tournament
        self._table = CrossTable(tournament.agents)
        self._winners: Counter[tuple[str, str, int | None]] = Counter()
        self._recent: deque[GameRecord] = deque(maxlen=_RECENT)
        self._done = 0

    def add(self, record: GameRecord) -> None:
        self._table.add(record)
        self._winners[record.first, record.second, record.winner] += 1
        self._recent.appendleft(record)
        self._done += 1

    def snapshot(self) -> dict[str, Any]:
        """JSON: `done, total, agents, cross [[points, games] per opponent], ratings, recent`."""
        agents = self._tournament.agents
        return {
            "done": self._done,
            "total": self._tournament.games,
            "agents": agents,
            "cross": [[[self._table.points(a, [b]), self._table.games(a, [b])] for b in agents] for a in agents],
            "ratings": self._ratings(),
            "recent": [
                {
                    "board": record.board,
                    "first": record.first,
                    "second": record.second,
                    "moves": record.moves,
                    "winner": record.winner,
                    "termination": record.termination,
                    "opening": record.opening,
                }
                for record in self._recent
            ],
        }

    def _ratings(self) -> list[dict[str, Any]]:
        """Of the agents that games link, strongest first, group by group."""
        pairs = {(first, second) for first, second, _ in self._winners}
        results = [
            Results(first, second, *(self._winners[first, second, winner] for winner in (1, None, 2)))
            for first, second in sorted(pairs)
        ]
        return [
            {
                "agent": rating.agent,
                "elo": rating.elo,
                "interval": rating.interval,
                "games": rating.games,
                "group": group,
            }
            for group, linked in enumerate(linked_groups(results))
            for rating in fit_ratings(linked).table
        ]
