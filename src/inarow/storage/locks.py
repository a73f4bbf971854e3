"""One process at a time: claims on folders and files, which end with the process however it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inarow.errors import InarowError
from inarow.storage.atomic import remove_drafts


@contextmanager
def exclusive_lock(path: Path, refusal: InarowError) -> Iterator[None]:
    """Raises `refusal` if another block, in whichever process, has the same file or folder, which must exist.

    Nothing is written: the claim is a lock on the path itself. Where the system has no such locks
    (Windows, some network drives), everybody is let in.
    """
    try:
        import fcntl
    except ImportError:  # on Windows
        yield
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise refusal from None
        except OSError:  # a file system without locks
            pass
        if not _is_at(path, descriptor):  # its owner has just finished and removed it
            raise refusal
        yield
    finally:
        os.close(descriptor)


@contextmanager
def exclusive_folder(folder: Path, refusal: InarowError) -> Iterator[None]:
    """The same for a folder in which files are replaced whole: what a killed process left half-written goes."""
    with exclusive_lock(folder, refusal):
        remove_drafts(folder)
        yield


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
