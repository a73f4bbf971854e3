"""The agent that plays from a Kaggle ConnectX file: third-party code, in a separate process."""

import gzip
import os
import tarfile
import tempfile
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta, Struct

from inarow.agents import kaggle_host
from inarow.agents.agent import Decision, ImmediateAgent
from inarow.agents.confined import ConfinedProcess, WorkingFolder, working_folder
from inarow.errors import IllegalMoveError, InvalidAgentError, KaggleFileError, KaggleTimeoutError, one_line, shown
from inarow.games import GameSpec, Position
from inarow.storage.atomic import content_hash
from inarow.storage.inputs import PieceReader, open_input

_START_SECONDS = 10.0  # what starting Python may take; Kaggle does not count it
_FILE_BYTES = 256 << 20
_ARCHIVE_MEMBERS = 10_000
_ARCHIVE_BYTES = 1 << 30  # the most that an archive may hold, unpacked; submissions hold much less


class KaggleParameters(Struct, frozen=True, kw_only=True):
    file: Annotated[
        str, Meta(description="Python file whose last callable is the agent, or a .tar.gz with such a main.py")
    ] = ""
    seconds: Annotated[float, Meta(gt=0, le=3600, description="time for a move")] = 2.0
    overage: Annotated[float, Meta(ge=0, le=3600, description="time in a game for moves that take longer")] = 60.0


class KaggleFileAgent(ImmediateAgent):
    """Decides as the file does. Each game gets a new process in an empty folder, or one with what an archive holds,
    without our environment variables.

    An answer that is not a plain int is an illegal move, as on Kaggle (None is column 0, also as there);
    an exception raises KaggleFileError, a move beyond the time limits KaggleTimeoutError.
    """

    def __init__(self, name: str, parameters: KaggleParameters, rng: np.random.Generator) -> None:
        self.name = name
        if not os.path.isfile(parameters.file):  # False also for a name that no file can have
            raise InvalidAgentError(f"kaggle needs an agent file; {shown(parameters.file)} is not a file")
        self._path = Path(parameters.file).resolve()
        with open_input(self._path, _FILE_BYTES, InvalidAgentError):
            pass  # the process of the file reads it
        tempfile.gettempdir()  # without one no process can be started, which is not the fault of the file
        self._seconds, self._overage = parameters.seconds, parameters.overage
        self._last: tuple[int, ...] | None = None
        self._process: KaggleProcess | None = None

    def _decide(self, position: Position) -> Decision:
        self.check_board(position.spec)
        if self._process is None or self._last is None or position.actions[: len(self._last)] != self._last:
            if self._process is not None:
                self._process.close()
            self._process = KaggleProcess(self._path, self._seconds, self._overage)
        self._last = None  # after a failure the next decision starts a new process
        reply = self._process.ask(position)
        action = reply.column()
        self._last = (*position.actions, action)
        return Decision(action=action, details={"seconds": round(reply.seconds, 6), "isolated": reply.isolated})

    def check_board(self, spec: GameSpec) -> None:
        if not spec.gravity:
            raise KaggleFileError(f"Kaggle files play ConnectX, which has gravity, not {spec}")


def file_hash(parameters: KaggleParameters) -> str:
    """A hash of the contents of the file."""
    return content_hash(Path(parameters.file), InvalidAgentError)


class Reply(Struct, frozen=True, kw_only=True):
    """What the host answers: an action and its type, or the error of the file."""

    action: int | str | None = None
    kind: str = ""
    error: str | None = None
    seconds: Annotated[float, Meta(ge=0)]
    isolated: bool  # whether the file runs in namespaces of its own

    def column(self) -> int:
        """The one that Kaggle would understand; raises IllegalMoveError."""
        if self.kind == "NoneType":
            return 0
        if self.kind != "int" or not isinstance(self.action, int):
            answer = f"{self.kind} {shown(str(self.action))}"
            raise IllegalMoveError(f"the file answered {answer}; Kaggle takes a plain int only")
        return self.action


