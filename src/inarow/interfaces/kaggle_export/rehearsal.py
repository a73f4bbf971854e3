"""Playing a file as Kaggle would, before anybody gets it."""

from __future__ import annotations

import random
import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from inarow.agents.kaggle import KaggleProcess, checked_action, configuration, observation
from inarow.errors import IllegalMoveError, KaggleFileError, one_line
from inarow.games.position import Position
from inarow.games.spec import GameSpec

_ACT_SECONDS, _OVERAGE = 2.0, 60.0
"""What Kaggle gives for a move, and for a game beyond that."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What came of it."""

    games: int
    moves: int
    """Of the file."""
    slowest: float
    """Seconds of its slowest move; the first move of a game includes loading."""


def rehearse(file: Path, spec: GameSpec, *, games: int = 2, seed: int = 0) -> Rehearsal:
    """Plays games against random moves, sides in turn, in an empty folder, in processes that can import nothing but
    the standard library and NumPy. Raises KaggleFileError with what Kaggle would not accept.
    """
    chance = random.Random(seed)
    moves, slowest = 0, 0.0
    for game in range(games):
        with tempfile.TemporaryDirectory(prefix="inarow-rehearsal-") as folder:
            times = _play(_unpacked(file, Path(folder)), spec, game % 2, chance)
        moves, slowest = moves + len(times), max([slowest, *times])
    return Rehearsal(games, moves, slowest)


def _unpacked(file: Path, folder: Path) -> Path:
    if file.name.endswith(".tar.gz"):
        with tarfile.open(file, "r:gz") as archive:
            archive.extractall(folder, filter="data")
    else:
        shutil.copyfile(file, folder / "main.py")
    return folder / "main.py"


def _play(main: Path, spec: GameSpec, side: int, chance: random.Random) -> list[float]:
    """The times of the file's moves in a game in which it has `side`, 0 or 1."""
    process = KaggleProcess(main, bare=True)
    times: list[float] = []
    left = _OVERAGE
    position = Position.start(spec)
    try:
        while not position.is_over:
            if position.ply % 2 != side:
                position = position.play(chance.choice(position.legal_actions))
                continue
            reply = process.ask(observation(position, left), configuration(position, _ACT_SECONDS), _ACT_SECONDS + left)
            if "error" in reply:
                raise KaggleFileError(reply["error"])
            times.append(reply["seconds"])
            left -= max(0.0, times[-1] - _ACT_SECONDS)
            if left < 0:
                raise KaggleFileError("its time was up")
            if reply["kind"] != "int":
                raise KaggleFileError(f"an answer is of type {reply['kind']}; Kaggle takes a plain int only")
            position = position.play(checked_action(reply))
        return times
    except (IllegalMoveError, KaggleFileError) as error:
        raise KaggleFileError(f"not written: after {position.moves!r} {one_line(error)}") from None
    finally:
        process.close()
