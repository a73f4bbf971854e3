"""Work on a Ray cluster: the only file that imports ray.

Each task is a Ray task that needs one CPU. When a node dies, Ray runs its tasks again and recomputes lost
results; tasks are pure functions, so the result is the same. There are no actors: an actor holds its CPU, and
after the death of its node would wait for one that may never come, while a task runs on the next free CPU.
Module state is only a cache, because Ray reuses its processes.
"""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any, Generic

import ray
from ray.exceptions import GetTimeoutError, RayError, RayTaskError

from inarow.errors import ClusterError, TaskError, one_line, shown
from inarow.version import __version__
from inarow.workers.interrupts import interrupts_deferred, interrupts_held_back, sigterm_handler_kept
from inarow.workers.protocols import (
    LOCAL,
    Outcome,
    Progress,
    Result,
    Task,
    Value,
    WorkerProcesses,
    picklable_error,
    result_of,
)

VERSIONS = f"inarow {__version__} with Python {sys.version_info.major}.{sys.version_info.minor}"
_AUTO = "auto"
_PORT_SECONDS = 5.0
_ANSWER_SECONDS = 20.0
"""Time limit for a cluster to answer; Ray itself waits for more than a minute and then ends the process."""
_OBJECT_STORE_BYTES = 256 << 20
"""Of a local cluster: for shared values, and for results over 100 kB until they are taken."""
_RETRIES = 5  # retries after the death of a node or process; few, because the task may be the cause
_PER_CPU = 2  # concurrent tasks per CPU: one runs, one waits
_AHEAD = 4  # tasks submitted, per concurrent task, beyond the oldest unfinished one: bounds memory
_SHORT = 30  # length of the path of a temporary folder in which Ray can have its sockets
_LOOK_SECONDS = 5.0  # between looks whether the head of the cluster is still there, while nothing finishes
_HEAD_ATTEMPTS = 5
_NO_TOKEN = "InvalidAuthToken"
_TRIAL = """
import sys, ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False)
    ray.shutdown()
except Exception as error:
    sys.exit(" ".join(str(error).split())[:400])
"""


class Connection:
    """A connection to a cluster; `connect` makes one."""

    def __init__(self) -> None:
        self._submit: Callable[..., Any] = ray.remote(num_cpus=1, max_retries=_RETRIES)(_work).remote
        self._cpus = int(ray.cluster_resources().get("CPU", 0))
        if not self._cpus:
            raise ClusterError("the cluster has no CPU")

    def submit(self, function: Callable[[Task], Any], task: Task) -> Any:
        """A reference to the future outcome of a task."""
        return self._submit(VERSIONS, function, task)

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
    place = tempfile.gettempdir() if len(tempfile.gettempdir()) <= _SHORT else "/tmp"
    with tempfile.TemporaryDirectory(prefix="inarow-", dir=place, ignore_cleanup_errors=True) as folder:
        try:
            with sigterm_handler_kept(), _stderr_silenced():
                _start(folder) if address == LOCAL else _join(address)
            yield Connection()
        finally:
            with interrupts_deferred():
                ray.shutdown()


@contextmanager
def _stderr_silenced() -> Iterator[None]:
    """Within, what is written to stderr is lost: Ray announces there that it will announce nothing."""
    if sys.stderr is None:
        yield
        return
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _start(folder: str) -> None:
    """Starts a cluster on this machine only, which ends with this process."""
    _read_environment()
    try:
        with interrupts_held_back():
            ray.init(
                address=LOCAL,
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE_BYTES,
                log_to_driver=False,
                configure_logging=False,
                _temp_dir=folder,
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
    reason = _check_in_another_process(address)
    if _NO_TOKEN in reason and "RAY_AUTH_MODE" not in os.environ:  # Ray sends a token only if it is told to
        os.environ["RAY_AUTH_MODE"] = "token"
        reason = _check_in_another_process(address)
    if "token" in reason.lower():
        places = "RAY_AUTH_TOKEN, a file named by RAY_AUTH_TOKEN_PATH or ~/.ray/auth_token"
        reason = f"it needs its authentication token in {places}"
    if reason:
        raise ClusterError(f"no Ray cluster at {shown(address)}: {reason}")
    _read_environment()
    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False)
    except (OSError, RuntimeError, ValueError, RayError) as error:
        raise ClusterError(f"no Ray cluster at {shown(address)}: {one_line(error)}") from None


