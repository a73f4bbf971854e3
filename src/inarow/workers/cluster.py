"""Work on a Ray cluster: the only file that imports ray.

Each task is a Ray task that needs one CPU. When a node dies, Ray runs its tasks again and recomputes lost
results; tasks are pure functions, so the result is the same. There are no actors: an actor holds its CPU, and
after the death of its node would wait for one that may never come, while a task runs on the next free CPU.
Module state is only a cache, because Ray reuses its processes.
"""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic

import ray
from ray.exceptions import RayError, RayTaskError

from inarow.errors import ClusterError, TaskError, one_line, shown
from inarow.version import __version__
from inarow.workers.interrupts import interrupts_deferred, interrupts_held_back
from inarow.workers.protocols import LOCAL, Outcome, Progress, Result, Task, Value, WorkerProcesses, picklable_error

_AUTO = "auto"
_PORT_SECONDS = 5.0
_ANSWER_SECONDS = 20.0
"""Time limit for a cluster to answer; Ray itself waits for more than a minute and then ends the process."""
_OBJECT_STORE_BYTES = 256 << 20
"""Of a local cluster: for shared values, and for results over 100 kB until they are taken."""
_RETRIES = 5
"""Retries after the death of a node or process; few, because the task may be the cause."""
_PER_CPU = 2
"""Concurrent tasks per CPU: one runs, one waits."""
_AHEAD = 4
"""Tasks submitted, per concurrent task, beyond the oldest unfinished one: bounds memory."""
_TRIAL = "import sys, ray; ray.init(address=sys.argv[1], log_to_driver=False); ray.shutdown()"


class Connection:
    """A connection to a cluster; `connect` makes one."""

    def __init__(self) -> None:
        self._submit: Callable[..., Any] = ray.remote(num_cpus=1, max_retries=_RETRIES)(_work).remote
        self._cpus = int(ray.cluster_resources().get("CPU", 0))
        if not self._cpus:
            raise ClusterError("the cluster has no CPU")

    def submit(self, function: Callable[[Task], Any], task: Task) -> Any:
        """A reference to the future outcome of a task."""
        return self._submit(__version__, function, task)

    def pool(self, workers: int | None) -> ClusterPool:
        """A pool with `workers` concurrent tasks; None: two per CPU that the cluster has now."""
        return ClusterPool(self, workers or _PER_CPU * self._cpus)

    def worker_processes(self, number: int) -> WorkerProcesses:
        """`number` queues of tasks."""
        return _ClusterWorkerProcesses(_ClusterWorkerProcess(self) for _ in range(number))


@contextmanager
def connect(address: str) -> Iterator[Connection]:
    """A connection for the duration of a `with` block; leaving it ends all tasks. Raises ClusterError."""
    logging.getLogger("ray").setLevel(logging.CRITICAL)  # failures are raised as errors
    _start() if address == LOCAL else _join(address)
    try:
        yield Connection()
    finally:
        with interrupts_deferred():
            ray.shutdown()


def _start() -> None:
    """Starts a cluster on this machine only, which ends with this process."""
    try:
        with interrupts_held_back():
            ray.init(
                address=LOCAL,
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE_BYTES,
                log_to_driver=False,
                configure_logging=False,
            )
    except (OSError, RuntimeError, ValueError, RayError) as error:
        raise ClusterError(f"no local Ray cluster could be started: {one_line(error)}") from None


def _join(address: str) -> None:
    host, _, port = address.rpartition(":")
    if address != _AUTO:
        if not host or "/" in host or not port.isdigit():
            raise ClusterError(f"{shown(address)} is not a cluster address; give HOST:PORT, {_AUTO} or {LOCAL}")
        try:
            socket.create_connection((host, int(port)), _PORT_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise ClusterError(f"no cluster answers at {shown(address)}: {one_line(error)}") from None
    _check_in_another_process(address)
    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False)
    except (OSError, RuntimeError, ValueError, RayError) as error:
        raise ClusterError(f"no Ray cluster at {shown(address)}: {one_line(error)}") from None


