"""Suites: test positions with the exact score of every action.

A suite file is an `.npz` of three arrays: `moves` (bytes, a move string per position), `scores` (int8, a row per
position and a column per action, for the side to move) and `header` (bytes of a JSON object with format, version,
board, entries, checksum and provenance). It is read without pickle and checked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from inarow.errors import InvalidLimitError, SuiteError, shown, unknown
from inarow.games import CONNECT_FOUR, Board, GameSpec, Position
from inarow.search.solver.solution import action_scores
from inarow.search.solver.solver import Solver
from inarow.storage.array_file import FileKind, load_arrays, save_arrays
from inarow.storage.inputs import looks_like_file

STANDARD, EXHAUSTIVE = "standard", "exhaustive"
MAX_EXHAUSTIVE = 200_000  # positions of the largest exhaustive suite
ILLEGAL = -128  # the score of an illegal action; below every real score
_KIND = FileKind("inarow-suite", 1, "a suite", SuiteError, max_bytes=64 << 20)


@dataclass(frozen=True, slots=True)
class Suite:
    """Unfinished positions of one board, and the exact score of each action."""

    name: str
    spec: GameSpec
    positions: tuple[Position, ...]
    scores: np.ndarray  # [N, A] int8, for the side to move; ILLEGAL for illegal actions
    provenance: dict[str, Any]
    """A record of how it was made; JSON."""

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def checksum(self) -> str:
        """A checksum of board, moves and scores."""
        return _checksum(self.spec, self._moves(), self.scores)

    def critical_places(self) -> np.ndarray:
        """The numbers of the positions in which some move does not keep the outcome."""
        outcomes = np.sign(self.scores.astype(np.int64))
        worst = np.where(self.scores == ILLEGAL, 1, outcomes).min(axis=1)
        return np.flatnonzero(worst < outcomes.max(axis=1))

    def part(self, chosen: np.ndarray) -> Suite:
        """The suite of the positions with these numbers, under the same name."""
        positions = tuple(self.positions[number] for number in chosen)
        return Suite(self.name, self.spec, positions, self.scores[chosen], {})

    def sample(self, positions: int) -> Suite:
        """A random sample, the same for every agent and seed; in the order of the suite."""
        return self.part(np.sort(self.sampled_places(positions)))

    def sampled_places(self, positions: int) -> np.ndarray:
        """The numbers of the positions of `sample`, in random order."""
        return np.random.default_rng(0).permutation(len(self))[:positions]

    def save(self, path: Path) -> None:
        """Writes the file atomically."""
        header = {
            "board": str(self.spec),
            "entries": len(self),
            "checksum": self.checksum,
            "provenance": self.provenance,
        }
        save_arrays(path, _KIND, header, {"moves": self._moves(), "scores": self.scores})

    @classmethod
    def standard(cls, board: Board = CONNECT_FOUR) -> Suite:
        """The suite that ships with the package for a board; raises SuiteError if there is none."""
        return standard_suite(GameSpec.parse(board))

    @classmethod
    def load(cls, path: Path, *, name: str | None = None) -> Suite:
        """Reads and checks a file; raises SuiteError with the reason. The default name is that of the file."""
        with load_arrays(path, _KIND) as (header, arrays):
            moves, scores = arrays["moves"], arrays["scores"]
            spec = GameSpec.parse(header["board"])
            if moves.dtype.kind != "S" or scores.dtype != np.int8 or scores.shape != (len(moves), spec.actions):
                raise SuiteError(f"{path} has arrays of the wrong kind")
            if not len(moves):
                raise SuiteError(f"{path} has no positions")
            if header["checksum"] != _checksum(spec, moves, scores):
                raise SuiteError(f"{path} is damaged: its checksum is wrong")
            positions = tuple(Position.parse(text.decode("ascii"), spec) for text in moves.tolist())
            legal = [tuple(np.flatnonzero(row != ILLEGAL).tolist()) for row in scores]
            if legal != [position.legal_actions for position in positions]:
                raise SuiteError(f"{path} is damaged: its scores contradict the legal moves")
            return cls(name or path.name, spec, positions, scores, dict(header["provenance"]))

    def _moves(self) -> np.ndarray:
        return np.array([position.moves.encode() for position in self.positions])


def _checksum(spec: GameSpec, moves: np.ndarray, scores: np.ndarray) -> str:
    digest = hashlib.blake2b(str(spec).encode(), digest_size=16)
    digest.update(b"\n".join(moves.tolist()))
    digest.update(scores.tobytes())
    return digest.hexdigest()


def exact_scores(position: Position, solver: Solver) -> list[int]:
    """The scores of a position as a row of a suite; raises InvalidLimitError if the solver gives up."""
    scores = solver.analyse(position).scores
    if any(scores[action] is None for action in position.legal_actions):
        raise InvalidLimitError(f"{position.spec} is too hard to solve after {shown(position.moves)}")
    return [ILLEGAL if score is None else score for score in scores]


# --- suites by name ---


def find_suite(name: str | None, spec: GameSpec) -> Suite:
    """The suite `standard` (ships with the package), `exhaustive` (every position of a small board) or the suite in a
    file. Without a name, the standard suite of the board if it has one, otherwise the exhaustive suite.
    """
    if name is None:
        name = STANDARD if _shipped(spec).is_file() else EXHAUSTIVE
    if name == STANDARD:
        return standard_suite(spec)
    if name == EXHAUSTIVE:
        return exhaustive_suite(spec)
    path = Path(name)
    if not looks_like_file(name) and not path.exists():
        known = unknown("suite", name, (STANDARD, EXHAUSTIVE))
        raise SuiteError(f"{known}, or name a file made by `inarow suite build`")
    suite = Suite.load(path)
    if suite.spec != spec:
        raise SuiteError(f"{name} is a suite for {suite.spec}, not for {spec}")
    return suite


@lru_cache(maxsize=4)
def standard_suite(spec: GameSpec) -> Suite:
    """The suite that ships with the package for a board; raises SuiteError if there is none."""
    source = _shipped(spec)
    if not source.is_file():
        raise SuiteError(f"inarow has no suite for {spec}; use {EXHAUSTIVE}, or make one with `inarow suite build`")
    with as_file(source) as path:
        return Suite.load(path, name=STANDARD)


def _shipped(spec: GameSpec) -> Traversable:
    return files("inarow.arena") / "suites" / f"{str(spec).replace('/', '-')}.npz"


# --- every position of a small board ---


@lru_cache(maxsize=4)
def exhaustive_suite(spec: GameSpec) -> Suite:
    """All reachable unfinished positions of a board, ply by ply.

    Symmetric positions are listed separately, since an agent may treat them differently. Raises
    InvalidLimitError if there are more than `MAX_EXHAUSTIVE`.
    """
    positions = [Position.start(spec)]
    seen = {positions[0].key}
    for position in positions:  # including those that the loop appends
        for action in position.legal_actions:
            after = position.play(action)
            if not after.is_over and after.key not in seen:
                seen.add(after.key)
                positions.append(after)
        if len(positions) > MAX_EXHAUSTIVE:
            raise InvalidLimitError(
                f"{spec} has more than {MAX_EXHAUSTIVE:,} positions; draw a sample with `inarow suite build`"
            )
    scores = np.full((len(positions), spec.actions), ILLEGAL, np.int8)
    best: dict[int, int] = {}
    for number, position in reversed(list(enumerate(positions))):
        row = action_scores(position, best, attrgetter("key"))
        scores[number, list(row)] = list(row.values())
        best[position.key] = max(row.values())
    return Suite(EXHAUSTIVE, spec, tuple(positions), scores, {})
