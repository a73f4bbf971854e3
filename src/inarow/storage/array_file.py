"""Files of arrays with a JSON header: `.npz`, written atomically, read without pickle."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic

from inarow.errors import InarowError, one_line
from inarow.storage.atomic import atomic_write
from inarow.storage.inputs import open_input

_ZIP = b"PK\3\4"
_MAX_MEMBERS = 64
_MAX_RATIO = 500  # unpacked size / file size: position keys keep real files below it; only zeros reach 1,000
_SMALL = 256 << 20  # bytes; the ratio is not checked up to this size
_READ_SHAPE = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}


@dataclass(frozen=True, slots=True)
class FileKind:
    """The format and version of a kind of file, and the error for invalid files."""

    format: str
    version: int
    noun: str  # for messages, with its article, such as "a book"
    error: type[InarowError]
    max_bytes: int  # limit for the file and for its unpacked content


def save_arrays(path: Path, kind: FileKind, header: Mapping[str, object], arrays: Mapping[str, np.ndarray]) -> None:
    """Writes the arrays and the header; adds format and version to the header."""
    text = json.dumps({"format": kind.format, "version": kind.version, **header}).encode()
    with atomic_write(path) as file:
        named: dict[str, Any] = {**arrays, "header": np.frombuffer(text, np.uint8)}
        np.savez_compressed(file, **named)


@contextmanager
def load_arrays(path: Path, kind: FileKind) -> Iterator[tuple[Any, Mapping[str, np.ndarray]]]:
    """The header, which is JSON with the right format and version, and the arrays, each read on access.

    Every exception, also one raised in the block, is raised as `kind.error`.
    """
    try:
        with open_input(path, kind.max_bytes, _Invalid) as file:
            if file.peek(4)[:4] != _ZIP or not is_zipfile(file):
                raise _Invalid("it is not an .npz archive")
            file.seek(0)
            with np.load(file, allow_pickle=False) as arrays:
                _check_sizes(arrays.zip, os.fstat(file.fileno()).st_size, kind)
                if "header" not in arrays:
                    raise _Invalid("the archive has no header")
                header = json.loads(bytes(arrays["header"]))
                found = header["format"], header["version"]
                if found != (kind.format, kind.version):
                    raise kind.error(f"{path} has format {found[0]} {found[1]}, not {kind.format} {kind.version}")
                yield header, arrays
    except kind.error:
        raise
    except (InarowError, json.JSONDecodeError) as error:
        reason = one_line(error).removeprefix(f"{path} cannot be read: ")
        raise kind.error(f"{path} is not {kind.noun}: {reason}") from None
    except Exception:  # a damaged archive can raise almost any error of NumPy or zipfile
        raise kind.error(f"{path} is not {kind.noun}: it is damaged or not an .npz archive") from None


class _Invalid(InarowError):
    """An invalid archive."""


def _check_sizes(archive: ZipFile, size: int, kind: FileKind) -> None:
    """Raises _Invalid, before anything is unpacked, if the members are too large or their sizes contradict their
    arrays.
    """
    members = archive.infolist()
    if len(members) > _MAX_MEMBERS:
        raise _Invalid(f"it has more than {_MAX_MEMBERS} arrays")
    total = sum(member.file_size for member in members)
    limit = min(kind.max_bytes, _memory(), max(_SMALL, _MAX_RATIO * size))
    if total > limit:
        raise _Invalid(f"it would unpack to {total >> 20:,} MB; the limit is {limit >> 20:,} MB")
    for member in members:
        with archive.open(member) as content:
            shape, _, dtype = _READ_SHAPE[read_magic(content)](content)
            if dtype.hasobject:
                raise _Invalid("it holds Python objects")
            if prod(shape) * dtype.itemsize != member.file_size - content.tell():
                raise _Invalid("the declared size of an array is wrong")


def _memory() -> int:
    """Bytes of memory of this machine, or a large number where that is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 1 << 62


def checksum(arrays: Mapping[str, np.ndarray]) -> str:
    """A hash of the contents of the arrays in their order, the same on every machine."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays.values():
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)
    return digest.hexdigest()
