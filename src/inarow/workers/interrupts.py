"""Delaying and forwarding requests to stop: Ctrl-C, SIGTERM and, when a terminal is closed, SIGHUP."""

from __future__ import annotations

import _thread
import ctypes
import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

STOP_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_IMPORT_SYSTEM = ("importlib._bootstrap", "_frozen_importlib")
_MOMENT = 0.002  # seconds; long enough for a call of compiled code to begin


_received: list[int] = []


def raise_interrupt(number: int, frame: FrameType | None) -> None:
    """A signal handler that raises KeyboardInterrupt like Python's own, except where an exception would be lost or
    crash the process. There it sends the signal again a moment later.
    """
    if number == getattr(signal, "SIGHUP", None):
        _forget_terminal()
    if not _loses_exceptions(frame):
        _received.append(number)
        raise KeyboardInterrupt
    _thread.start_new_thread(_interrupt_later, (number,))


def stop_signal() -> int:
    """The signal behind the last KeyboardInterrupt of `raise_interrupt`; SIGINT if there was none."""
    return _received[-1] if _received else signal.SIGINT


def handle_stop_signals() -> None:
    """Makes `raise_interrupt` the handler of all stop signals that this process does not ignore (nohup makes it ignore
    SIGHUP).
    """
    for number in STOP_SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, raise_interrupt)
    sys.unraisablehook = _repeat_lost_interrupt


def _repeat_lost_interrupt(lost: sys.UnraisableHookArgs) -> None:
    """Python drops exceptions in finalizers and callbacks; an interrupt that was raised there is sent again."""
    if lost.exc_type is KeyboardInterrupt:
        _thread.start_new_thread(_interrupt_later, (stop_signal(),))
    else:
        sys.__unraisablehook__(lost)


def ignore_stop_signals() -> None:
    """For child processes that end when their parent closes a pipe: only the parent decides what to save first."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _forget_terminal() -> None:
    """Discards further output to the terminal, which is closed: writing there would raise an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(output).st_mode):  # isatty is false for a closed terminal
                os.dup2(nowhere, output)
    os.close(nowhere)


def _loses_exceptions(frame: FrameType | None) -> bool:
    """Whether an exception raised in a frame is lost: in callbacks of LLVM while machine code is loaded, and of the
    import system while a lock is released. Numba unpacks random number generators with `ctypes.cast` and crashes if
    that raises.
    """
    if frame is not None and frame.f_globals.get("__name__") in _IMPORT_SYSTEM:
        return True
    while frame is not None:
        if frame.f_code is ctypes.cast.__code__ or frame.f_globals.get("__name__", "").startswith("llvmlite.binding"):
            return True
        frame = frame.f_back
    return False


def _interrupt_later(number: int) -> None:
    time.sleep(_MOMENT)
    interrupt_main_thread(number)


def interrupt_main_thread(number: int = signal.SIGINT) -> None:
    """Sends Ctrl-C or another signal to the main thread, even while it waits."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:  # on Windows
        _thread.interrupt_main()


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Delays Ctrl-C, and the other stop signals that `raise_interrupt` handles, until the end of the block: for short
    work that must not be interrupted. Does nothing outside the main thread, the only one that handles signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    deferred = [number for number in STOP_SIGNALS if number == signal.SIGINT or before[number] is raise_interrupt]
    for number in deferred:
        signal.signal(number, lambda number, frame: received.append(number))
    try:
        yield
    finally:
        for number in deferred:
            signal.signal(number, before[number])
    if received:
        _received.append(received[-1])
        raise KeyboardInterrupt


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Delays Ctrl-C and SIGHUP until the end of the block; processes started in it never receive one."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def sigterm_handler_kept() -> Iterator[None]:
    """Restores the handler of SIGTERM after a library has replaced it. A SystemExit that the library's handler raises
    in the block becomes a KeyboardInterrupt.
    """
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    except SystemExit:
        _received.append(signal.SIGTERM)
        raise KeyboardInterrupt from None
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
