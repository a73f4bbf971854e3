"""Running many independent tasks: one interface, whatever does the work.

A `Pool` maps a function over tasks, in order. `open_pool(1)` works in this process, `open_pool(n)`
in n processes started afresh (spawn), so functions, tasks and results must be picklable and the
function importable by name. Results do not depend on which pool is used.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Protocol, TypeVar

from inarow.errors import InvalidLimitError, TaskError, one_line

Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]
"""Called with (tasks done, tasks in all) each time the results grow."""

MAX_WORKERS = 256


class Pool(Protocol):
    """Something that works on tasks."""

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> Iterator[Result]:
        """The result of each task, in the order of the tasks, as soon as it and all before it are
        there. A task that raises ends the iteration with a TaskError that carries the task.
        """
        ...


def check_workers(workers: int) -> None:
    """Raises InvalidLimitError for a number of workers that no pool has."""
    if not 1 <= workers <= MAX_WORKERS:
        raise InvalidLimitError(f"workers is {workers}; it must be 1 to {MAX_WORKERS}")


@contextmanager
def open_pool(workers: int = 1) -> Iterator[Pool]:
    """A pool for the length of a `with` block. Leaving it by an exception, Ctrl-C among them, or
    the death of this process ends the worker processes at once, whatever they are doing.
    """
    check_workers(workers)
    if workers == 1:
        yield _InProcess()
        return
    context = multiprocessing.get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_live_with_parent, initargs=(theirs,))
    try:
        yield _Processes(executor, workers)
    finally:
        ours.close()  # the workers end on this
        executor.shutdown(cancel_futures=True)
        theirs.close()


class _InProcess:
    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> Iterator[Result]:
        tasks = list(tasks)
        for done, task in enumerate(tasks, start=1):
            try:
                result = function(task)
            except Exception as error:
                raise TaskError(task, one_line(error)) from error
            if progress is not None:
                progress(done, len(tasks))
            yield result


class _Processes:
    _AHEAD = 4
    """Tasks handed out per worker beyond the oldest unfinished one: keeps all busy, bounds memory."""

    def __init__(self, executor: ProcessPoolExecutor, workers: int) -> None:
        self._executor = executor
        self._window = workers * self._AHEAD

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> Iterator[Result]:
        tasks = list(tasks)
        futures: list[Future[Result]] = []
        for done, task in enumerate(tasks):
            while len(futures) < min(done + self._window, len(tasks)):
                futures.append(self._executor.submit(function, tasks[len(futures)]))
            try:
                result = futures[done].result()
            except BrokenProcessPool as error:
                raise TaskError(task, "a worker process ended unexpectedly") from error
            except Exception as error:
                raise TaskError(task, one_line(error)) from error
            futures[done] = Future()  # lets go of the result
            if progress is not None:
                progress(done + 1, len(tasks))
            yield result


def _live_with_parent(parent: Connection) -> None:
    """In a worker: Ctrl-C is the parent's business, and the end of `parent` is the worker's end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait_and_end() -> None:
        parent.poll(None)  # nothing is ever sent: ready means closed, by the parent or by its death
        os._exit(1)

    threading.Thread(target=wait_and_end, name="lives with parent", daemon=True).start()
