"""Common parts of training runs: the folder, identified by its `config.json`, exclusive use of it, the curve, the games
learnt from, and runs that count episodes.
"""

from __future__ import annotations

import io
import os
import time
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, astuple, dataclass, fields
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

import msgspec

from inarow.errors import ConfigError, raised_as
from inarow.learning.config import MAX_BYTES, ConfigPart
from inarow.learning.learner import MakeOpponent, Progress, Run, TrainedAgent, Watch, sparkline
from inarow.storage.atomic import atomic_write
from inarow.storage.csv_text import write_csv_rows
from inarow.storage.inputs import open_input, read_input
from inarow.storage.locks import exclusive_folder

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Kind = TypeVar("_Kind")
TrainerT = TypeVar("TrainerT", bound="EpisodeTrainer")
MakeTrainer = Callable[[Any, MakeOpponent | None], TrainerT]  # creates a trainer from a config
_CONFIG = "config.json"
_MAX_GAMES_BYTES = 1 << 40
_MAX_LINE = 1 << 16


class RunClaim:
    """Exclusive use of the folder of a run: held while the run is read, and again while it is trained.

    In between, another process may train there. Continuing from an older state would overwrite its work, so it is an
    error.
    """

    def __init__(self, folder: Path, checkpoint: str) -> None:
        """Create it before reading any file; `checkpoint` is the file from which the run continues."""
        self._folder, self._config, self._checkpoint = folder, folder / _CONFIG, folder / checkpoint
        self._known = self._look()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Prevents other processes from starting, resuming or training the run. Raises ConfigError if one does so now,
        or did since the claim was created or last held.
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
        """Like `held`, for a new run: creates the folder and the config; raises ConfigError if the folder has a run."""
        folder = self._folder
        folder.mkdir(parents=True, exist_ok=True)
        with self.held():
            if self._config.exists():
                raise ConfigError(f"{folder} has a training run; continue it with --resume, or choose another folder")
            write_config(folder, config)
            yield

    def _look(self) -> dict[Path, tuple[int, int, int]]:
        """The identity of the files, which changes whenever one of them is replaced."""
        found = {}
        for path in (self._config, self._checkpoint):
            with suppress(OSError):
                status = path.stat()
                found[path] = status.st_ino, status.st_mtime_ns, status.st_size
        return found


def write_config(folder: Path, config: ConfigPart) -> None:
    with atomic_write(folder / _CONFIG) as file:
        file.write(msgspec.json.format(msgspec.json.encode(config)) + b"\n")


def read_config(folder: Path, kind: type[_Kind]) -> _Kind:
    """The config of a run; with `kind=Document` its unchecked content. Raises ConfigError."""
    path, refusal = folder / _CONFIG, f"{folder} has no training run"
    if not path.exists():
        reason = f"it has no file {_CONFIG}" if folder.exists() else "there is no such folder"
        raise ConfigError(f"{refusal}: {reason}")
    with raised_as(ConfigError, refusal, msgspec.MsgspecError, ValueError, RecursionError):
        return msgspec.json.decode(read_input(path, MAX_BYTES, ConfigError), type=kind)


# --- The curve and the games ---


class CurveFiles:
    """The curve of a run in its folder: `curve.csv`, and an event file for TensorBoard if tensorboardX is installed."""

    def __init__(self, folder: Path, kind: type[DataclassInstance], step: str) -> None:
        """`step` is the field of `kind` that increases from point to point."""
        self._folder, self._step = folder, step
        self._names = [field.name for field in fields(kind)]
        self._events: EventFile | None = None
        self._written = 0  # points in the event file

    def write(self, points: Sequence[DataclassInstance]) -> None:
        """Writes all points so far."""
        rows = [asdict(point) for point in points]
        text = io.StringIO()
        write_csv_rows(text, [self._names, *(row.values() for row in rows)])
        with atomic_write(self._folder / "curve.csv") as file:
            file.write(text.getvalue().encode())
        if self._events is None or self._written > len(rows):
            try:
                self._events, self._written = EventFile(self._folder), 0
            except ImportError:  # the extra tb is not installed
                return
        for row in rows[self._written :]:
            self._events.add(row.pop(self._step), row)
        self._written = len(rows)
        self._events.flush()


class EventFile:
    """Scalars by step for `tensorboard --logdir`. The only user of tensorboardX.

    Each process that continues a run starts a new file with all points of the curve: the steps after the last
    checkpoint are repeated, and no step may occur twice.
    """

    def __init__(self, folder: Path) -> None:
        """Raises ImportError without tensorboardX."""
        from tensorboardX.event_file_writer import EventsWriter
        from tensorboardX.proto import event_pb2, summary_pb2

        for old in folder.glob("events.out.tfevents.*"):
            old.unlink()
        self._event, self._summary = event_pb2.Event, summary_pb2.Summary
        self._writer, self._last_step = EventsWriter(str(folder.absolute() / "events")), -1
        weakref.finalize(self, _close, self._writer)
        # A running TensorBoard then discards the points of the previous file.
        self._add(step=0, session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.START))

    def add(self, step: int, values: Mapping[str, float | None]) -> None:
        """Adds a point, unless this step has one: short runs have several. None values are left out."""
        if step > self._last_step:
            self._last_step, summary = step, self._summary()
            for name, value in values.items():
                if value is not None:
                    summary.value.add(tag=name, simple_value=value)
            self._add(step=step, summary=summary)

    def _add(self, **parts: Any) -> None:
        self._writer.write_event(self._event(wall_time=time.time(), **parts))

    def flush(self) -> None:
        """Writes buffered points, so that a running TensorBoard can read them."""
        self._writer.flush()