def observation(position: Position, overage: float) -> dict[str, Any]:
    """What Kaggle shows to the side to move."""
    return {
        "board": position.to_kaggle(),
        "mark": position.side_to_move,
        "step": position.ply,
        "remainingOverageTime": overage,
    }


def configuration(position: Position, seconds: float) -> dict[str, Any]:
    """Kaggle's configuration of the game."""
    spec = position.spec
    return {
        "rows": spec.rows,
        "columns": spec.columns,
        "inarow": spec.inarow,
        "actTimeout": seconds,
        "timeout": seconds,
        "agentTimeout": 60,
        "episodeSteps": 1000,
        "runTimeout": 1200,
    }


class KaggleProcess:
    """One process that plays one game with a file, or with the `main.py` of an archive (`.tar.gz`) that is unpacked
    into its folder, under Kaggle's time control, confined by `kaggle_sandbox`. `bare` forbids it everything but the
    standard library and NumPy. Raises KaggleFileError for a bad archive.
    """

    def __init__(self, path: Path, seconds: float, overage: float, *, bare: bool = False) -> None:
        self._seconds = seconds
        self.overage = overage  # what is left of it
        folder = working_folder()
        if path.name.endswith(".tar.gz"):
            path = unpacked_main(path, folder)
        arguments = [*(["--bare"] if bare else []), str(path)]
        self._process = ConfinedProcess(kaggle_host.__file__, arguments, folder)
        self._is_new = True

    def ask(self, position: Position) -> Reply:
        """The reply of the host in a position. Raises KaggleTimeoutError when time is up, KaggleFileError if the file
        failed; both end the process.
        """
        seconds = self._seconds + self.overage
        seen, settings = observation(position, self.overage), configuration(position, self._seconds)
        patience = seconds + (_START_SECONDS if self._is_new else 1.0)
        self._is_new = False
        try:
            answer = self._process.ask({"observation": seen, "configuration": settings}, patience)
            reply = msgspec.convert(answer, Reply)
        except TimeoutError:
            raise KaggleTimeoutError(f"time is up: no answer within {seconds:g} s") from None
        except ValueError as error:
            self.close()
            raise KaggleFileError(f"the process of the file ended: {one_line(error)}") from None
        self.overage -= max(0.0, reply.seconds - self._seconds)
        if reply.error is not None or self.overage < 0:
            self.close()
            if reply.error is not None:
                raise KaggleFileError(reply.error)
            raise KaggleTimeoutError(f"time is up: {reply.seconds:.3f} s for a move")
        return reply

    def close(self) -> None:
        self._process.close()


def unpacked_main(archive: Path, folder: WorkingFolder) -> Path:
    """The main file of an archive, unpacked into a folder that is removed if that fails."""
    main = Path(folder.name) / "main.py"
    try:
        with (
            open_input(archive, _FILE_BYTES, KaggleFileError) as file,
            PieceReader(gzip.GzipFile(fileobj=file)) as unzipped,  # enough of a raw stream
            tarfile.open(fileobj=unzipped, mode="r:") as members,
        ):
            size = 0
            for number, member in enumerate(members):
                size += tarfile.BLOCKSIZE + member.size
                if size > _ARCHIVE_BYTES or number > _ARCHIVE_MEMBERS:
                    most = f"{_ARCHIVE_BYTES >> 20} MB or {_ARCHIVE_MEMBERS:,} files"
                    raise KaggleFileError(f"it holds more than {most}")
            members.extractall(folder.name, filter="data")
        if not main.is_file():
            raise KaggleFileError("it has no main.py")
    except Exception as error:  # a damaged archive can raise almost anything
        folder.cleanup()
        is_plain = isinstance(error, (KaggleFileError, tarfile.FilterError))
        reason = one_line(error) if is_plain else "it is damaged or not a gzip file"
        raise KaggleFileError(f"{archive.name} is not a submission: {reason}") from None
    return main
