"""Delaying and forwarding Ctrl-C."""

from __future__ import annotations

import _thread
import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_IMPORT_SYSTEM = ("importlib._bootstrap", "_frozen_importlib")
_MOMENT = 0.002
"""Seconds; long enough for a call of compiled code to begin."""


def raise_interrupt(number: int, frame: FrameType | None) -> None:
    """A signal handler that raises KeyboardInterrupt like Python's own, except where an exception would be lost or
    crash the process. In that case the signal is sent again a moment later.
    """
    if not _loses_exceptions(frame):
        raise KeyboardInterrupt
    _thread.start_new_thread(_interrupt_later, ())


def _loses_exceptions(frame: FrameType | None) -> bool:
    """Whether an exception raised in a frame gets lost: LLVM calls back while machine code is loaded, and the import
    system while a lock is released. Numba unpacks random number generators with `ctypes.cast` and crashes if that
    raises.
    """
    if frame is not None and frame.f_globals.get("__name__") in _IMPORT_SYSTEM:
        return True
    while frame is not None:
        if frame.f_code is ctypes.cast.__code__ or frame.f_globals.get("__name__", "").startswith("llvmlite.binding"):
            return True
        frame = frame.f_back
    return False


def _interrupt_later() -> None:
    time.sleep(_MOMENT)
    interrupt_main_thread()


def interrupt_main_thread() -> None:
    """Sends Ctrl-C to the main thread, even while it waits."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:  # on Windows
        _thread.interrupt_main()


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Delays Ctrl-C until the end of the block, whichever thread receives the signal: for short work that must not be
    interrupted. Does nothing outside the main thread, which alone handles Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if received:
        raise KeyboardInterrupt


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Delays Ctrl-C until the end of the block; processes started in it never receive one."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
