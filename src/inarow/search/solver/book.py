"""Opening books: exact scores of positions that are expensive to solve.

A book is an `.npz` file, read without pickle: `keys` (uint64, ascending), `scores` (int8, for the side to move) and
`header` (JSON: format, version, board, plies, entries, checksum). A key is the smaller of the keys of a position and
its mirror image, so books exist for boards with gravity that fit one word.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inarow.errors import BookError
from inarow.games import GameSpec, Position
from inarow.storage.array_file import FileKind, checksum, load_arrays, save_arrays

_KIND = FileKind("inarow-book", 1, "a book", BookError, max_bytes=256 << 20)


@dataclass(frozen=True, slots=True)
class Book:
    """Scores by canonical key, of every unfinished position of up to `plies` stones and possibly of others."""

    spec: GameSpec
    plies: int
    keys: np.ndarray  # [N] uint64, ascending
    scores: np.ndarray  # [N] int8, for the side to move

    def __post_init__(self) -> None:
        check_board(self.spec)

    def __len__(self) -> int:
        return len(self.keys)

    def score(self, position: Position) -> int | None:
        """The score of a position of this board; None if it is not in the book."""
        key = np.uint64(book_key(position))
        place = int(np.searchsorted(self.keys, key))
        return int(self.scores[place]) if place < len(self.keys) and self.keys[place] == key else None

    def entry_plies(self) -> np.ndarray:
        """The number of stones of each entry: int [N]."""
        stride = self.spec.rows + 1
        places = np.arange(0, self.spec.columns * stride, stride, dtype=np.uint64)
        columns = self.keys[:, None] >> places & np.uint64((1 << stride) - 1)
        heights = np.frexp(columns)[1] - 1  # the highest bit of a column in a key lies above its stones
        return np.asarray(heights.sum(1))

    @property
    def checksum(self) -> str:
        return checksum(self._arrays())

    def _arrays(self) -> dict[str, np.ndarray]:
        return {"keys": self.keys, "scores": self.scores}

    def save(self, path: Path) -> None:
        header = {"board": str(self.spec), "plies": self.plies, "entries": len(self), "checksum": self.checksum}
        save_arrays(path, _KIND, header, self._arrays())

    @classmethod
    def load(cls, path: Path) -> Book:
        """Reads and checks a file; raises BookError with the reason."""
        with load_arrays(path, _KIND) as (header, arrays):
            keys, scores = arrays["keys"], arrays["scores"]
            book = cls(GameSpec.parse(header["board"]), int(header["plies"]), keys, scores)
            if keys.dtype != np.uint64 or scores.dtype != np.int8 or keys.shape != scores.shape or keys.ndim != 1:
                raise BookError(f"{path} has arrays of the wrong kind")
            if header["checksum"] != book.checksum or not (keys[:-1] < keys[1:]).all():
                raise BookError(f"{path} is damaged: its checksum is wrong")
        return book


def check_board(spec: GameSpec) -> None:
    """Raises BookError for a board that has no books."""
    if not (spec.gravity and spec.fits_word):
        raise BookError(f"there are no books for {spec}: it needs gravity and at most 64 bits")


def book_key(position: Position) -> int:
    """The key that a position and its mirror image share."""
    return min(position.key, position.mirror().key)
