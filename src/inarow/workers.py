"""Running many independent tasks: one interface, whatever does the work.

A `Pool` maps a function over tasks, in order. `open_pool(1)` works in this process, `open_pool(n)`
in n processes started afresh (spawn), so functions, tasks and results must be picklable and the
function importable by name. Results do not depend on which pool is used.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

from inarow.errors import InvalidLimitError, TaskError, one_line

Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]
"""Called with (tasks done, tasks in all) each time the results grow."""

MAX_WORKERS = 256
_ENDED = "a worker process ended unexpectedly"

_Outcome = tuple[Any, Exception | None]
"""What a task returned, or what it raised."""


class Pool(Protocol):
    """Something that works on tasks."""

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> Iterator[Result]:
        """The result of each task, in the order of the tasks, as soon as it and all before it are
        there. A task that raises ends the iteration with a TaskError that carries the task. A pool
        serves one map at a time: what another one has not yet returned is lost.
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
    pool = _Processes(workers)
    try:
        yield pool
    finally:
        pool.end()


class Companion:
    """A process that works on tasks one after the other while this one does something else.

    What a function keeps in its module stays there for the next task, so a companion can go on with what
    it has begun. Functions, tasks and results must be picklable, and the function importable by name.
    """

    def __init__(self, worker: _Worker) -> None:
        self._worker = worker

    @property
    def due(self) -> int:
        """Tasks whose results have not been taken."""
        return len(self._worker.given)

    def give(self, function: Callable[[Task], Any], task: Task) -> None:
        """Hands over a task; raises TaskError if the process has ended."""
        try:
            self._worker.give(0, 0, function, task)
        except OSError as error:
            raise TaskError(task, _ENDED) from error

    def take(self, seconds: float = 0.0) -> list[Any]:
        """The results that are there, or come within so many seconds, in the order of the tasks: at most one
        that had to be waited for. Raises TaskError for a task that failed.
        """
        results: list[Any] = []
        while self.due and self._worker.connection.poll(0.0 if results else seconds):
            try:
                _, _, (result, failure) = self._worker.take()
            except (EOFError, OSError) as error:
                raise TaskError("of a companion", _ENDED) from error
            if failure is not None:
                raise TaskError("of a companion", one_line(failure)) from failure
            results.append(result)
        return results


@contextmanager
def open_companions(number: int) -> Iterator[tuple[Companion, ...]]:
    """So many companions, none among them, for the length of a `with` block. Leaving it or the death of this
    process ends them at once, whatever they are doing.
    """
    if number == 0:
        yield ()
        return
    check_workers(number)
    processes = _Processes(number)
    try:
        yield tuple(Companion(worker) for worker in processes._workers)
    finally:
        processes.end()


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
    """Workers with a pipe each.

    A ProcessPoolExecutor does not serve here: its workers share one pipe, and one that is killed in
    the middle of a long result leaves the reader of that pipe waiting for ever.
    """

    _AHEAD = 4
    """Tasks handed out per worker beyond the oldest unfinished one: keeps all busy, bounds memory."""

    def __init__(self, workers: int) -> None:
        self._window = workers * self._AHEAD
        self._maps = 0
        self._workers: list[_Worker] = []
        with interrupts_held_back():
            try:
                self._workers.extend(_Worker() for _ in range(workers))
            except BaseException:
                self.end()
                raise

    def end(self) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> Iterator[Result]:
        tasks = list(tasks)
        self._maps += 1
        given = 0
        outcomes: dict[int, _Outcome] = {}
        for done, task in enumerate(tasks):
            while done not in outcomes:
                try:
                    while given < min(done + self._window, len(tasks)) and (worker := self._least_busy()) is not None:
                        worker.give(self._maps, given, function, tasks[given])
                        given += 1
                    outcomes.update(self._received())
                except (EOFError, OSError) as error:
                    raise TaskError(task, _ENDED) from error
            result, failure = outcomes.pop(done)
            if failure is not None:
                raise TaskError(task, one_line(failure)) from failure
            if progress is not None:
                progress(done + 1, len(tasks))
            yield result

    def _least_busy(self) -> _Worker | None:
        """The worker with the fewest tasks, unless it has one to do and another to go on with."""
        worker = min(self._workers, key=lambda worker: len(worker.given))
        return worker if len(worker.given) < 2 else None

    def _received(self) -> dict[int, _Outcome]:
        """By the number of the task, at least one outcome of this map, or some of an earlier one."""
        ready = set(wait([worker.connection for worker in self._workers]))
        taken = [worker.take() for worker in self._workers if worker.connection in ready]
        return {number: outcome for of_map, number, outcome in taken if of_map == self._maps}


class _Worker:
    """A process, our end of its pipe, and what it has been given and not yet returned."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.given: deque[tuple[int, int]] = deque()
        self.process = context.Process(target=_work, args=(theirs,))
        self.process.start()
        theirs.close()  # the worker has the only one: its end is seen here as the end of the pipe

    def give(self, of_map: int, number: int, function: Callable[[Task], Result], task: Task) -> None:
        """Raises OSError if the worker has ended."""
        self.connection.send((function, task))
        self.given.append((of_map, number))

    def take(self) -> tuple[int, int, _Outcome]:
        """Waits for the oldest outcome that is due; raises EOFError or OSError if the worker has ended."""
        outcome = self.connection.recv()
        return *self.given.popleft(), outcome


def _work(parent: Connection) -> None:
    """A worker's life: Ctrl-C is the parent's business, and the end of its pipe the worker's end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks: SimpleQueue[tuple[Callable[[Any], Any], Any]] = SimpleQueue()

    def read() -> None:
        try:
            while True:
                tasks.put(parent.recv())
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=read, name="lives with parent", daemon=True).start()
    while True:
        function, task = tasks.get()
        try:
            parent.send((function(task), None))
        except Exception as error:
            parent.send((None, _that_can_travel(error)))


def _that_can_travel(error: Exception) -> Exception:
    """The error itself, or its text if it does not survive the way to another process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {one_line(error)}")
    return error


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Ctrl-C waits for the end of the block, whichever thread the signal reaches: for short work that must
    not be torn in two. Outside the main thread, which alone sees Ctrl-C, it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Ctrl-C waits for the end of the block, and processes started in it never see one."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
