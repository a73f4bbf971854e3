"""The process of a job: it works, reports progress, and can be paused or stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec

from inarow.arena.training import resume_run, start_run
from inarow.errors import one_line
from inarow.learning.learner import Progress
from inarow.web.arena_job import play_arena
from inarow.web.job import ArenaPlan, Plan, TrainPlan
from inarow.web.pool_process import limit_resources
from inarow.web.settings import JOB_MEMORY
from inarow.workers.interrupts import interrupt_main_thread, raise_interrupt
from inarow.workers.local import live_with_parent

_REPORT_SECONDS = 0.5  # between two reports of a training run
_SAVE_SECONDS = 10.0  # time to save what is done after the lab has ended


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

    def take(command: str) -> None:
        (running.clear if command == "pause" else running.set)()
        if command == "stop":
            interrupt_main_thread()

    def send(kind: str, content: bytes | str | None = None) -> None:
        with contextlib.suppress(OSError):  # the lab has ended, and this process will
            parent.send((kind, content))

    def report(known: dict[str, Any]) -> None:
        send("progress", msgspec.json.encode(known))

    try:
        live_with_parent(parent, take, at_end=_save_and_exit)  # from here on a stop may arrive at any moment
        if isinstance(plan, ArenaPlan):
            play_arena(plan, store, report, running.wait)
        else:
            _train(plan, runs / plan.name, report)
        send("ended")
    except KeyboardInterrupt:
        send("stopped")
    except MemoryError:
        send("failed", f"the job needs more than the {JOB_MEMORY >> 30} GB that it may have")
    except Exception as error:
        send("failed", one_line(error))


def _train(plan: TrainPlan, folder: Path, report: Callable[[dict[str, Any]], None]) -> None:
    """Starts the run, or resumes the one in its folder, where the page reads the curve."""
    is_new = not (folder / "config.json").exists()
    run = start_run(plan.document, folder, source=plan.name) if is_new else resume_run(folder)
    reported = 0.0

    def watch(progress: Progress) -> None:
        nonlocal reported
        if time.monotonic() - reported > _REPORT_SECONDS:
            reported = time.monotonic()
            report({"done": progress.done, "total": progress.total, "unit": progress.unit})

    run.train(watch)


def _save_and_exit() -> None:
    interrupt_main_thread()
    time.sleep(_SAVE_SECONDS)
    os._exit(1)
