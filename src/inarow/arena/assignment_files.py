"""The files of an assignment: what was handed in, and what is already known of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from inarow.agents.file_faults import FileFault
from inarow.agents.student import holds_python
from inarow.arena.file_result import CountedFault, FileResult
from inarow.arena.student_grading import AssignmentSettings
from inarow.arena.tally import CrossTable, SideTally
from inarow.errors import AssignmentError, InarowError, one_line, shown, visible
from inarow.storage.atomic import atomic_write
from inarow.storage.inputs import read_input
from inarow.version import __version__

SOURCE_BYTES = 1 << 20  # of an agent file
_Kind = TypeVar("_Kind")
_STATE_BYTES = 64 << 20
_STATE = "state"
_RULES = 1  # of grading; increased when results of the same version would differ


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A file of the folder."""

    name: str
    """Without its ending: the author."""
    file: str
    source: bytes = b""
    problem: str | None = None
    """Why it cannot be read."""

    @property
    def digest(self) -> str:
        """A hash of the content; empty if there is none."""
        return "" if self.problem else hashlib.blake2b(self.source, digest_size=16).hexdigest()

    def refused(self) -> FileResult:
        """The result of a file that cannot be read."""
        fault = FileFault(kind="load", message=self.problem or "")
        return FileResult(faults=(CountedFault(fault=fault, count=1, stage="reading"),))


def find_files(folder: Path) -> tuple[list[HandedIn], list[str]]:
    """The Python files of a folder by name, and the names of its other entries. Raises AssignmentError if there are
    none, or if the folder cannot be hidden from the files.
    """
    if not folder.is_dir():
        raise AssignmentError(f"{folder} is not a folder; give the folder that holds the agent files")
    if holds_python(folder):
        raise AssignmentError(f"{folder} holds Python itself; put the agent files into a folder of their own")
    found, skipped = [], []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.startswith((".", "__")):
            continue
        if not entry.name.lower().endswith(".py"):
            skipped.append(entry.name)
            continue
        found.append(_read(Path(entry.path), is_link=entry.is_symlink(), is_folder=entry.is_dir()))
    if not found:
        raise AssignmentError(f"{folder} has no Python files; name them after their authors: alice.py")
    return found, skipped


def _read(path: Path, *, is_link: bool, is_folder: bool) -> HandedIn:
    """A file; what is wrong with it is part of the result."""
    name, file = visible(path.stem), visible(path.name)  # a file name need not be valid text
    if is_link:
        return HandedIn(name, file, problem="is a link to another file, not a file")
    if is_folder:
        return HandedIn(name, file, problem="is a folder, not a file")
    try:
        source = read_input(path, SOURCE_BYTES, AssignmentError)
    except AssignmentError as error:
        reason = one_line(error).partition("cannot be read: ")[2] or "it cannot be read"
        return HandedIn(name, file, problem=f"cannot be read: {reason}")
    if not source.strip():
        return HandedIn(name, file, problem="is empty")
    return HandedIn(name, file, source)


class SavedResults:
    """Results of files in a folder, found by the content of the file and the settings; without a folder, none are kept.

    A result that cannot be read is measured again.
    """

    def __init__(self, folder: Path | None, settings: AssignmentSettings) -> None:
        self._settings = msgspec.json.encode((settings, __version__, _RULES))
        self._folder = None if folder is None else folder / _STATE
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
        self._used: set[str] = set()

    def result(self, file: HandedIn) -> FileResult | None:
        content = self._load(self._name("file", file.source))
        result = None if content is None else _decoded(content, FileResult)
        try:
            return None if result is None else result.check()
        except InarowError:
            return None

    def add_result(self, file: HandedIn, result: FileResult) -> None:
        self._save(self._name("file", file.source), result)

    def games(self, kind: str, *sources: bytes) -> CrossTable | None:
        """Games of a kind between some players."""
        content = self._load(self._name(kind, *sources))
        rows = None if content is None else _decoded(content, list[tuple[str, str, SideTally]])
        return None if rows is None else CrossTable({(first, second): games for first, second, games in rows})

    def add_games(self, kind: str, games: CrossTable, *sources: bytes) -> None:
        rows = [(first, second, tally) for (first, second), tally in games.results.items()]
        self._save(self._name(kind, *sources), rows)

    def remove_unused(self) -> None:
        """Removes what was not asked for: results of files that have changed since."""
        if self._folder is not None:
            for path in self._folder.glob("*.json"):
                if path.name not in self._used:
                    path.unlink(missing_ok=True)

    def _name(self, kind: str, *sources: bytes) -> str:
        digest = hashlib.blake2b(self._settings, digest_size=16)
        for source in sources:
            digest.update(hashlib.blake2b(source).digest())
        return f"{kind}-{digest.hexdigest()}.json"

    def _load(self, name: str) -> bytes | None:
        self._used.add(name)
        if self._folder is None or not (self._folder / name).exists():
            return None
        try:
            return read_input(self._folder / name, _STATE_BYTES, AssignmentError)
        except AssignmentError:
            return None

    def _save(self, name: str, content: object) -> None:
        self._used.add(name)
        if self._folder is not None:
            with atomic_write(self._folder / name) as file:
                file.write(msgspec.json.encode(content))


def _decoded(content: bytes, kind: type[_Kind]) -> _Kind | None:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def equal_files(files: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """By name the other names with the same hash; those without one are left out."""
    groups: dict[str, list[str]] = {}
    for name, digest in files:
        if digest:
            groups.setdefault(digest, []).append(name)
    return {
        name: tuple(other for other in names if other != name)
        for names in groups.values()
        for name in names
        if len(names) > 1
    }


def check_name(name: str, known: Iterable[str]) -> None:
    """Raises AssignmentError for a name that no file has."""
    names = list(known)
    if name not in names:
        raise AssignmentError(f"there is no file of {shown(name)}; there are {shown(', '.join(names))}")
