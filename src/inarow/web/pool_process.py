"""A process of the lab with a pipe that never blocks the event loop.

It ends with the lab, even if the lab is killed, because it ends when the pipe closes.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from inarow.workers.interrupts import ignore_stop_signals
from inarow.workers.local import spawn

Main = Callable[..., None]  # the main function of the process: called with its end of the pipe and the arguments


class LabProcess:
    """A started process and our end of its pipe. `messages` receives its messages, then None."""

    def __init__(self, main: Main, *arguments: Any) -> None:
        """Starts the process, which takes milliseconds: in the event loop, call `start` instead."""
        self._process, self._connection = spawn(main, *arguments)
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
        """Sends a message that fits the buffer of the pipe. Messages to a dead process are lost."""
        try:
            self._connection.send(message)
        except OSError:
            self._process.kill()

    def kill(self) -> None:
        self._process.kill()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Runs in a thread, since a read may block."""
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


def limit_resources(memory: int, *, niceness: int) -> None:
    """In the process: lowers its priority, ignores stop signals, which the lab handles, and limits its memory."""
    ignore_stop_signals()
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
    """The peak memory of this process in bytes; 0 if the system does not report it."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10  # macOS counts bytes, others kilobytes