def _close(writer: Any) -> None:
    """Closes the writer; ignores errors, since a full disk has been reported before."""
    with suppress(OSError):
        writer.close()


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of a learner against itself or others."""

    board: str
    opening: int  # number of random moves at the start
    result: int  # 1, 0 or -1 for the first side; the proven result if the game ended early
    moves: str


class GamesFile:
    """`games.csv`: the games from which a run learnt. Lines are only appended; when a run resumes, lines after its
    checkpoint are cut off.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "games.csv"

    def begin(self) -> None:
        """Writes a file without games."""
        self._path.write_text("board,opening,result,moves\n", encoding="utf-8")

    def add(self, games: Iterable[PlayedGame]) -> None:
        """Adds all games or, if that fails, none."""
        length = self._path.stat().st_size
        try:
            with self._path.open("a", encoding="utf-8", newline="") as file:
                write_csv_rows(file, map(astuple, games))
        except BaseException:
            os.truncate(self._path, length)  # a full disk may leave half a line
            raise

    def sync(self) -> None:
        """Waits until all added games are on disk. Call it before writing a checkpoint that counts them."""
        with self._path.open("r+b") as file:
            os.fsync(file.fileno())

    def cut(self, games: int) -> None:
        """Keeps the first `games` games; raises ConfigError if the file has fewer."""
        try:
            with open_input(self._path, _MAX_GAMES_BYTES, ConfigError) as file:
                lines = iter(partial(file.readline, _MAX_LINE), b"")
                lengths = [len(line) for line in islice(lines, games + 1) if line.endswith(b"\n")]
            if len(lengths) <= games:
                raise ConfigError(f"{self._path} has fewer games than its checkpoint")
            os.truncate(self._path, sum(lengths))
        except OSError as error:
            raise ConfigError(f"{self._path} cannot be read: {error.strerror}") from None


# --- Runs by episodes ---


class EpisodeTrainer(Protocol):
    """The trainer of an `EpisodeRun`."""

    config: Any
    episodes: int
    curve: list[Any]

    @property
    def is_finished(self) -> bool: ...


class EpisodeRun(Run, Generic[TrainerT]):
    """A trainer with a folder, whose progress is counted in episodes. Created by `start` or `resume`."""

    trainer_type: MakeTrainer[TrainerT]
    config_type: type[ConfigPart]
    point_type: type  # type of the points of the curve
    product_name: str  # name of the file from which the agent plays
    checkpoint_name: str

    def __init__(self, folder: Path, trainer: TrainerT, claim: RunClaim) -> None:
        self.folder, self.trainer, self._claim = folder, trainer, claim
        self.product, self._checkpoint = folder / self.product_name, folder / self.checkpoint_name
        self._curve_files = CurveFiles(folder, self.point_type, step="episode")

    @classmethod
    def start(
        cls,
        config: ConfigPart,
        folder: Path,
        make_opponent: MakeOpponent | None = None,
        make_trainer: MakeTrainer[TrainerT] | None = None,
    ) -> Self:
        """A new run; raises ConfigError if the folder has a run, and the errors of the trainer. `make_trainer` is for
        trainers with other arguments.
        """
        make = make_trainer or cls.trainer_type
        trainer, claim = make(config, make_opponent), RunClaim(folder, cls.checkpoint_name)
        with claim.begun(config):
            run = cls(folder, trainer, claim)
            run._begin()
            return run

    @classmethod
    def resume(
        cls,
        folder: Path,
        make_opponent: MakeOpponent | None = None,
        make_trainer: MakeTrainer[TrainerT] | None = None,
    ) -> Self:
        """A run at its last checkpoint; raises ConfigError, and the errors of the trainer and its files."""
        make, claim = make_trainer or cls.trainer_type, RunClaim(folder, cls.checkpoint_name)
        run = cls(folder, make(read_config(folder, cls.config_type), make_opponent), claim)
        with claim.held():
            if run._checkpoint.exists():
                run._restore()
            else:  # the run may have been killed before it wrote the file
                run._begin()
        return run

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
            saved = time.monotonic()
            try:
                while not self.trainer.is_finished:
                    self._advance()
                    if watch is not None:
                        watch(self.progress)
                    if time.monotonic() - saved >= checkpoint_seconds:
                        self._save()
                        saved = time.monotonic()
            finally:
                self._save()
        return self._trained_agent()

    def _begin(self) -> None:
        """Creates the files of a run without a checkpoint. This and the following methods are called with the folder
        held.
        """

    @abstractmethod
    def _restore(self) -> None:
        """Continues from the checkpoint."""

    @abstractmethod
    def _advance(self) -> None:
        """Trains for some time. After an exception the trainer is unchanged, or `_save` does nothing."""

    @abstractmethod
    def _save(self) -> None:
        """Writes a checkpoint."""

    @abstractmethod
    def _trained_agent(self) -> TrainedAgent: ...


def reward_cells(points: Sequence[Any]) -> tuple[str, ...]:
    """Table cells of the last point: episode, mean reward with a sparkline over all points, rates of results."""
    last = points[-1]
    rates = (f"{rate:.1%}" for rate in (last.wins, last.draws, last.losses))
    return f"{last.episode:,}", f"{last.reward:+.3f} {sparkline([point.reward for point in points])}", *rates
