"""Work on this machine: in this process, or in new processes (spawn).

Worker processes end when the block that opened them is left, and with this process, even by SIGKILL: each
has its own pipe, and ends when the pipe closes. The unexpected end of a worker is an error, since it
is a fault of the task or of the machine.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from typing import Any

from inarow.errors import TaskError, one_line
from inarow.workers.interrupts import ignore_stop_signals, interrupts_held_back
from inarow.workers.protocols import Outcome, Progress, Result, Task, WorkerProcesses, picklable_error, result_of

_ENDED = "a worker process ended unexpectedly"


class InProcessPool:
    """A pool that runs tasks in this process."""

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


class ProcessPool:
    """A pool of worker processes with a pipe each.

    A ProcessPoolExecutor cannot be used: its workers share one pipe, and the reader waits forever if a
    worker is killed while it sends a long result.
    """

    _AHEAD = 4  # tasks submitted per worker beyond the oldest unfinished one: keeps all busy, bounds memory

    def __init__(self, workers: int) -> None:
        self._window = workers * self._AHEAD
        self._maps = 0
        self._workers: list[_Worker] = []
        with interrupts_held_back():
            try:
                self._workers.extend(_Worker() for _ in range(workers))
            except BaseException:
                self.close()
                raise

    def worker_processes(self) -> WorkerProcesses:
        """The same processes, for use one by one."""
        return WorkerProcesses(LocalWorkerProcess(worker) for worker in self._workers)

    def close(self) -> None:
        """Ends all processes."""
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
            result = result_of(outcomes.pop(done), task)
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
                # One at a time: a second task would wait behind a long one while other workers are idle.
                while given < len(tasks) and (worker := self._least_busy(at_most=1)) is not None:
                    worker.give(self._maps, given, function, tasks[given])
                    given += 1
                outcomes = self._received()
            except (EOFError, OSError) as error:
                raise TaskError(next(iter(due.values())), _ENDED) from error
            for number in sorted(outcomes, key=lambda number: outcomes[number][1] is not None):  # failures last
                task = due.pop(number)
                yield task, result_of(outcomes[number], task)

    def _least_busy(self, *, at_most: int) -> _Worker | None:
        """The worker with the fewest tasks, or None if it has `at_most`."""
        worker = min(self._workers, key=lambda worker: len(worker.given))
        return worker if len(worker.given) < at_most else None

    def _received(self) -> dict[int, Outcome]:
        """Waits for outcomes; those of the current map, by number of the task. Empty if all belong to earlier maps."""
        ready = set(wait([worker.connection for worker in self._workers]))
        taken = [worker.take() for worker in self._workers if worker.connection in ready]
        return {number: outcome for of_map, number, outcome in taken if of_map == self._maps}


class LocalWorkerProcess:
    """A worker process of this machine; the state of modules stays for the next task."""

    def __init__(self, worker: _Worker) -> None:
        self._worker = worker
        self._tasks: deque[object] = deque()

    @property
    def due(self) -> int:
        return len(self._worker.given)

    def give(self, function: Callable[[Task], Any], task: Task) -> None:
        try:
            self._worker.give(0, 0, function, task)
        except OSError as error:
            raise TaskError(task, _ENDED) from error
        self._tasks.append(task)

    def take(self, seconds: float = 0.0) -> list[Any]:
        results: list[Any] = []
        while self.due and self._worker.connection.poll(0.0 if results else seconds):
            try:
                _, _, outcome = self._worker.take()
            except (EOFError, OSError) as error:
                raise TaskError(self._tasks[0], _ENDED) from error
            results.append(result_of(outcome, self._tasks.popleft()))
        return results


class _Worker:
    """A process, our end of its pipe, and the tasks whose outcomes it has not returned."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.given: deque[tuple[int, int]] = deque()
        self.process = context.Process(target=_work, args=(theirs,))
        self.process.start()
        theirs.close()  # only the worker has it now, so the pipe ends with the worker

    def give(self, of_map: int, number: int, function: Callable[[Task], Result], task: Task) -> None:
        """Raises OSError if the worker has ended."""
        self.connection.send((function, task))
        self.given.append((of_map, number))

    def take(self) -> tuple[int, int, Outcome]:
        """Waits for the oldest pending outcome; raises EOFError or OSError if the worker has ended."""
        outcome = self.connection.recv()
        return *self.given.popleft(), outcome


def _work(parent: Connection) -> None:
    """The main function of a worker: it ignores the signals that the parent handles, and ends when the pipe closes."""
    ignore_stop_signals()
    tasks: SimpleQueue[tuple[Callable[[Any], Any], Any]] = SimpleQueue()

    def read() -> None:
        try:
            while True:
                tasks.put(parent.recv())
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=read, name="inarow task reader", daemon=True).start()
    while True:
        function, task = tasks.get()
        try:
            parent.send((function(task), None))
        except Exception as error:
            parent.send((None, picklable_error(error)))
