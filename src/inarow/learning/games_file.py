"""`games.csv` in the folder of a run: every game from which it learnt, a line each."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from pathlib import Path

from inarow.errors import ConfigError

_HEADER = "board,opening,result,moves\n"


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of a learner, against itself or others."""

    board: str
    opening: int  # how many of the moves were random
    result: int  # 1, 0 or -1 for the first side; of a game that ended when it was proven, the proof
    moves: str


class GamesFile:
    """The file; lines are only ever added to it, and those after the last checkpoint cut off."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "games.csv"

    def begin(self) -> None:
        """Without games."""
        self._path.write_text(_HEADER, encoding="utf-8")

    def add(self, games: Iterable[PlayedGame]) -> None:
        """Adds all games or, if that fails, none."""
        length = self._path.stat().st_size
        try:
            with self._path.open("a", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(map(astuple, games))
        except BaseException:
            os.truncate(self._path, length)  # a full disk may have taken half a line
            raise

    def sync(self) -> None:
        """Returns when the disk has all that was added: to be called before a checkpoint counts on it."""
        with self._path.open("r+b") as file:
            os.fsync(file.fileno())

    def cut(self, games: int) -> None:
        """Keeps the first `games`; raises ConfigError if there are fewer."""
        try:
            with self._path.open("r+b") as file:
                length, lines = 0, 0
                for line in file:
                    if lines > games or not line.endswith(b"\n"):
                        break
                    length += len(line)
                    lines += 1
                if lines <= games:
                    raise ConfigError(f"{self._path} has fewer games than its checkpoint")
                file.truncate(length)
        except OSError as error:
            raise ConfigError(f"{self._path} cannot be read: {error.strerror}") from None
