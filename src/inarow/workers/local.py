"""Work on this machine: in this process, or in new processes (spawn).

Worker processes end with the block that opened them and with this process, even if it is killed: each has its
own pipe, and ends when the pipe closes. The unexpected end of a worker is an error, since the cause is the task
or the machine.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import Any

from inarow.errors import InarowError, MainGuardError, TaskError
from inarow.plugins import Registered, load_plugin_files, repeat_registrations, shared_registrations
from inarow.workers.interrupts import ignore_stop_signals, interrupts_held_back
from inarow.workers.protocols import (
    Outcome,
    Pool,
    Task,
    WorkerProcess,
    WorkerProcesses,
    picklable_error,
    result_of,
)

_ENDED = "a worker process ended unexpectedly"
_END_SECONDS = 1.0  # for a process that closed its pipe to end
_NO_GUARD = 91  # exit code of a process that ran a script without a main guard


class InProcessPool(Pool):
    """A pool that runs tasks in this process."""

    def submit(self, function: Callable[[Task], Any], task: Task) -> object:
        return partial(function, task)

    def _wait(self, under_way: Collection[Any], *, in_order: bool) -> Iterable[tuple[object, Outcome]]:
        (call,) = under_way
        try:
            return [(call, (call(), None))]
        except Exception as error:
            return [(call, (None, error))]


class ProcessPool(Pool):
    """A pool of worker processes with a pipe each.

    A ProcessPoolExecutor cannot be used: its workers share one pipe, and the reader waits forever if a
    worker is killed while it sends a long result.
    """

    def __init__(self, workers: int) -> None:
        super().__init__(workers, queued=1)
        self._workers: list[LocalWorkerProcess] = []
        with interrupts_held_back():
            try:
                self._workers.extend(LocalWorkerProcess() for _ in range(workers))
            except BaseException:
                self.close()
                raise

    def worker_processes(self) -> WorkerProcesses:
        """The same processes, for use one by one."""
        return WorkerProcesses(self._workers)

    def close(self) -> None:
        """Ends all processes."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()

    def submit(self, function: Callable[[Task], Any], task: Task) -> object:
        return min(self._workers, key=lambda worker: worker.due).give(function, task)

    def _wait(self, under_way: Collection[object], *, in_order: bool) -> Iterable[tuple[object, Outcome]]:
        busy: dict[Any, LocalWorkerProcess] = {each.connection: each for each in self._workers if each.due}
        received = [busy[connection].receive() for connection in wait(list(busy))]
        ours = [(handle, outcome) for handle, _, outcome in received if handle in under_way]  # not of an earlier map
        return sorted(ours, key=lambda each: each[1][1] is not None)  # failures last


class LocalWorkerProcess(WorkerProcess):
    """A worker process of this machine; the state of its modules is kept between tasks."""

    def __init__(self) -> None:
        super().__init__()
        self.process, self.connection = spawn(_work)

    def give(self, function: Callable[[Task], Any], task: Task) -> object:
        try:
            self.connection.send((function, task))
        except OSError as error:
            raise self._ended(task) from error
        handle = object()
        self._given.append((handle, task))
        return handle

    def receive(self) -> tuple[object, object, Outcome]:
        """Waits for the outcome of the oldest task; raises TaskError if the process has ended."""
        try:
            outcome = self.connection.recv()
        except (EOFError, OSError) as error:
            raise self._ended(self._given[0][1]) from error
        return *self._given.popleft(), outcome

    def _ended(self, task: object) -> InarowError:
        self.process.join(_END_SECONDS)
        return MainGuardError() if self.process.exitcode == _NO_GUARD else TaskError(task, _ENDED)

    def _has_finished(self, seconds: float) -> bool:
        return self.connection.poll(seconds)

    def _take_oldest(self) -> Any:
        _, task, outcome = self.receive()
        return result_of(outcome, task)


def _work(parent: Connection) -> None:
    """The main function of a worker. It ignores the signals that the parent handles, and ends when the pipe closes."""
    ignore_stop_signals()
    tasks: SimpleQueue[tuple[Callable[[Any], Any], Any]] = SimpleQueue()
    live_with_parent(parent, tasks.put, at_end=lambda: os._exit(1))
    while True:
        function, task = tasks.get()
        try:
            parent.send((function(task), None))
        except Exception as error:
            parent.send((None, picklable_error(error)))


def spawn(main: Callable[..., None], *arguments: Any) -> tuple[BaseProcess, Connection]:
    """A new process that runs `main` with its end of a pipe and the arguments, and our end.

    The new process first imports the script of this one. A script without a main guard then calls this function
    again, which ends the new process.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        os._exit(_NO_GUARD)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with interrupts_held_back():
        process = context.Process(target=_begin, args=(shared_registrations(), main, theirs, *arguments), daemon=False)
        process.start()
    theirs.close()  # only the process has it now, so the pipe ends with the process
    return process, ours


def _begin(registrations: Sequence[Registered], main: Callable[..., None], *arguments: Any) -> None:
    """The first function of a new process."""
    load_plugin_files()
    repeat_registrations(registrations)
    main(*arguments)


def live_with_parent(parent: Connection, take: Callable[[Any], None], *, at_end: Callable[[], None]) -> None:
    """In the process: calls `take` with every message, in a thread, and `at_end` when the parent is gone."""

    def read() -> None:
        try:
            while True:
                take(parent.recv())
        except (EOFError, OSError):
            at_end()

    threading.Thread(target=read, name="lives with parent", daemon=True).start()
