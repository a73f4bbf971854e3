"""Files of arrays with a JSON header: `.npz`, written atomically, read without pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import numpy as np

from inarow.errors import InarowError, one_line
from inarow.storage.atomic import atomic_write


@dataclass(frozen=True, slots=True)
class FileKind:
    """The format and version of a file, and the error for files that are anything else."""

    format: str
    version: int
    noun: str
    """For messages, with its article: a book."""
    error: type[InarowError]
    max_bytes: int


def save_arrays(path: Path, kind: FileKind, header: Mapping[str, object], arrays: Mapping[str, np.ndarray]) -> None:
    """Writes the arrays and the header; adds format and version to the header."""
    text = json.dumps({"format": kind.format, "version": kind.version, **header}).encode()
    with atomic_write(path) as file:
        named: dict[str, Any] = {**arrays, "header": np.frombuffer(text, np.uint8)}
        np.savez_compressed(file, **named)


@contextmanager
def load_arrays(path: Path, kind: FileKind) -> Iterator[tuple[Any, Mapping[str, np.ndarray]]]:
    """The header, which is JSON with the right format and version, and the arrays, each read on access.

    Every exception, also inside the block, is raised as the error of the kind.
    """
    try:
        if path.stat().st_size > kind.max_bytes:
            raise kind.error(f"{path} has more than {kind.max_bytes >> 20} MB; it is not {kind.noun}")
        if not is_zipfile(path):
            raise kind.error(f"{path} is not {kind.noun}: it is not an .npz archive")
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            if "header" not in arrays:
                raise kind.error(f"{path} is not {kind.noun}: the archive has no header")
            header = json.loads(bytes(arrays["header"]))
            found = header["format"], header["version"]
            if found != (kind.format, kind.version):
                raise kind.error(f"{path} has format {found[0]} {found[1]}, not {kind.format} {kind.version}")
            yield header, arrays
    except kind.error:
        raise
    except Exception as error:  # a damaged archive can raise almost anything
        reason = "it holds Python objects" if "allow_pickle" in str(error) else one_line(error)
        raise kind.error(f"{path} is not {kind.noun}: {reason}") from None


def checksum(arrays: Mapping[str, np.ndarray]) -> str:
    """A hash of the contents of the arrays in their order, the same on every machine."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays.values():
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)
    return digest.hexdigest()
