"""What the folders of training runs share: `config.json`, by which a folder is known as one, claims, and the curve."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from inarow.errors import ConfigError, one_line
from inarow.learning.config import ConfigPart
from inarow.storage.atomic import atomic_write
from inarow.storage.locks import exclusive_folder

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from inarow.learning.event_file import EventFile

_AnyConfig = TypeVar("_AnyConfig", bound=ConfigPart)
_Identity = tuple[int, int, int] | None
_CONFIG, _CURVE = "config.json", "curve.csv"


class RunClaim:
    """The claim on the folder of a run: held while the run is read, and again while it is trained.

    Between the two another process may train there. Whoever went on from what was read before that would overwrite
    its work, and is refused.
    """

    def __init__(self, folder: Path, checkpoint: str) -> None:
        """To be made before anything is read; `checkpoint` is the file from which the run goes on."""
        self._folder, self._config, self._checkpoint = folder, folder / _CONFIG, folder / checkpoint
        self._known = self._look()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Within, no other process starts, resumes or trains the run. Raises ConfigError if one does, or if one did
        since the claim was made or last held.
        """
        folder = self._folder
        refusal = f"{folder} is in use: another process trains there; wait for it, or choose another folder"
        with exclusive_folder(folder, ConfigError(refusal)):
            if self._look() != self._known:
                raise ConfigError(f"{folder} has changed since it was read: another process trained; resume it again")
            try:
                yield
            finally:
                self._known = self._look()

    @contextmanager
    def begun(self, config: ConfigPart) -> Iterator[None]:
        """The same for a new run, whose folder and config are made; raises ConfigError if the folder has one."""
        folder = self._folder
        folder.mkdir(parents=True, exist_ok=True)
        with self.held():
            if self._config.exists():
                raise ConfigError(f"{folder} has a training run; continue it with --resume, or choose another folder")
            write_config(folder, config)
            yield

    def _look(self) -> tuple[_Identity, _Identity]:
        return _identity(self._config), _identity(self._checkpoint)


def _identity(path: Path) -> _Identity:
    """Another one whenever the file is replaced; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def write_config(folder: Path, config: ConfigPart) -> None:
    with atomic_write(folder / _CONFIG) as file:
        file.write(msgspec.json.format(msgspec.json.encode(config)) + b"\n")


def read_config(folder: Path, kind: type[_AnyConfig]) -> _AnyConfig:
    """The config of a run; raises ConfigError."""
    try:
        return msgspec.json.decode((folder / _CONFIG).read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ConfigError(f"{folder} has no training run: {one_line(error)}") from None


class CurveFiles:
    """The curve of a run in its folder: `curve.csv`, and for TensorBoard an event file, if its package is there."""

    def __init__(self, folder: Path, kind: type[DataclassInstance], step: str) -> None:
        """`step` is the field of `kind` that grows from point to point."""
        self._folder, self._step = folder, step
        self._names = [field.name for field in fields(kind)]
        self._events: EventFile | None = None
        self._told, self._last_step = 0, -1
        """Points in the event file."""

    def write(self, points: Sequence[DataclassInstance]) -> None:
        """All points so far."""
        rows = [asdict(point) for point in points]
        text = io.StringIO()
        writer = csv.DictWriter(text, self._names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        with atomic_write(self._folder / _CURVE) as file:
            file.write(text.getvalue().encode())
        self._tell(rows)

    def _tell(self, rows: Sequence[dict[str, Any]]) -> None:
        if self._events is None or self._told > len(rows):
            try:
                from inarow.learning.event_file import EventFile
            except ImportError:  # the extra tb is not installed
                return
            self._events, self._told, self._last_step = EventFile(self._folder), 0, -1
        for row in rows[self._told :]:
            step = row.pop(self._step)
            if step > self._last_step:  # short runs have several points of one step
                self._events.add(step, row)
                self._last_step = step
        self._told = len(rows)
        self._events.flush()