def _check_in_another_process(address: str) -> str:
    """Joins from another process first: Ray ends the process if the address is not a cluster. Why it cannot; empty if
    it can.
    """
    trial = subprocess.Popen(
        [sys.executable, "-c", _TRIAL, address],
        env={**os.environ, "RAY_BACKEND_LOG_LEVEL": "warning"},  # for _NO_TOKEN
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    limit, until, reason = threading.Timer(_ANSWER_SECONDS, trial.kill), monotonic() + _ANSWER_SECONDS, ""
    limit.start()
    with trial:
        try:
            for line in trial.stderr or ():
                reason = line.strip() or reason
                if _NO_TOKEN in line:  # Ray would repeat the attempt until the time limit
                    return _NO_TOKEN
            trial.wait()
        finally:
            limit.cancel()
            trial.kill()
    if monotonic() >= until:
        raise ClusterError(f"no Ray cluster answers at {shown(address)} within {_ANSWER_SECONDS:g} seconds")
    return (reason or "it ended") if trial.returncode else ""


def _read_environment() -> None:
    """Makes Ray read its variables again, which may be others than when it was loaded."""
    try:
        from ray._raylet import AuthenticationTokenLoader, Config  # type: ignore[attr-defined]  # compiled
    except ImportError:  # versions without tokens
        return
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()


def _work(wanted: str, function: Callable[[Any], Any], task: Any) -> Outcome:
    """The function that runs on the cluster."""
    if wanted != VERSIONS:
        return None, ClusterError(f"a node has {VERSIONS}, this process {wanted}; install the same on all")
    try:
        return function(task), None
    except Exception as error:
        return None, picklable_error(error)


def _result(reference: Any, task: object) -> Any:
    """Waits for the outcome of a task; raises TaskError if it failed."""
    try:
        result, failure = _get(reference)
    except RayTaskError as error:  # outside the function: it could not be imported, or its result not be sent
        raise TaskError(task, one_line(error.cause)) from error
    except RayError as error:
        raise TaskError(task, f"the cluster lost it {_RETRIES + 1} times ({type(error).__name__})") from error
    if isinstance(failure, ClusterError):
        raise failure
    return result_of((result, failure), task)


def _wait(references: list[Any], number: int = 1) -> list[Any]:
    """The finished ones, once there are `number`. Raises ClusterError if the head has ended."""
    while len(ready := ray.wait(references, num_returns=number, timeout=_LOOK_SECONDS, fetch_local=False)[0]) < number:
        _check_head()
    return ready


def _get(reference: Any) -> Any:
    """A value, once it is available. Raises ClusterError if the head has ended, and what Ray raises."""
    while True:
        try:
            return ray.get(reference, timeout=_LOOK_SECONDS)
        except GetTimeoutError:
            _check_head()


def _check_head() -> None:
    """Raises ClusterError if the head, without which nothing more can be done, accepts no connections for some time:
    Ray would wait for a minute and then end this process.
    """
    address = ray.get_runtime_context().gcs_address
    host, _, port = address.rpartition(":")
    for attempt in range(_HEAD_ATTEMPTS):
        sleep(1.0 if attempt else 0.0)
        with suppress(OSError):
            return socket.create_connection((host, int(port)), _PORT_SECONDS).close()
    raise ClusterError(f"the Ray cluster at {address} has ended; what was finished is kept")


class ClusterPool:
    """A cluster as a pool."""

    def __init__(self, connection: Connection, concurrent: int) -> None:
        self._connection = connection
        self._concurrent = concurrent

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> Iterator[Result]:
        tasks = list(tasks)
        given: deque[Any] = deque()  # references, from the oldest that was not taken
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
            for reference in _wait(list(given)):
                task = given.pop(reference)
                yield task, _result(reference, task)


def _still_unfinished(references: list[Any]) -> set[Any]:
    """The unfinished ones, after waiting until an eighth has finished: each look at many references is expensive."""
    _wait(references, -(-len(references) // 8))
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
        if self._given and seconds and not results:
            _check_head()
        return results


@dataclass(frozen=True, slots=True)
class _Stored(Generic[Value]):
    """A shared value in the object store of the cluster."""

    reference: Any

    @property
    def value(self) -> Value:
        value: Value = _get(self.reference)
        return value


class _ClusterWorkerProcesses(WorkerProcesses):
    def share(self, value: Value) -> _Stored[Value]:
        return _Stored(ray.put(value))
