"""Exclusive locks on files and folders. A lock ends with its process, however that ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inarow.errors import InarowError
from inarow.storage.atomic import remove_stale_drafts


@contextmanager
def exclusive_lock(path: Path, refusal: InarowError) -> Iterator[None]:
    """Locks a file or folder, which must exist; raises `refusal` if another block, in any process, holds the lock.

    Nothing is written: the lock is on the path itself. Where the system has no such locks (Windows,
    some network drives), every caller gets in.
    """
    try:
        import fcntl
    except ImportError:  # on Windows
        yield
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would wait for a writer
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise refusal from None
        except OSError:  # a file system without locks
            pass
        if not _is_at(path, descriptor):  # the owner has just removed or replaced it
            raise refusal
        yield
    finally:
        os.close(descriptor)


@contextmanager
def exclusive_folder(folder: Path, refusal: InarowError) -> Iterator[None]:
    """Locks a folder, and removes the drafts that a killed process left in it."""
    with exclusive_lock(folder, refusal):
        remove_stale_drafts(folder)
        yield


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
