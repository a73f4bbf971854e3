"""The interface of workers, and how users choose them.

Functions, tasks and results must be picklable and the function importable by name. Results do not
depend on the kind or number of workers.
"""

import pickle
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from typing import Any, Generic, TypeVar

from inarow.errors import InvalidLimitError, MissingExtraError, TaskError, one_line

Task = TypeVar("Task")
Result = TypeVar("Result")
Value = TypeVar("Value")
Progress = Callable[[int, int], None]  # called with (tasks done, total) after each result

MAX_WORKERS = 256  # on this machine
MAX_CLUSTER_WORKERS = 100_000
LOCAL = "local"
_AHEAD = 4  # tasks submitted per worker beyond the oldest unfinished one: keeps all busy, bounds memory


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster; needs `pip install 'inarow[cluster]'`."""

    address: str = LOCAL
    """HOST:PORT of a running cluster, `auto` for the cluster that this machine belongs to, or `local` for a new one on
    this machine that ends with the work.
    """
    workers: int | None = None  # maximum number of concurrent tasks; None: two per CPU


Workers = int | Cluster  # a number of processes on this machine (1: this process itself), or a cluster


class Pool(ABC):
    """Runs a function on many tasks."""

    def __init__(self, workers: int = 1, queued: int = 0) -> None:
        """Gives each worker one task at a time, and `queued` more if results are returned in order."""
        self._concurrent, self._queued = workers, queued

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, progress: Progress | None = None
    ) -> Iterator[Result]:
        """Yields the result of each task, in the order of the tasks, as soon as it and all earlier ones are
        finished. A task that raises ends the iteration with a TaskError that carries the task. A pool
        serves one map at a time: a new one discards the results that an older one has not yet returned.
        """
        tasks = list(tasks)
        for done, (_, result) in enumerate(self._results(function, tasks, in_order=True), start=1):
            if progress is not None:
                progress(done, len(tasks))
            yield result

    def as_completed(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Yields each task with its result, in the order in which they finish. Otherwise like `map`, but a task is
        taken from `tasks` only when a worker is free, so that it can depend on earlier results.
        """
        return self._results(function, tasks, in_order=False)

    def _results(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], *, in_order: bool
    ) -> Iterator[tuple[Task, Result]]:
        left = enumerate(tasks)
        given: dict[int, Task] = {}  # tasks whose results have not been returned, by number
        under_way: dict[object, int] = {}  # numbers of tasks
        finished: dict[int, Any] = {}  # outcomes
        # Results in any order: nothing is queued, because a task would wait behind a long one while workers are idle.
        most = self._concurrent * (1 + self._queued if in_order else 1)
        for turn in count():
            while True:
                # Results in any order are returned before the next task is taken, which may depend on them.
                while (in_order or not finished) and len(under_way) < most and len(given) < self._concurrent * _AHEAD:
                    if (following := next(left, None)) is None:
                        break
                    given[following[0]] = following[1]
                    under_way[self.submit(function, following[1])] = following[0]
                if not given:
                    return
                number = turn if in_order else next(iter(finished), turn)
                if number in finished:
                    break
                for handle, outcome in self._wait(under_way, in_order=in_order):
                    finished[under_way.pop(handle)] = outcome
            task = given.pop(number)
            yield task, self._result(finished.pop(number), task)

    @abstractmethod
    def submit(self, function: Callable[[Task], Any], task: Task) -> object:
        """Submits a task; returns its handle."""

    @abstractmethod
    def _wait(self, under_way: Collection[object], *, in_order: bool) -> Iterable[tuple[object, Any]]:
        """The handles and outcomes of finished tasks; may be empty."""

    def _result(self, outcome: Any, task: object) -> Any:
        return result_of(outcome, task)


class WorkerProcess(ABC):
    """Runs tasks one after the other while the caller does something else.

    A local process keeps the state of modules between tasks. On a cluster such state is only a cache: the next
    task may run in another process, and a task whose node died runs again.
    """

    def __init__(self) -> None:
        self._given: deque[tuple[object, object]] = deque()  # handles and tasks, the oldest first

    @property
    def due(self) -> int:
        """The number of tasks whose results have not been taken."""
        return len(self._given)

    @abstractmethod
    def give(self, function: Callable[[Task], Any], task: Task) -> object:
        """Submits a task and returns a handle; raises TaskError if the process has ended."""

    def take(self, seconds: float = 0.0) -> list[Any]:
        """The finished results in the order of the tasks; waits up to `seconds` for the first of them.
        Raises TaskError for a task that failed.
        """
        results: list[Any] = []
        while self._given and self._has_finished(0.0 if results else seconds):
            results.append(self._take_oldest())
        return results

    @abstractmethod
    def _has_finished(self, seconds: float) -> bool:
        """Whether the oldest task finishes within `seconds`."""

    @abstractmethod
    def _take_oldest(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Shared(Generic[Value]):
    """A value that is part of many tasks."""

    content: Any  # the value, or the argument with which `fetch` returns it
    fetch: Callable[[Any], Value] | None = None

    @property
    def value(self) -> Value:
        value: Value = self.content if self.fetch is None else self.fetch(self.content)
        return value


class WorkerProcesses(tuple[WorkerProcess, ...]):
    """A number of worker processes."""

    def share(self, value: Value) -> Shared[Value]:
        """Wraps a large value for use in tasks; a cluster sends it only once to each node."""
        return Shared(value)


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
