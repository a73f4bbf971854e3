"""Journals: the partial results of a long computation, one per line, from which it resumes after a kill.

    00d4b6a5 5x5x4 4
    8a2c1f07 1234 -2 711

Every line begins with the CRC-32 of the rest of it. The first line is the title, which identifies the
computation. An incomplete last line, left by a kill or a full disk, is dropped and computed again.
"""

import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from inarow.errors import InarowError, shown
from inarow.storage.atomic import remove_stale_drafts
from inarow.storage.inputs import read_input
from inarow.storage.locks import exclusive_lock

_MAX_BYTES = 4 << 30


class Journal:
    """An open journal."""

    def __init__(self, file: IO[bytes], lines: list[str]) -> None:
        self._file = file
        self.lines = lines  # the lines found on opening, in ASCII, without the title

    def add(self, lines: Iterable[str]) -> None:
        """Appends lines; once this returns, they survive a kill."""
        self._file.write(b"".join(map(_to_line, lines)))
        self._file.flush()


@contextmanager
def open_journal(result: Path, title: str, error: type[InarowError]) -> Iterator[Journal]:
    """Opens or creates the journal beside the file `result`; removes it if the block ends without an exception.

    Raises `error` if another process uses it, if it is damaged, or if its title differs.
    """
    path = result.with_name(result.name + ".journal")
    path.touch()
    with exclusive_lock(
        path, error(f"{result} is being written by another process; wait for it, or write to another file")
    ):
        remove_stale_drafts(result.parent, result.name)
        content = read_input(path, _MAX_BYTES, error)
        complete = content[: content.rfind(b"\n") + 1]
        if not complete and _to_line(title).startswith(content):
            complete = _to_line(title)
            path.write_bytes(complete)
        lines = _read(complete, path, title, error)
        with path.open("ab") as file:
            file.truncate(len(complete))
            yield Journal(file, lines)
        path.unlink()


def _read(complete: bytes, path: Path, title: str, error: type[InarowError]) -> list[str]:
    damaged = error(f"{path} is damaged; remove it to start over")
    lines = []
    for line in complete.splitlines(keepends=True):
        content = line[9:-1]
        if not content.isascii() or _to_line(content.decode()) != line:
            raise damaged
        lines.append(content.decode())
    if not lines:
        raise damaged
    if lines[0] != title:
        raise error(f"{path} belongs to another computation ({shown(lines[0])}, not {title}); remove it to start over")
    return lines[1:]


def _to_line(text: str) -> bytes:
    content = text.encode("ascii")
    return f"{zlib.crc32(content):08x} ".encode() + content + b"\n"
