"""Work on this machine: in this process, or in processes started afresh (spawn).

Processes end when the block that opened them is left, and with this process, even by SIGKILL: each has a
pipe of its own, and its end is the worker's end. One that dies is an error, for it is a fault of the task
or of the machine.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from typing import Any

from inarow.errors import TaskError, one_line
from inarow.workers.interrupts import interrupts_held_back
from inarow.workers.protocols import Outcome, Progress, Result, Task, WorkerProcesses, that_can_travel

_ENDED = "a worker process ended unexpectedly"


class InProcess:
    """This process as a pool."""

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

    def as_completed(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        tasks = list(tasks)
        yield from zip(tasks, self.map(function, tasks), strict=True)


class Processes:
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

    def worker_processes(self) -> WorkerProcesses:
        """The same workers, one by one."""
        return WorkerProcesses(ProcessCompanion(worker) for worker in self._workers)

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
        outcomes: dict[int, Outcome] = {}
        for done, task in enumerate(tasks):
            while done not in outcomes:
                try:
                    within = min(done + self._window, len(tasks))
                    while given < within and (worker := self._least_busy(at_most=2)) is not None:
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

    def as_completed(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        tasks = list(tasks)
        self._maps += 1
        given = 0
        due = dict(enumerate(tasks))
        while due:
            try:
                # One at a time: another task would wait behind a long one while somebody else is free.
                while given < len(tasks) and (worker := self._least_busy(at_most=1)) is not None:
                    worker.give(self._maps, given, function, tasks[given])
                    given += 1
                outcomes = self._received()
            except (EOFError, OSError) as error:
                raise TaskError(next(iter(due.values())), _ENDED) from error
            failed = [(due[number], failure) for number, (_, failure) in outcomes.items() if failure is not None]
            for number, (result, failure) in outcomes.items():
                task = due.pop(number)
                if failure is None:
                    yield task, result
            if failed:
                task, failure = failed[0]
                raise TaskError(task, one_line(failure)) from failure

    def _least_busy(self, *, at_most: int) -> _Worker | None:
        """The worker with the fewest tasks, unless it has `at_most`: one to do, and another to go on with."""
        worker = min(self._workers, key=lambda worker: len(worker.given))
        return worker if len(worker.given) < at_most else None

    def _received(self) -> dict[int, Outcome]:
        """By the number of the task, at least one outcome of this map, or some of an earlier one."""
        ready = set(wait([worker.connection for worker in self._workers]))
        taken = [worker.take() for worker in self._workers if worker.connection in ready]
        return {number: outcome for of_map, number, outcome in taken if of_map == self._maps}


class ProcessCompanion:
    """A process that is a worker_process: what a function keeps in its module stays there for the next task."""

    def __init__(self, worker: _Worker) -> None:
        self._worker = worker

    @property
    def due(self) -> int:
        return len(self._worker.given)

    def give(self, function: Callable[[Task], Any], task: Task) -> None:
        try:
            self._worker.give(0, 0, function, task)
        except OSError as error:
            raise TaskError(task, _ENDED) from error

    def take(self, seconds: float = 0.0) -> list[Any]:
        results: list[Any] = []
        while self.due and self._worker.connection.poll(0.0 if results else seconds):
            try:
                _, _, (result, failure) = self._worker.take()
            except (EOFError, OSError) as error:
                raise TaskError("of a worker_process", _ENDED) from error
            if failure is not None:
                raise TaskError("of a worker_process", one_line(failure)) from failure
            results.append(result)
        return results


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

    def take(self) -> tuple[int, int, Outcome]:
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
            parent.send((None, that_can_travel(error)))
