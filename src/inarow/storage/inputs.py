"""Reading the files of users: regular files of bounded size, opened once.

Reading a pipe or a device may block or never end, and a sparse file can have any size. A file is opened once, so that
checks and reading see the same file even if its name is reused meanwhile.
"""

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from inarow.errors import InarowError, raised_as

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_PIECE = 1 << 20


class PieceReader(io.BufferedReader):
    """Refuses to read more than a megabyte at once: an archive reader allocates the size that a member declares before
    it reads.
    """

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _PIECE:
            raise ValueError(f"one part of it claims to have {size >> 20} MB")
        return super().read(size)


def looks_like_file(text: str) -> bool:
    """Whether a text that may also be something else, such as a name or a move string, is meant as a file."""
    return any(sign in text for sign in (".", "/", os.sep))


@contextmanager
def open_input(path: Path, limit: int, error: type[InarowError]) -> Iterator[PieceReader]:
    """An open file. Raises `error` with the name of the file and the reason if it cannot be opened, is not a regular
    file or has more than `limit` bytes.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError) as reason:  # ValueError: an impossible file name
        _refuse(path, error, (reason.strerror if isinstance(reason, OSError) else None) or "no file can have this name")
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            is_folder = stat.S_ISDIR(status.st_mode)
            _refuse(path, error, "it is a folder" if is_folder else "it is not a regular file")
        if status.st_size > limit:
            _refuse_size(path, error, limit)
        yield PieceReader(io.FileIO(descriptor, closefd=False))
    finally:
        os.close(descriptor)


def read_input(path: Path, limit: int, error: type[InarowError]) -> bytes:
    """The content of a file; raises `error` as `open_input` does, also if reading fails or the file grows too large."""
    pieces: list[bytes] = []
    size = 0
    with open_input(path, limit, error) as file, raised_as(error, f"{path} cannot be read", OSError):
        while size <= limit and (piece := file.read(_PIECE)):
            pieces.append(piece)
            size += len(piece)
    if size > limit:
        _refuse_size(path, error, limit)
    return b"".join(pieces)


def _refuse_size(path: Path, error: type[InarowError], limit: int) -> NoReturn:
    _refuse(path, error, f"it is larger than {limit >> 20} MB" if limit >> 20 else f"it is larger than {limit} bytes")


def _refuse(path: Path, error: type[InarowError], reason: str) -> NoReturn:
    raise error(f"{path} cannot be read: {reason}") from None
