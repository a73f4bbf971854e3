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
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from time import monotonic, sleep
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from inarow.errors import ClusterError, TaskError, one_line, raised_as, shown
from inarow.plugins import Registered, load_plugin_files, repeat_registrations, shared_registrations
from inarow.version import __version__
from inarow.workers.interrupts import interrupts_deferred, interrupts_held_back, sigterm_handler_kept
from inarow.workers.protocols import (
    LOCAL,
    Outcome,
    Pool,
    Shared,
    Task,
    Value,
    WorkerProcess,
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
"""Size of the object store of a local cluster: for shared values, and for results over 100 kB until they are taken."""
_RETRIES = 5  # retries after the death of a node or process; few, because the task may be the cause
_PER_CPU = 2  # concurrent tasks per CPU: one runs, one waits
_SHORT = 30  # characters; Ray's socket paths must fit the system's limit
_LOOK_SECONDS = 5.0  # interval of checks for the head of the cluster while no task finishes
_HEAD_ATTEMPTS = 5
_NO_TOKEN = "InvalidAuthToken"
_ERRORS = (OSError, RuntimeError, ValueError, RayError)  # of `ray.init`
_TRIAL = """
import sys, ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False)
    ray.shutdown()
except Exception as error:
    sys.exit(" ".join(str(error).split())[:400])
"""


@contextmanager
def connect(address: str, workers: int | None) -> Iterator[ClusterPool]:
    """A cluster as a pool for the duration of a `with` block; leaving it ends all tasks. Raises ClusterError."""
    logging.getLogger("ray").setLevel(logging.CRITICAL)  # failures are raised as errors
    place = tempfile.gettempdir() if len(tempfile.gettempdir()) <= _SHORT else "/tmp"
    with tempfile.TemporaryDirectory(prefix="inarow-", dir=place, ignore_cleanup_errors=True) as folder:
        try:
            with sigterm_handler_kept(), _stderr_silenced():
                _start(folder) if address == LOCAL else _join(address)
            yield ClusterPool(workers)
        finally:
            with interrupts_deferred():
                ray.shutdown()


@contextmanager
def _stderr_silenced() -> Iterator[None]:
    """Discards output to stderr within the block: Ray reports there that its log level is reduced."""
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
    with raised_as(ClusterError, "no local Ray cluster could be started", *_ERRORS), interrupts_held_back():
        ray.init(
            address=LOCAL,
            include_dashboard=False,
            object_store_memory=_OBJECT_STORE_BYTES,
            log_to_driver=False,
            configure_logging=False,
            _temp_dir=folder,
        )


def _join(address: str) -> None:
    host, _, port = address.rpartition(":")
    if address != _AUTO:
        if not host or "/" in host or not port.isdigit():
            raise ClusterError(f"{shown(address)} is not a cluster address; give HOST:PORT, {_AUTO} or {LOCAL}")
        with raised_as(ClusterError, f"no cluster answers at {shown(address)}", OSError, OverflowError):
            socket.create_connection((host, int(port)), _PORT_SECONDS).close()
    reason = _check_in_another_process(address)
    if _NO_TOKEN in reason and "RAY_AUTH_MODE" not in os.environ:  # Ray sends a token only in this mode
        os.environ["RAY_AUTH_MODE"] = "token"
        reason = _check_in_another_process(address)
    if "token" in reason.lower():
        places = "RAY_AUTH_TOKEN, a file named by RAY_AUTH_TOKEN_PATH or ~/.ray/auth_token"
        reason = f"it needs its authentication token in {places}"
    if reason:
        raise ClusterError(f"no Ray cluster at {shown(address)}: {reason}")
    _read_environment()
    with raised_as(ClusterError, f"no Ray cluster at {shown(address)}", *_ERRORS):
        ray.init(address=address, log_to_driver=False, configure_logging=False)


def _check_in_another_process(address: str) -> str:
    """Why this cluster cannot be joined, empty if it can. Another process tries it, because Ray ends the process if the
    address is not a cluster.
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
    """Makes Ray read its environment variables again, which may have changed since it was loaded."""
    try:
        from ray._raylet import AuthenticationTokenLoader, Config  # type: ignore[attr-defined]  # compiled
    except ImportError:  # versions without tokens
        return
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()


def _work(wanted: str, registrations: tuple[Registered, ...], function: Callable[[Any], Any], task: Any) -> Outcome:
    """The function that runs on the cluster."""
    if wanted != VERSIONS:
        return None, ClusterError(f"a node has {VERSIONS}, this process {wanted}; install the same everywhere")
    try:
        _prepare(registrations)
        return function(task), None
    except Exception as error:
        return None, picklable_error(error)


@lru_cache(maxsize=8)
def _prepare(registrations: tuple[Registered, ...]) -> None:
    """Loads the plug-in files and registrations of the calling process into this one, which Ray may use again."""
    load_plugin_files()
    repeat_registrations(registrations)


def _result(reference: Any, task: object) -> Any:
    """Waits for the outcome of a task; raises TaskError if it failed."""
    try:
        result, failure = _get(reference)
    except RayTaskError as error:  # importing the function or sending its result failed
        raise TaskError(task, one_line(error.cause)) from error
    except RayError as error:
        raise TaskError(task, f"the cluster lost it {_RETRIES + 1} times ({type(error).__name__})") from error
    if isinstance(failure, ClusterError):
        raise failure
    return result_of((result, failure), task)


def _wait(references: list[Any], number: int = 1, *, fetch: bool = False) -> list[Any]:
    """The references of finished tasks; waits until `number` have. Raises ClusterError if the head has ended."""
    options: dict[str, Any] = {"num_returns": number, "timeout": _LOOK_SECONDS, "fetch_local": fetch}
    while len(ready := ray.wait(references, **options)[0]) < number:
        _check_head()
    return ready


def _get(reference: Any) -> Any:
    """Waits for a value. Raises ClusterError if the head has ended, and the errors of Ray."""
    return ray.get(_wait([reference], fetch=True)[0])


def _check_head() -> None:
    """Raises ClusterError if the head accepts no connections for some time: Ray would wait for a minute and then end
    this process.
    """
    address = ray.get_runtime_context().gcs_address
    host, _, port = address.rpartition(":")
    for attempt in range(_HEAD_ATTEMPTS):
        sleep(1.0 if attempt else 0.0)
        with suppress(OSError):
            return socket.create_connection((host, int(port)), _PORT_SECONDS).close()
    raise ClusterError(f"the Ray cluster at {address} has ended; finished results are kept")


class ClusterPool(Pool):
    """A cluster as a pool with `workers` concurrent tasks; None: two per CPU that the cluster has now."""

    def __init__(self, workers: int | None) -> None:
        self._remote: Callable[..., Any] = ray.remote(num_cpus=1, max_retries=_RETRIES)(_work).remote
        cpus = int(ray.cluster_resources().get("CPU", 0))
        if not cpus:
            raise ClusterError("the cluster has no CPU")
        super().__init__(workers or _PER_CPU * cpus)
        self._registrations = tuple(shared_registrations())

    def worker_processes(self) -> WorkerProcesses:
        """A queue of tasks for each concurrent task."""
        return _ClusterWorkerProcesses(_ClusterWorkerProcess(self) for _ in range(self._concurrent))

    def submit(self, function: Callable[[Task], Any], task: Task) -> object:
        """A reference to the future outcome of a task."""
        return self._remote(VERSIONS, self._registrations, function, task)

    def _wait(self, under_way: Collection[object], *, in_order: bool) -> Iterable[tuple[object, Any]]:
        references = list(under_way)
        ready = _wait(references, -(-len(references) // 8) if in_order else 1)
        if in_order:  # waits for an eighth of the tasks, because each wait for many references is expensive
            ready, _ = ray.wait(references, num_returns=len(references), timeout=0, fetch_local=False)
        return [(reference, reference) for reference in ready]

    def _result(self, outcome: Any, task: object) -> Any:
        return _result(outcome, task)


class _ClusterWorkerProcess(WorkerProcess):
    """A queue of tasks on a cluster."""

    def __init__(self, pool: ClusterPool) -> None:
        super().__init__()
        self._pool = pool

    def give(self, function: Callable[[Task], Any], task: Task) -> object:
        self._given.append((self._pool.submit(function, task), task))
        return self._given[-1][0]

    def _has_finished(self, seconds: float) -> bool:
        finished, _ = ray.wait([self._given[0][0]], timeout=seconds)
        if seconds and not finished:
            _check_head()
        return bool(finished)

    def _take_oldest(self) -> Any:
        return _result(*self._given.popleft())


class _ClusterWorkerProcesses(WorkerProcesses):
    def share(self, value: Value) -> Shared[Value]:
        """Puts the value in the object store of the cluster."""
        return Shared(ray.put(value), _get)
