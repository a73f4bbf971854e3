"""Files of arrays with a JSON header: `.npz`, written whole or not at all, read without pickle."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from inarow.errors import InarowError, one_line

_DRAFT = ".inarow-draft"
"""Ends the names of files that are being written, after the number of the process; nobody else's end so."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file says it is, and what people are told if it is not."""

    format: str
    version: int
    noun: str
    """With its article: a book."""
    error: type[InarowError]
    max_bytes: int


def save_arrays(path: Path, kind: FileKind, header: Mapping[str, object], arrays: Mapping[str, np.ndarray]) -> None:
    """Writes the arrays and the header, with format and version added to it."""
    text = json.dumps({"format": kind.format, "version": kind.version, **header}).encode()
    with whole_file(path) as file:
        named: dict[str, Any] = {**arrays, "header": np.frombuffer(text, np.uint8)}
        np.savez_compressed(file, **named)


@contextmanager
def load_arrays(path: Path, kind: FileKind) -> Iterator[tuple[Any, Mapping[str, np.ndarray]]]:
    """The header, any JSON with the right format and version, and the arrays, each read when asked for.

    Whatever goes wrong with the file, also inside the block, is raised as the error of its kind.
    """
    try:
        if path.stat().st_size > kind.max_bytes:
            raise kind.error(f"{path} has more than {kind.max_bytes >> 20} MB; it is not {kind.noun}")
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            header = json.loads(bytes(arrays["header"]))
            found = header["format"], header["version"]
            if found != (kind.format, kind.version):
                raise kind.error(f"{path} has format {found[0]} {found[1]}, not {kind.format} {kind.version}")
            yield header, arrays
    except kind.error:
        raise
    except Exception as error:  # a damaged archive can raise almost anything
        raise kind.error(f"{path} is not {kind.noun}: {one_line(error)}") from None


def checksum(arrays: Mapping[str, np.ndarray]) -> str:
    """Of the contents of arrays in their order, the same on every machine."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays.values():
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)
    return digest.hexdigest()


def content_hash(path: Path, error: type[InarowError]) -> str:
    """Tells files apart, whatever their names; raises `error` if it cannot be read."""
    try:
        return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    except OSError as reason:
        raise error(f"{path} cannot be read: {reason.strerror}") from None


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes its name only when the block ends well and the disk has it; until then an older one stays."""
    draft = path.with_name(f".{path.name}.{os.getpid()}{_DRAFT}")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def remove_drafts(folder: Path, name: str = "*") -> None:
    """Removes what killed processes of this machine left of files that they were writing: of all, or of those
    called `name`. Files that a living process writes stay.
    """
    for draft in folder.glob(f".{name}.*{_DRAFT}"):
        process = draft.name.removesuffix(_DRAFT).rpartition(".")[2]
        if process.isdecimal() and not _lives(int(process)):
            draft.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    if sys.platform == "win32":  # where the question would be a Ctrl-C
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # it is somebody else's
        pass
    return True
