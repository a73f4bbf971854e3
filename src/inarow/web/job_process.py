"""What the process of a job does: it works, tells how far it is, and can be paused or stopped."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec

from inarow.errors import one_line
from inarow.web.arena_job import play_arena
from inarow.web.job import ArenaPlan, Plan, TrainPlan
from inarow.web.pool_process import live_with_parent, yield_to_people
from inarow.web.settings import JOB_MEMORY
from inarow.workers.interrupts import interrupt_main_thread, raise_interrupt

_LAST_WORDS = 10.0
"""Seconds in which a job whose lab is gone may save what it has."""


def run_job(parent: Connection, plan: Plan, runs: Path, store: Path) -> None:
    """The life of a job process. Tells ("told", JSON) any number of times, then ("ended", None), ("stopped", None) or
    ("failed", why).
    """
    signal.signal(signal.SIGINT, raise_interrupt)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    yield_to_people(JOB_MEMORY, niceness=5)
    going_on = threading.Event()
    going_on.set()

    def take(command: str) -> None:
        if command == "stop":
            going_on.set()
            interrupt_main_thread()
        else:
            (going_on.clear if command == "pause" else going_on.set)()

    def send(kind: str, content: bytes | str | None = None) -> None:
        with contextlib.suppress(OSError):  # the lab is gone, and so will this process be
            parent.send((kind, content))

    try:
        live_with_parent(parent, take, at_the_end=_save_and_go)  # from here on a stop may come at any moment
        _work(plan, runs, store, lambda known: send("told", msgspec.json.encode(known)), going_on.wait)
        send("ended")
    except KeyboardInterrupt:
        send("stopped")
    except MemoryError:
        send("failed", f"the job needs more than the {JOB_MEMORY >> 30} GB that it may have")
    except Exception as error:
        send("failed", one_line(error))


def _work(
    plan: Plan, runs: Path, store: Path, tell: Callable[[dict[str, Any]], None], wait: Callable[[], object]
) -> None:
    if isinstance(plan, ArenaPlan):
        play_arena(plan, store, tell, wait)
    else:
        _train(plan, runs / plan.name)


def _train(plan: TrainPlan, folder: Path) -> None:
    """Starts the run, or goes on with what is in its folder. Its curve is read from there."""
    from inarow.cli.train import find_trainer
    from inarow.cli.training import TrainingRequest

    is_new = not (folder / "config.json").exists()
    request = TrainingRequest(plan.document if is_new else None, plan.name, folder, json=True)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        find_trainer(plan.document, plan.name)(request)


def _save_and_go() -> None:
    interrupt_main_thread()
    time.sleep(_LAST_WORDS)
    os._exit(1)
