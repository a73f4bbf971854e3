"""Exclusive locks on files and folders. A lock ends with its process, however that ends."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from inarow.errors import InarowError
from inarow.storage.atomic import remove_stale_drafts

LOCK_FILE = ".inarow-lock"
"""In a locked folder on Windows, which can lock and open only files; it is removed with the lock."""
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)  # a pipe would wait for a writer
_LOCKED_BYTE = 1 << 30  # on Windows a locked byte cannot be read, so one beyond the content is locked


@contextmanager
def exclusive_lock(path: Path, refusal: InarowError) -> Iterator[None]:
    """Locks a file or folder, which must exist; raises `refusal` if another block, in any process, holds the lock.

    On Windows the lock on a folder is one on `LOCK_FILE` in it; elsewhere nothing is written. Where the system has no
    such locks (some network drives), every caller gets in.
    """
    place = path / LOCK_FILE if sys.platform == "win32" and path.is_dir() else path
    descriptor = os.open(place, _READ if place == path else os.O_RDWR | os.O_CREAT)
    is_held = False
    try:
        is_held = _lock(descriptor) and _is_at(place, descriptor)  # its owner may just have removed or replaced it
        if not is_held:
            raise refusal
        yield
    finally:
        os.close(descriptor)
        if is_held and place != path:
            with suppress(OSError):  # another process has opened it
                place.unlink()


@contextmanager
def exclusive_folder(folder: Path, refusal: InarowError) -> Iterator[None]:
    """Locks a folder, and removes the drafts that a killed process left in it."""
    with exclusive_lock(folder, refusal):
        remove_stale_drafts(folder)
        yield


def _lock(descriptor: int) -> bool:
    """Locks an open file until it is closed; False if another holds the lock."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # of fcntl, of msvcrt
        return False
    except OSError:  # a file system without locks
        pass
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
