"""A tournament as a job: its games go into the results store, its standings to the watching pages."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from inarow.arena.leaderboard import rank_agents
from inarow.arena.match import MatchSettings, play_into_store
from inarow.arena.store import Store
from inarow.arena.tally import CrossTable
from inarow.arena.tournament import TournamentPlan, plan_tournament
from inarow.games import GameRecord, GameSpec
from inarow.web.job import ArenaPlan
from inarow.web.pool_worker import Reporter

_REPORT_SECONDS = 0.5  # between reports: each fits the ratings again
_RECENT = 12
_SHOWN = ("board", "first", "second", "moves", "winner", "termination", "opening")  # of recent games


def to_tournament(plan: ArenaPlan) -> TournamentPlan:
    """The plan as the arena knows it; raises InarowError."""
    settings = MatchSettings(games=plan.games, seed=plan.seed, openings=plan.openings, move_seconds=plan.move_seconds)
    return plan_tournament(plan.agents, GameSpec.parse(plan.board), settings, gauntlet=plan.gauntlet)


def check_arena(plan: ArenaPlan, say: Reporter) -> None:
    """Raises InarowError. Runs in a search process, since finding balanced openings may need a search."""
    to_tournament(plan)


def play_arena(
    plan: ArenaPlan, path: Path, report: Callable[[dict[str, Any]], None], wait: Callable[[], object]
) -> None:
    """Plays the games that the store lacks. `wait` is called between batches and returns when work may continue."""
    tournament = to_tournament(plan)
    standings = LiveStandings(tournament)
    with Store.open(path) as store:
        run = store.start_run("tournament", msgspec.to_builtins(tournament), command="inarow serve")
        try:
            reported = 0.0
            for _, records in play_into_store(tournament.matches, store, workers=plan.workers):
                for record in records:
                    standings.add(record)
                if time.monotonic() - reported > _REPORT_SECONDS:
                    report(standings.snapshot())
                    reported = time.monotonic()
                wait()
        except BaseException as error:
            store.finish_run(run, "interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
            report(standings.snapshot())
            raise
        store.finish_run(run)
    report(standings.snapshot())


class LiveStandings:
    """Cross table and ratings that grow game by game."""

    def __init__(self, tournament: TournamentPlan) -> None:
        self._tournament = tournament
        self._cross = CrossTable()
        self._recent: deque[GameRecord] = deque(maxlen=_RECENT)

    def add(self, record: GameRecord) -> None:
        self._cross.add_game(record)
        self._recent.appendleft(record)

    def snapshot(self) -> dict[str, Any]:
        """JSON: `done, total, agents, cross [[points, games] per opponent], ratings, recent`."""
        agents = self._tournament.agents
        tallies = [[self._cross.tally(agent, opponent) for opponent in agents] for agent in agents]
        groups = rank_agents(self._tournament.board, self._cross).to_dict()["groups"]
        return {
            "done": self._cross.games,
            "total": self._tournament.games,
            "agents": agents,
            "cross": [[[tally.points, tally.games] for tally in row] for row in tallies],
            "ratings": [{**row, "group": number} for number, group in enumerate(groups) for row in group["table"]],
            "recent": [{name: getattr(record, name) for name in _SHOWN} for record in self._recent],
        }
