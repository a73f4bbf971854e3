"""Agent files of students: any Python file, which may fail in any way, as an agent.

The file runs in `student_host.py`, in a process with limits of time and memory, where it sees no file of another
student. What it does wrong is a `FileFault`, in words that its author understands.
"""

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from inarow.agents import student_host
from inarow.agents.agent import Decision, ImmediateAgent
from inarow.agents.confined import ConfinedProcess, working_folder
from inarow.agents.file_faults import AgentKind, FileFault, HostReply, game_fault, load_fault, move_problem
from inarow.agents.kaggle import configuration, observation
from inarow.errors import IllegalMoveError, InvalidAgentError, KaggleFileError, KaggleTimeoutError
from inarow.games import Position

_START_SECONDS, _GRACE = 30.0, 1.0  # for Python to start, and for an answer to arrive
_BUSY = 2.0  # how much longer than its limit a file may take, since it may have to wait for a processor
_FILE = "agent.py"  # the name under which every file runs: its own says who wrote it
_OPTIONS = ("-s", "-P", "-B")
_VARIABLES = {
    "PYTHONHASHSEED": "0",  # the same seed, the same game: also for files that iterate over sets
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
}


class Loaded(Struct, frozen=True, kw_only=True):
    """What is known of a file that was loaded."""

    kind: AgentKind
    """What the agent is: a function of an observation, a function of a position, or an object with `decide`."""
    structure: str
    """A hash of the code without comments and layout."""
    seconds: float
    isolated: bool
    """Whether the file runs in namespaces of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLimits:
    """What a file may use."""

    move_seconds: float = 1.0
    load_seconds: float = 10.0
    memory: int = 512 << 20
    """Bytes of address space of each of its processes."""
    hidden: tuple[str, ...] = ()
    """Folders that it must not see, where the system allows it; see `hidden_folders`."""


class FileFaultError(KaggleFileError):
    """A fault of a file."""

    def __init__(self, fault: FileFault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class FileTimeoutError(FileFaultError, KaggleTimeoutError):
    """A file that took too long."""


class FileMoveError(FileFaultError, IllegalMoveError):
    """An illegal move of a file."""


class StudentProcess:
    """A file that is loaded once, and plays games one after the other. After a time-out, or where its process has
    ended, it is loaded again for the next game.
    """

    def __init__(self, source: bytes, limits: FileLimits) -> None:
        self._source, self.limits = source, limits
        self._process: ConfinedProcess | None = None
        self._is_playing = False

    def load(self) -> Loaded:
        """Loads the file, if it is not loaded; raises FileFaultError."""
        self.close()
        folder = working_folder()
        path = Path(folder.name) / _FILE
        path.write_bytes(self._source)
        hidden = [word for each in self.limits.hidden for word in ("--hide", each)]
        self._process = ConfinedProcess(
            student_host.__file__,
            ["--memory", str(self.limits.memory), *hidden, str(path)],
            folder,
            options=_OPTIONS,
            variables=_VARIABLES,
        )
        is_isolated = self._start()
        seconds = self.limits.load_seconds
        try:
            reply = self._ask({"do": "load"}, _BUSY * seconds + _GRACE)
        except TimeoutError:
            reply = None
        if reply is None or not reply.seconds <= seconds:  # a forged number need not be one
            self.close()
            hint = "look for a loop or a game outside of all functions"
            raise FileTimeoutError(FileFault(kind="load", message=f"took longer than {seconds:g} s to load; {hint}"))
        if reply.error is not None or reply.ended is not None:
            self.close()
            raise FileFaultError(load_fault(reply, self.limits.memory))
        return Loaded(kind=reply.kind, structure=reply.structure, seconds=reply.seconds, isolated=is_isolated)

    def _start(self) -> bool:
        """Waits for Python to start; whether it is in namespaces of its own. A failure is not the fault of the file."""
        try:
            reply = self._ask({"do": "start"}, _START_SECONDS)
        except TimeoutError:
            raise InvalidAgentError(
                f"Python takes longer than {_START_SECONDS:g} s to start; use fewer workers"
            ) from None
        if reply.ended is not None:
            memory = self.limits.memory >> 20
            raise InvalidAgentError(f"Python cannot start with {memory} MB of memory; give --memory a larger number")
        return reply.isolated

    def begin(self, seed: int) -> None:
        """Begins a game, which ends the one before; raises FileFaultError."""
        self.end()
        if self._process is None:
            self.load()
        self._is_playing = True
        self._checked({"do": "begin", "seed": seed}, "", self.limits.load_seconds)

    def move(self, position: Position) -> tuple[int, str, float]:
        """The action in a position of the game, which is legal, the type of the answer, and the time it took. Raises
        FileFaultError.
        """
        seconds = self.limits.move_seconds
        request = {
            "do": "move",
            "board": str(position.spec),
            "actions": position.actions,
            "observation": observation(position, 0.0),
            "configuration": configuration(position, seconds),
        }
        reply = self._checked(request, position.moves, seconds)
        if problem := move_problem(reply.action, reply.type, position):
            raise FileMoveError(FileFault(kind="illegal move", message=problem, moves=position.moves))
        assert isinstance(reply.action, int)
        return reply.action, reply.type, reply.seconds

    def end(self) -> None:
        """Ends the game, if there is one."""
        if self._is_playing and self._process is not None:
            self._is_playing = False
            try:
                reply = self._ask({"do": "end"}, _GRACE)
            except TimeoutError:
                reply = None
            if reply is None or reply.ended != 0 or not hasattr(os, "fork"):
                self.close()

    def close(self) -> None:
        """Ends the process."""
        self._is_playing = False
        if self._process is not None:
            self._process.close()
            self._process = None

    def _checked(self, request: Mapping[str, object], moves: str, seconds: float) -> HostReply:
        """A reply without a fault."""
        late = FileFault(kind="time-out", message=f"took longer than {seconds:g} s", moves=moves)
        try:
            reply = self._ask(request, _BUSY * seconds + _GRACE)
        except TimeoutError:
            self.close()
            raise FileTimeoutError(late) from None
        if reply.ended is not None:
            self.close()
        if reply.error is not None or reply.ended is not None:
            raise FileFaultError(game_fault(reply, moves, self.limits.memory))
        if not reply.seconds <= seconds:
            raise FileTimeoutError(late)
        return reply

    def _ask(self, request: Mapping[str, object], patience: float) -> HostReply:
        assert self._process is not None
        try:
            return msgspec.convert(self._process.ask(request, patience), HostReply)
        except ValueError:  # its end, or a reply that is none of the host
            return HostReply(ended=-1)


class StudentAgent(ImmediateAgent):
    """The file in one game, from its first decision; `fault` is what it did wrong."""

    def __init__(self, name: str, process: StudentProcess, seed: np.random.SeedSequence) -> None:
        self.name, self._process = name, process
        self._seed = int(seed.generate_state(1)[0])
        self._has_begun = False
        self.fault: FileFault | None = None
        self.seconds: list[float] = []
        self.types: set[str] = set()

    def _decide(self, position: Position) -> Decision:
        try:
            if not self._has_begun:
                self._has_begun = True
                self._process.begin(self._seed)
            action, kind, seconds = self._process.move(position)
        except FileFaultError as error:
            if error.fault.moves != position.moves:  # while the game began
                error.fault = msgspec.structs.replace(error.fault, moves=position.moves)
            self.fault = error.fault
            raise
        self.seconds.append(seconds)
        self.types.add(kind)
        return Decision(action)


# --- what a file must not see ---


def hidden_folders(*private: Path) -> tuple[str, ...]:
    """Some folders, those for temporary files and the home of the user, as a confined process can hide them: without
    those that Python itself needs, and those that are in another one.
    """
    wanted = [*private, Path(tempfile.gettempdir()), Path.home()]
    resolved = {path.resolve() for path in wanted if path.is_dir()}
    usable = sorted(path for path in resolved if not any(need.is_relative_to(path) for need in _needed()))
    return tuple(
        str(path) for path in usable if not any(path != other and path.is_relative_to(other) for other in usable)
    )


def holds_python(folder: Path) -> bool:
    """Whether Python, or a package that files may import, is in a folder: then it cannot be hidden."""
    return any(need.is_relative_to(folder.resolve()) for need in _needed())


def _needed() -> Sequence[Path]:
    places = (sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(sys.executable), __file__, np.__file__)
    return [Path(place).resolve() for place in places]
