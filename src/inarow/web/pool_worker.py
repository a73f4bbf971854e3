"""What search processes do: answer one question after the other."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

import msgspec

from inarow.errors import one_line
from inarow.web.pool_process import live_with_parent, peak_memory, yield_to_people

Answer = Callable[[Any, "Reporter"], object]
"""From an argument to an answer: both plain values, the answer JSON."""

_RECYCLE_ABOVE = 3 << 29
"""Bytes: a process that once held more ends after its answer, and a lean one takes its place."""


class CancelledQuestionError(Exception):
    """Nobody waits for the answer any more."""


class Reporter:
    """Called with what is known so far, anything that is JSON. Raises if nobody listens any more."""

    def __init__(self, send: Callable[[bytes], None], is_cancelled: Callable[[], bool]) -> None:
        self._send = send
        self.is_cancelled = is_cancelled

    def __call__(self, known: object) -> None:
        self.go_on()
        self._send(msgspec.json.encode(known))

    def go_on(self) -> None:
        """For searches that look up from time to time; raises CancelledQuestionError."""
        if self.is_cancelled():
            raise CancelledQuestionError


def answer_questions(parent: Connection, memory: int) -> None:
    """The life of a search process. Tells ("ready", None), then for each question ("told", JSON) any number of times
    and ("answered", JSON, goes_on) or ("failed", why, goes_on); one that does not go on takes no more questions.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the lab's business
    yield_to_people(memory, niceness=10)
    questions: SimpleQueue[tuple[int, Answer, Any]] = SimpleQueue()
    current, cancelled = 0, -1

    def take(message: int | tuple[int, Answer, Any]) -> None:
        """A question with its number, or the number of one that is cancelled."""
        nonlocal cancelled
        if isinstance(message, int):
            cancelled = message
        else:
            questions.put(message)

    say = Reporter(lambda known: parent.send(("told", known)), lambda: cancelled == current)
    live_with_parent(parent, take, at_the_end=lambda: os._exit(0))
    _load_kernels()
    parent.send(("ready", None))
    goes_on = True
    while goes_on:
        current, function, argument = questions.get()
        reply: tuple[str, bytes | str]
        try:
            reply = "answered", msgspec.json.encode(function(argument, say))
        except MemoryError:
            reply = "failed", f"the search needs more than the {memory >> 20} MB that it may have"
        except Exception as error:  # whatever an agent does wrong is told, and the process goes on
            reply = "failed", one_line(error)
        goes_on = peak_memory() < _RECYCLE_ABOVE
        parent.send((*reply, goes_on))
    os._exit(0)


def _load_kernels() -> None:
    """Compiles what is not in the cache, so that no question waits for it."""
    from inarow.search.warm_up import warm_up_steps

    for _, step in warm_up_steps():
        step()
