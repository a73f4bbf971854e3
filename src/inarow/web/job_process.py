"""The process of a job: it plays or trains, reports progress, and can be paused or stopped.

The games of a tournament are written to the results store, its standings are sent to the pages.
"""

import contextlib
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec

from inarow.arena.leaderboard import rank_agents
from inarow.arena.match import play_into_store
from inarow.arena.match_plan import MatchSettings
from inarow.arena.store import Store
from inarow.arena.tally import CrossTable
from inarow.arena.tournament import TournamentPlan, plan_tournament
from inarow.arena.training import resume_run, start_run
from inarow.errors import one_line
from inarow.games import GameRecord, GameSpec
from inarow.web.job import ArenaPlan, Plan, TrainPlan
from inarow.web.pool_process import limit_resources
from inarow.web.pool_worker import Reporter
from inarow.web.settings import JOB_MEMORY
from inarow.workers.interrupts import interrupt_main_thread, raise_interrupt
from inarow.workers.local import live_with_parent

_REPORT_SECONDS = 0.5  # between reports: each report of a tournament fits the ratings
_SAVE_SECONDS = 10.0  # time to save after the lab has ended
_RECENT = 12
_SHOWN = ("board", "first", "second", "moves", "winner", "termination", "opening")  # of recent games

Known = Callable[[], dict[str, Any]]


def run_job(parent: Connection, plan: Plan, runs: Path, store: Path) -> None:
    """Runs a job. Sends ("progress", JSON) any number of times, then ("ended", None), ("stopped", None) or
    ("failed", reason).
    """
    limit_resources(JOB_MEMORY, niceness=5)
    signal.signal(signal.SIGINT, raise_interrupt)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    running = threading.Event()
    running.set()
    reported = 0.0

    def take(command: str) -> None:
        (running.clear if command == "pause" else running.set)()
        if command == "stop":
            interrupt_main_thread()

    def send(kind: str, content: bytes | str | None = None) -> None:
        with contextlib.suppress(OSError):  # the lab has ended, and this process ends soon
            parent.send((kind, content))

    def report(known: Known, *, at_once: bool = False) -> None:
        nonlocal reported
        if at_once or time.monotonic() - reported > _REPORT_SECONDS:
            send("progress", msgspec.json.encode(known()))
            reported = time.monotonic()

    try:
        live_with_parent(parent, take, at_end=_save_and_exit)  # from now on a stop may arrive at any time
        if isinstance(plan, ArenaPlan):
            _play(plan, store, report, running.wait)
        else:
            _train(plan, runs / plan.name, report)
        send("ended")
    except KeyboardInterrupt:
        send("stopped")
    except MemoryError:
        send("failed", f"the job needs more than its limit of {JOB_MEMORY >> 30} GB of memory")
    except Exception as error:
        send("failed", one_line(error))


def _train(plan: TrainPlan, folder: Path, report: Callable[[Known], None]) -> None:
    """Starts the run, or resumes the run in its folder, from which the page reads the curve."""
    is_new = not (folder / "config.json").exists()
    run = start_run(plan.document, folder, source=plan.name) if is_new else resume_run(folder)
    run.train(lambda known: report(lambda: {"done": known.done, "total": known.total, "unit": known.unit}))


def _save_and_exit() -> None:
    interrupt_main_thread()
    time.sleep(_SAVE_SECONDS)
    os._exit(1)


# --- Tournaments ---


def check_arena(plan: ArenaPlan, say: Reporter) -> None:
    """Raises InarowError. Runs in a search process, since finding balanced openings may need a search."""
    _to_tournament(plan)


def _to_tournament(plan: ArenaPlan) -> TournamentPlan:
    settings = MatchSettings(games=plan.games, seed=plan.seed, openings=plan.openings, move_seconds=plan.move_seconds)
    return plan_tournament(plan.agents, GameSpec.parse(plan.board), settings, gauntlet=plan.gauntlet)


def _play(plan: ArenaPlan, path: Path, report: Callable[..., None], wait: Callable[[], object]) -> None:
    """Plays the games that the store lacks. `wait` is called between batches and returns when work may continue."""
    tournament, cross = _to_tournament(plan), CrossTable()
    recent: deque[GameRecord] = deque(maxlen=_RECENT)

    def standings() -> dict[str, Any]:
        """JSON: `done, total, agents, cross [[points, games] per opponent], ratings, recent`."""
        agents = tournament.agents
        tallies = [[cross.tally(agent, opponent) for opponent in agents] for agent in agents]
        groups = rank_agents(tournament.board, cross).to_dict()["groups"]
        return {
            "done": cross.games,
            "total": tournament.games,
            "agents": agents,
            "cross": [[[tally.points, tally.games] for tally in row] for row in tallies],
            "ratings": [{**row, "group": number} for number, group in enumerate(groups) for row in group["table"]],
            "recent": [{name: getattr(record, name) for name in _SHOWN} for record in recent],
        }

    with Store(path) as store:
        run = store.start_run("tournament", msgspec.to_builtins(tournament), command="inarow serve")
        try:
            for _, records in play_into_store(tournament.matches, store, workers=plan.workers):
                for record in records:
                    cross.add_game(record)
                    recent.appendleft(record)
                report(standings)
                wait()
        except BaseException as error:
            store.finish_run(run, "interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
            raise
        else:
            store.finish_run(run)
        finally:
            report(standings, at_once=True)
