"""What the folders of training runs share: `config.json`, by which a folder is known as one, and `curve.csv`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from inarow.array_file import whole_file
from inarow.claim import alone_in
from inarow.errors import ConfigError, one_line
from inarow.learning.config import ConfigPart

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_AnyConfig = TypeVar("_AnyConfig", bound=ConfigPart)
_CONFIG, _CURVE = "config.json", "curve.csv"


@contextmanager
def alone_in_run(folder: Path) -> Iterator[None]:
    """Within, no other process starts, resumes or trains the run in the folder; raises ConfigError if one does."""
    refusal = ConfigError(f"{folder} is in use: another process trains there; wait for it, or choose another folder")
    with alone_in(folder, refusal):
        yield


def begin_folder(folder: Path, config: ConfigPart) -> None:
    """Makes the folder of a new run; raises ConfigError if there is one."""
    folder.mkdir(parents=True, exist_ok=True)
    with alone_in_run(folder):
        if (folder / _CONFIG).exists():
            raise ConfigError(f"{folder} has a training run; continue it with --resume, or choose another folder")
        write_config(folder, config)


def write_config(folder: Path, config: ConfigPart) -> None:
    with whole_file(folder / _CONFIG) as file:
        file.write(msgspec.json.format(msgspec.json.encode(config)) + b"\n")


def read_config(folder: Path, kind: type[_AnyConfig]) -> _AnyConfig:
    """The config of a run; raises ConfigError."""
    try:
        return msgspec.json.decode((folder / _CONFIG).read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ConfigError(f"{folder} has no training run: {one_line(error)}") from None


def write_curve(folder: Path, kind: type[DataclassInstance], points: Sequence[DataclassInstance]) -> None:
    """A line for each point, under the names of the fields of `kind`."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(kind)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(point) for point in points)
    with whole_file(folder / _CURVE) as file:
        file.write(text.getvalue().encode())
