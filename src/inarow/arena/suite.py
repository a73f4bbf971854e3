"""Suites: positions to decide in, with the exact score of every action.

A suite file is an `.npz` of three arrays: `moves` (bytes, a move string for each position), `scores`
(int8, one row for each position and one column for each action, for the side to move) and `header`
(bytes of a JSON object with format, version, board, entries, checksum and provenance). Read without
pickle; a file that is anything else is refused.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inarow.errors import InvalidLimitError, SuiteError, shown
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.solver.solver import Solver
from inarow.storage.array_file import FileKind, load_arrays, save_arrays

ILLEGAL = -128
"""Stands for a score where the action is illegal; no score is as low."""
_KIND = FileKind("inarow-suite", 1, "a suite", SuiteError, max_bytes=64 << 20)


@dataclass(frozen=True, slots=True)
class Suite:
    """Unfinished positions of one board, and what each action in them is worth."""

    name: str
    spec: GameSpec
    positions: tuple[Position, ...]
    scores: np.ndarray  # [N, A] int8, for the side to move; ILLEGAL where the action is
    provenance: dict[str, Any]
    """How it was made; JSON."""

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def checksum(self) -> str:
        """Of board, games and scores."""
        return _checksum(self.spec, self._moves(), self.scores)

    def part(self, chosen: np.ndarray) -> Suite:
        """Some of the positions, by their numbers, under the same name."""
        positions = tuple(self.positions[number] for number in chosen)
        return Suite(self.name, self.spec, positions, self.scores[chosen], {})

    def save(self, path: Path) -> None:
        """Writes the file whole or not at all."""
        header = {
            "board": str(self.spec),
            "entries": len(self),
            "checksum": self.checksum,
            "provenance": self.provenance,
        }
        save_arrays(path, _KIND, header, {"moves": self._moves(), "scores": self.scores})

    @classmethod
    def load(cls, path: Path, *, name: str | None = None) -> Suite:
        """Reads and checks a file; raises SuiteError with the reason. Without a name, the file gives it."""
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
            if any(_legal(row) != position.legal_actions for row, position in zip(scores, positions, strict=True)):
                raise SuiteError(f"{path} is damaged: its scores are not those of the legal moves")
            return cls(name or path.name, spec, positions, scores, dict(header["provenance"]))

    def _moves(self) -> np.ndarray:
        return np.array([position.moves.encode() for position in self.positions])


def _checksum(spec: GameSpec, moves: np.ndarray, scores: np.ndarray) -> str:
    digest = hashlib.blake2b(str(spec).encode(), digest_size=16)
    digest.update(b"\n".join(moves.tolist()))
    digest.update(scores.tobytes())
    return digest.hexdigest()


def _legal(scores: np.ndarray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(scores != ILLEGAL).tolist())


def exact_scores(position: Position, solver: Solver) -> list[int]:
    """A row of a suite's scores; raises InvalidLimitError if the solver gives up."""
    scores = solver.analyse(position).scores
    if any(scores[action] is None for action in position.legal_actions):
        raise InvalidLimitError(f"{position.spec} is too hard to solve after {shown(position.moves)}")
    return [ILLEGAL if score is None else score for score in scores]
