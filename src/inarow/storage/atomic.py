"""Atomic writes: a file appears complete or not at all."""

import hashlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from inarow.errors import InarowError
from inarow.storage.inputs import open_input

_DRAFT = ".inarow-draft"  # suffix of files being written, after the process id; no other program uses it
_MAX_HASHED = 64 << 30
_TRIES, _PAUSE = 20, 0.05  # seconds


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """A draft that replaces `path` when the block ends without an exception and the data is on disk.

    Until then an existing file is unchanged; after an exception the draft is removed.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}{_DRAFT}")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _replace(draft, path)
    except OSError as error:
        if error.filename == str(draft):  # name the file that the user knows instead
            error.filename = str(path)
        raise
    finally:
        draft.unlink(missing_ok=True)


def _replace(draft: Path, path: Path) -> None:
    """Windows replaces no file that another process (a reader, a virus scanner) has open: it is tried for a second."""
    for _ in range(_TRIES - 1):
        try:
            draft.replace(path)
        except PermissionError:
            if sys.platform != "win32":
                raise
            time.sleep(_PAUSE)
        else:
            return
    draft.replace(path)


def remove_stale_drafts(folder: Path, name: str = "*") -> None:
    """Removes the drafts that killed processes of this machine left: of all files, or only those of `name`.

    Drafts of living processes stay.
    """
    for draft in folder.glob(f".{name}.*{_DRAFT}"):
        process = draft.name.removesuffix(_DRAFT).rpartition(".")[2]
        if process.isdecimal() and not _is_alive(int(process)):
            draft.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    if sys.platform == "win32":  # os.kill would end the process there
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # the process of another user
        pass
    return True


def content_hash(path: Path, error: type[InarowError]) -> str:
    """A hash of the contents of a file; raises `error` if it cannot be read."""
    with open_input(path, _MAX_HASHED, error) as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
