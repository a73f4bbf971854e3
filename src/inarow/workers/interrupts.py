"""Ctrl-C at the right moment."""

from __future__ import annotations

import _thread
import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_MOMENT = 0.002
"""Seconds: long enough for a call of compiled code to begin."""


def raise_interrupt(number: int, frame: FrameType | None) -> None:
    """A handler of Ctrl-C that raises KeyboardInterrupt, as Python's own does, but not where compiled code is being
    called: Numba takes generators of random numbers apart with `ctypes.cast`, and crashes the process if that raises.
    There Ctrl-C comes again a moment later.
    """
    if frame is None or frame.f_code is not ctypes.cast.__code__:
        raise KeyboardInterrupt
    _thread.start_new_thread(_interrupt_later, ())


def _interrupt_later() -> None:
    time.sleep(_MOMENT)
    interrupt_main_thread()


def interrupt_main_thread() -> None:
    """Ctrl-C for the main thread, also where it waits."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:  # on Windows
        _thread.interrupt_main()


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Ctrl-C waits for the end of the block, whichever thread the signal reaches: for short work that must
    not be torn in two. Outside the main thread, which alone sees Ctrl-C, it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Ctrl-C waits for the end of the block, and processes started in it never see one."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
