"""Files of arrays with a JSON header: `.npz`, written whole or not at all, read without pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inarow.errors import InarowError, one_line
from inarow.storage.atomic import atomic_write


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
    with atomic_write(path) as file:
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
