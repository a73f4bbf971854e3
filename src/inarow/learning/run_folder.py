"""What training runs share: `config.json`, which marks a folder as one, exclusive use, the curve, runs by episodes."""

from __future__ import annotations

import csv
import io
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import msgspec

from inarow.errors import ConfigError, one_line
from inarow.learning.config import ConfigPart, Document
from inarow.learning.learner import Progress, Run, TrainedAgent, Watch, sparkline
from inarow.storage.atomic import atomic_write
from inarow.storage.locks import exclusive_folder

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from inarow.learning.event_file import EventFile

_Kind = TypeVar("_Kind")
TrainerT = TypeVar("TrainerT", bound="EpisodeTrainer")
_Identity = tuple[int, int, int] | None
_CONFIG, _CURVE = "config.json", "curve.csv"


class RunClaim:
    """Exclusive use of the folder of a run: held while the run is read, and again while it is trained.

    In between, another process may train there. Continuing from what was read before would overwrite its work, so it
    is an error.
    """

    def __init__(self, folder: Path, checkpoint: str) -> None:
        """Create it before reading anything; `checkpoint` is the file from which the run continues."""
        self._folder, self._config, self._checkpoint = folder, folder / _CONFIG, folder / checkpoint
        self._known = self._look()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps other processes from starting, resuming or training the run. Raises ConfigError if one does so now, or
        did since the claim was made or last held.
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
        """The same for a new run: creates the folder and the config; raises ConfigError if the folder has a run."""
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
    """Differs after every replacement of the file; None if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def write_config(folder: Path, config: ConfigPart) -> None:
    with atomic_write(folder / _CONFIG) as file:
        file.write(msgspec.json.format(msgspec.json.encode(config)) + b"\n")


def read_document(folder: Path) -> Document:
    """The config of a run, unchecked; raises ConfigError."""
    return read_config(folder, Document)


def read_config(folder: Path, kind: type[_Kind]) -> _Kind:
    """The config of a run; raises ConfigError."""
    try:
        return msgspec.json.decode((folder / _CONFIG).read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ConfigError(f"{folder} has no training run: {one_line(error)}") from None


class CurveFiles:
    """The curve of a run in its folder: `curve.csv`, and an event file for TensorBoard if tensorboardX is installed."""

    def __init__(self, folder: Path, kind: type[DataclassInstance], step: str) -> None:
        """`step` is the field of `kind` that grows from point to point."""
        self._folder, self._step = folder, step
        self._names = [field.name for field in fields(kind)]
        self._events: EventFile | None = None
        self._written, self._last_step = 0, -1  # points in the event file

    def write(self, points: Sequence[DataclassInstance]) -> None:
        """All points so far."""
        rows = [asdict(point) for point in points]
        text = io.StringIO()
        writer = csv.DictWriter(text, self._names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        with atomic_write(self._folder / _CURVE) as file:
            file.write(text.getvalue().encode())
        self._write_events(rows)

    def _write_events(self, rows: Sequence[dict[str, Any]]) -> None:
        if self._events is None or self._written > len(rows):
            try:
                from inarow.learning.event_file import EventFile
            except ImportError:  # the extra tb is not installed
                return
            self._events, self._written, self._last_step = EventFile(self._folder), 0, -1
        for row in rows[self._written :]:
            step = row.pop(self._step)
            if step > self._last_step:  # short runs have several points with the same step
                self._events.add(step, row)
                self._last_step = step
        self._written = len(rows)
        self._events.flush()


class EpisodeTrainer(Protocol):
    """What trains in an `EpisodeRun`."""

    config: Any
    episodes: int
    curve: list[Any]


class EpisodeRun(Run, Generic[TrainerT]):
    """A trainer with a folder, whose progress is counted in episodes."""

    def __init__(self, folder: Path, trainer: TrainerT, claim: RunClaim, product: str, point: type) -> None:
        """`product` is the name of the file from which the agent plays, `point` the type of the points of the curve."""
        self.folder, self.trainer, self._claim = folder, trainer, claim
        self.product = folder / product
        self._curve_files = CurveFiles(folder, point, step="episode")

    @property
    def config(self) -> Any:
        return self.trainer.config

    @property
    def curve(self) -> list[Any]:
        return self.trainer.curve

    @property
    def title(self) -> str:
        return f"training on {self.config.board}"

    @property
    def progress(self) -> Progress:
        point = self.curve[-1] if self.curve else None
        return Progress(done=self.trainer.episodes, total=self.config.episodes, unit="episodes", point=point)

    def train(self, watch: Watch | None = None, *, checkpoint_seconds: float = 15.0) -> TrainedAgent:
        with self._claim.held():
            self._train(watch, checkpoint_seconds)
        return self._trained_agent()

    @abstractmethod
    def _train(self, watch: Watch | None, checkpoint_seconds: float) -> None:
        """Trains to the end and writes checkpoints, with the folder held."""

    @abstractmethod
    def _trained_agent(self) -> TrainedAgent: ...


def reward_cells(points: Sequence[Any]) -> tuple[str, ...]:
    """Cells of a table about the last of some points: episode, mean reward with its course, rates of results."""
    last = points[-1]
    rates = (f"{rate:.1%}" for rate in (last.wins, last.draws, last.losses))
    return f"{last.episode:,}", f"{last.reward:+.3f} {sparkline([point.reward for point in points])}", *rates
