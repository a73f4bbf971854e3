"""The interface of workers, and how users choose them.

Functions, tasks and results must be picklable and the function importable by name. Results do not
depend on the kind or number of workers.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Generic, Protocol, TypeVar

from inarow.errors import InvalidLimitError, MissingExtraError, TaskError, one_line

Task = TypeVar("Task")
Result = TypeVar("Result")
Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)
Progress = Callable[[int, int], None]  # called with (tasks done, total) after each result

MAX_WORKERS = 256  # on this machine
MAX_CLUSTER_WORKERS = 100_000
LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster; needs `pip install 'inarow[cluster]'`."""

    address: str = LOCAL
    """HOST:PORT of a running cluster, `auto` for the one of which this machine is a node, or `local` for a new one
    on this machine that ends with the work.
    """
    workers: int | None = None  # maximum number of concurrent tasks; None: two per CPU


Workers = int | Cluster  # A number of processes of this machine (1: this process itself), or a cluster


class Pool(Protocol):
    """Runs a function on many tasks."""

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> Iterator[Result]:
        """The result of each task, in the order of the tasks, as soon as it and all before it are
        finished. A task that raises ends the iteration with a TaskError that carries the task. A pool
        serves one map at a time: a new one discards the results that an older one has not yet returned.
        """
        ...

    def as_completed(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Each task with its result, in the order in which they finish. Otherwise like `map`."""
        ...


class WorkerProcess(Protocol):
    """Runs tasks one after the other while the caller does something else.

    A local process keeps the state of modules between tasks. On a cluster such state is only a cache: the next
    task may run in another process, and a task whose node died runs again.
    """

    @property
    def due(self) -> int:
        """The number of tasks whose results have not been taken."""
        ...

    def give(self, function: Callable[[Task], Any], task: Task) -> None:
        """Submits a task; raises TaskError if the process has ended."""
        ...

    def take(self, seconds: float = 0.0) -> list[Any]:
        """The finished results in the order of the tasks; waits up to `seconds` for the first of them.
        Raises TaskError for a task that failed.
        """
        ...


class Shared(Protocol[Value_co]):
    """A value that is part of many tasks."""

    @property
    def value(self) -> Value_co: ...


@dataclass(frozen=True, slots=True)
class Carried(Generic[Value]):
    """A shared value that is sent with each task."""

    value: Value


class WorkerProcesses(tuple[WorkerProcess, ...]):
    """A number of worker processes."""

    def share(self, value: Value) -> Shared[Value]:
        """Wraps a large value for use in tasks; a cluster sends it only once to each node."""
        return Carried(value)


def check_workers(workers: Workers) -> None:
    """Raises InvalidLimitError for an invalid number of workers, MissingExtraError for a cluster without Ray."""
    number, most = (workers, MAX_WORKERS) if isinstance(workers, int) else (workers.workers, MAX_CLUSTER_WORKERS)
    if number is not None and not 1 <= number <= most:
        raise InvalidLimitError(f"workers is {number}; it must be 1 to {most}")
    if isinstance(workers, Cluster) and not _has_ray():
        raise MissingExtraError("ray", "cluster")


def _has_ray() -> bool:
    """Whether Ray is installed, without importing it, which takes a second."""
    try:
        return find_spec("ray") is not None
    except ModuleNotFoundError:
        return False


Outcome = tuple[Any, Exception | None]  # the result of a task, or the exception it raised


def result_of(outcome: Outcome, task: object) -> Any:
    """The result of a task; raises TaskError if the task raised an exception."""
    result, failure = outcome
    if failure is not None:
        raise TaskError(task, one_line(failure)) from failure
    return result


def picklable_error(error: Exception) -> Exception:
    """The error itself, or one with its text if it cannot be pickled and unpickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {one_line(error)}")
    return error
