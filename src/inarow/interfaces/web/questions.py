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
from inarow.interfaces.web.process import live_with_parent, peak_memory, yield_to_people

Say = Callable[[object], None]
"""Takes what is known so far: anything that is JSON."""
Answer = Callable[[Any, Say], object]
"""From an argument to an answer: both plain values, the answer JSON."""

_RECYCLE_ABOVE = 3 << 29
"""Bytes: a process that once held more ends after its answer, and a lean one takes its place."""


def answer_questions(parent: Connection, memory: int) -> None:
    """The life of a search process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the lab's business
    yield_to_people(memory, niceness=10)
    questions: SimpleQueue[tuple[Answer, Any]] = SimpleQueue()
    live_with_parent(parent, questions.put, at_the_end=lambda: os._exit(0))
    _load_kernels()
    parent.send(("ready", None))
    while peak_memory() < _RECYCLE_ABOVE:
        function, argument = questions.get()
        try:
            answer = function(argument, lambda known: parent.send(("told", msgspec.json.encode(known))))
            parent.send(("answered", msgspec.json.encode(answer)))
        except MemoryError:
            parent.send(("failed", f"the search needs more than the {memory >> 20} MB that it may have"))
        except Exception as error:  # whatever an agent does wrong is told, and the process goes on
            parent.send(("failed", one_line(error)))
    os._exit(0)


def _load_kernels() -> None:
    """Compiles what is not in the cache, so that no question waits for it."""
    from inarow.search.warm_up import warm_up_steps

    for _, step in warm_up_steps():
        step()