def _check_in_another_process(address: str) -> None:
    """Joins from another process first: Ray ends the process if the address is not a cluster."""
    command = [sys.executable, "-c", _TRIAL, address]
    try:
        trial = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_ANSWER_SECONDS)
    except subprocess.TimeoutExpired:
        raise ClusterError(f"no Ray cluster answers at {shown(address)} within {_ANSWER_SECONDS:g} seconds") from None
    if trial.returncode:
        reason = (trial.stderr.strip().splitlines() or ["it ended"])[-1]
        raise ClusterError(f"no Ray cluster at {shown(address)}: {reason}")


def _work(wanted: str, function: Callable[[Any], Any], task: Any) -> Outcome:
    """The function that runs on the cluster."""
    if wanted != __version__:
        return None, RuntimeError(f"a node has inarow {__version__}, not {wanted}")
    try:
        return function(task), None
    except Exception as error:
        return None, picklable_error(error)


def _result(reference: Any, task: object) -> Any:
    """Waits for the outcome of a task; raises TaskError if it failed."""
    try:
        result, failure = ray.get(reference)
    except RayTaskError as error:  # outside the function: it could not be imported, or its result not be sent
        raise TaskError(task, one_line(error.cause)) from error
    except RayError as error:
        raise TaskError(task, f"the cluster lost it {_RETRIES + 1} times ({type(error).__name__})") from error
    if failure is not None:
        raise TaskError(task, one_line(failure)) from failure
    return result


class ClusterPool:
    """A cluster as a pool."""

    def __init__(self, connection: Connection, concurrent: int) -> None:
        self._connection = connection
        self._concurrent = concurrent

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> Iterator[Result]:
        tasks = list(tasks)
        given: deque[Any] = deque()
        """References, from the oldest that was not taken."""
        unfinished: set[Any] = set()
        for done, task in enumerate(tasks):
            while True:
                while (
                    done + len(given) < len(tasks)
                    and len(unfinished) < self._concurrent
                    and len(given) < self._concurrent * _AHEAD
                ):
                    given.append(self._connection.submit(function, tasks[done + len(given)]))
                    unfinished.add(given[-1])
                if given[0] not in unfinished:
                    break
                unfinished = _still_unfinished(list(unfinished))
            result = _result(given.popleft(), task)
            if progress is not None:
                progress(done + 1, len(tasks))
            yield result

    def as_completed(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        left = deque(tasks)
        given: dict[Any, Task] = {}
        while left or given:
            while left and len(given) < self._concurrent:
                task = left.popleft()
                given[self._connection.submit(function, task)] = task
            for reference in ray.wait(list(given), fetch_local=False)[0]:
                task = given.pop(reference)
                yield task, _result(reference, task)


def _still_unfinished(references: list[Any]) -> set[Any]:
    """The unfinished ones, after waiting until an eighth has finished: each look at many references is expensive."""
    ray.wait(references, num_returns=-(-len(references) // 8), fetch_local=False)
    return set(ray.wait(references, num_returns=len(references), timeout=0, fetch_local=False)[1])


class _ClusterWorkerProcess:
    """A queue of tasks on a cluster."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._given: deque[tuple[Any, object]] = deque()

    @property
    def due(self) -> int:
        return len(self._given)

    def give(self, function: Callable[[Task], Any], task: Task) -> None:
        self._given.append((self._connection.submit(function, task), task))

    def take(self, seconds: float = 0.0) -> list[Any]:
        results: list[Any] = []
        while self._given and ray.wait([self._given[0][0]], timeout=0 if results else seconds)[0]:
            results.append(_result(*self._given.popleft()))
        return results


@dataclass(frozen=True, slots=True)
class _Stored(Generic[Value]):
    """A shared value in the object store of the cluster."""

    reference: Any

    @property
    def value(self) -> Value:
        value: Value = ray.get(self.reference)
        return value


class _ClusterWorkerProcesses(WorkerProcesses):
    def share(self, value: Value) -> _Stored[Value]:
        return _Stored(ray.put(value))
