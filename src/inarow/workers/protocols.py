"""What workers promise, whoever they are, and how a user names them.

Functions, tasks and results must be picklable and the function importable by name. Results do not
depend on who works.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Generic, Protocol, TypeVar

from inarow.errors import InvalidLimitError, MissingExtraError, one_line

Task = TypeVar("Task")
Result = TypeVar("Result")
Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)
Progress = Callable[[int, int], None]
"""Called with (tasks done, tasks in all) each time the results grow."""

MAX_WORKERS = 256
"""Processes of this machine."""
MAX_CLUSTER_WORKERS = 100_000
LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster that works; `pip install 'inarow[cluster]'`."""

    address: str = LOCAL
    """HOST:PORT of a cluster that runs, `auto` for the one of which this machine is a node, or `local` for one that
    is started on this machine and ended after the work.
    """
    workers: int | None = None
    """How many tasks it works on at once at most; None: as many as it has CPUs."""


Workers = int | Cluster
"""Who works: so many processes of this machine (1: this process), or a cluster."""


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

    def as_completed(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Each task with its result, as soon as it is there: for long tasks whose results are kept one by one. All
        else as with `map`.
        """
        ...


class WorkerProcess(Protocol):
    """Works on tasks one after the other while this process does something else.

    One that is a process goes on with what a function has kept in its module. Of one on a cluster that is only a
    cache: the next task may run elsewhere, and a task whose node died runs again.
    """

    @property
    def due(self) -> int:
        """Tasks whose results have not been taken."""
        ...

    def give(self, function: Callable[[Task], Any], task: Task) -> None:
        """Hands over a task; raises TaskError if nobody is there to do it."""
        ...

    def take(self, seconds: float = 0.0) -> list[Any]:
        """The results that are there, or come within so many seconds, in the order of the tasks: at most one
        that had to be waited for. Raises TaskError for a task that failed.
        """
        ...


class Shared(Protocol[Value_co]):
    """A part of many tasks. Equal ones have the same value."""

    @property
    def value(self) -> Value_co: ...


@dataclass(frozen=True, slots=True)
class Carried(Generic[Value]):
    """Shared by travelling with each task."""

    value: Value


class WorkerProcesses(tuple[WorkerProcess, ...]):
    """Some worker_processes."""

    def share(self, value: Value) -> Shared[Value]:
        """Something large for their tasks to hold, which a cluster sends to each of its nodes only once."""
        return Carried(value)


def check_workers(workers: Workers) -> None:
    """Raises InvalidLimitError for a number of workers that nobody has, MissingExtraError for a cluster without Ray."""
    number, most = (workers, MAX_WORKERS) if isinstance(workers, int) else (workers.workers, MAX_CLUSTER_WORKERS)
    if number is not None and not 1 <= number <= most:
        raise InvalidLimitError(f"workers is {number}; it must be 1 to {most}")
    if isinstance(workers, Cluster) and not _has_ray():
        raise MissingExtraError("ray", "cluster")


def _has_ray() -> bool:
    """Without loading it, which takes a second."""
    try:
        return find_spec("ray") is not None
    except ModuleNotFoundError:
        return False


Outcome = tuple[Any, Exception | None]
"""What a task returned, or what it raised."""


def that_can_travel(error: Exception) -> Exception:
    """The error itself, or its text if it does not survive the way to another process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {one_line(error)}")
    return error
