"""A process beside the lab: spoken to through a pipe of its own, never in the way of the event loop.

It dies with the lab, even if that is killed: the end of the pipe is its end.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from inarow.workers import interrupts_held_back

Main = Callable[..., None]
"""What the process does: called with its end of the pipe, and arguments."""


class LabProcess:
    """A process that was started, and our end of its pipe. `messages` brings what it sends, then None."""

    def __init__(self, main: Main, *arguments: Any) -> None:
        """Starts it. Called in a thread: that takes some milliseconds. `listen` follows in the event loop."""
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        with interrupts_held_back():
            self._process = context.Process(target=main, args=(theirs, *arguments), daemon=False)
            self._process.start()
        theirs.close()
        self.messages: asyncio.Queue[Any] = asyncio.Queue()

    @classmethod
    async def start(cls, main: Main, *arguments: Any) -> LabProcess:
        process = await asyncio.to_thread(cls, main, *arguments)
        loop = asyncio.get_running_loop()
        threading.Thread(target=process._listen, args=(loop,), name="listens to a process", daemon=True).start()
        return process

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def send(self, message: Any) -> None:
        """A short message: it must fit the buffer of the pipe. To a dead process it is lost."""
        try:
            self._connection.send(message)
        except OSError:
            self._process.kill()

    def kill(self) -> None:
        self._process.kill()

    async def ended(self) -> None:
        """Waits for its end and buries it."""
        await asyncio.to_thread(self._process.join)

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread: a read may wait for the rest of a message, and the event loop must not."""
        message: Any = True
        while message is not None:
            try:
                message = self._connection.recv()
            except (EOFError, OSError):
                message = None
            try:
                loop.call_soon_threadsafe(self.messages.put_nowait, message)
            except RuntimeError:  # the lab has closed
                return
        self._process.join()


def live_with_parent(parent: Connection, take: Callable[[Any], None], *, at_the_end: Callable[[], None]) -> None:
    """In the process: `take` gets every message, in a thread of its own, until the lab is gone: `at_the_end`."""

    def read() -> None:
        try:
            while True:
                take(parent.recv())
        except (EOFError, OSError):
            at_the_end()

    threading.Thread(target=read, name="lives with parent", daemon=True).start()


def yield_to_people(memory: int, *, niceness: int) -> None:
    """In the process: the lab comes first, and nobody takes all memory."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(os, "nice"):
        os.nice(niceness)
    try:
        import resource
    except ImportError:  # on Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def peak_memory() -> int:
    """Bytes that this process held at most; 0 where nobody tells."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10  # macOS counts bytes, others kilobytes
