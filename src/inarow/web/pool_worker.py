"""The main function of search processes: answers questions one by one."""

import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

import msgspec

from inarow.errors import one_line
from inarow.web.pool_process import limit_resources, peak_memory
from inarow.workers.local import live_with_parent

Answer = Callable[[Any, "Reporter"], object]  # from an argument to an answer, which is JSON

_REPORT_SECONDS = 0.1
_RECYCLE_ABOVE = 3 << 29  # bytes; a process with a larger peak memory is replaced after its answer


class CancelledQuestionError(Exception):
    """The client no longer waits for the answer."""


class Reporter:
    """Sends intermediate results, which are JSON, to the client; raises CancelledQuestionError."""

    def __init__(self, send: Callable[[bytes], None], is_cancelled: Callable[[], bool]) -> None:
        self._send = send
        self.is_cancelled = is_cancelled
        self._last = 0.0

    def __call__(self, known: object) -> None:
        if self.is_cancelled():
            raise CancelledQuestionError
        self._last = time.perf_counter()
        self._send(msgspec.json.encode(known))

    def at_times(self, known: object) -> None:
        """Sends the first result immediately, then at most ten per second."""
        if self.is_cancelled() or time.perf_counter() - self._last >= _REPORT_SECONDS:
            self(known)


def answer_questions(parent: Connection, memory: int, niceness: int) -> None:
    """Runs a search process. It sends ("ready", None), then for each question ("progress", JSON) any number of times
    and ("answered", JSON, continues) or ("failed", reason, continues); if `continues` is False, it ends.
    """
    limit_resources(memory, niceness=niceness)
    questions: SimpleQueue[tuple[int, Answer, Any]] = SimpleQueue()
    current, cancelled = 0, -1

    def take(message: int | tuple[int, Answer, Any]) -> None:
        """Receives a question with its number, or the number of a cancelled question."""
        nonlocal cancelled
        if isinstance(message, int):
            cancelled = message
        else:
            questions.put(message)

    def new_reporter() -> Reporter:
        return Reporter(lambda known: parent.send(("progress", known)), lambda: cancelled == current)

    live_with_parent(parent, take, at_end=lambda: os._exit(0))
    _load_kernels()
    parent.send(("ready", None))
    continues = True
    while continues:
        current, function, argument = questions.get()
        reply: tuple[str, bytes | str]
        try:
            reply = "answered", msgspec.json.encode(function(argument, new_reporter()))
        except MemoryError:
            reply = "failed", f"the search needs more than its limit of {memory >> 20} MB of memory"
        except Exception as error:  # the error of an agent is reported to the client, and the process continues
            reply = "failed", one_line(error)
        continues = peak_memory() < _RECYCLE_ABOVE
        parent.send((*reply, continues))
    os._exit(0)


def _load_kernels() -> None:
    """Compiles kernels that are not in the cache, so that questions do not wait for it."""
    from inarow.search.warm_up import warm_up_steps

    for _, step in warm_up_steps():
        step()
