"""Playing a file as Kaggle would, before anybody gets it."""

from __future__ import annotations

import random
import statistics
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
    overage: float
    """Seconds of the 60 for a game that moves took beyond the time for a move, in the game that took most."""


def rehearse(file: Path, spec: GameSpec, *, games: int = 2, seed: int = 0) -> Rehearsal:
    """Plays games against random moves, sides in turn, in an empty folder, in processes that can import nothing but
    the standard library and NumPy. Raises KaggleFileError with what Kaggle would not accept, and for a file whose
    moves are too slow as a rule: Kaggle's time for a game is there for loading, and would not last for a long one.
    """
    chance = random.Random(seed)
    played = [_play(file, spec, game % 2, chance) for game in range(games)]
    times = [seconds for of_game, _ in played for seconds in of_game]
    return Rehearsal(games, len(times), max(times), max(overage for _, overage in played))


def _play(file: Path, spec: GameSpec, side: int, chance: random.Random) -> tuple[list[float], float]:
    """(Times of the file's moves, overage that they took) in a game in which it has `side`, 0 or 1."""
    process = KaggleProcess(file, bare=True)
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
        usual = statistics.median(times[1:] or [0.0])  # a single slow move may be the fault of this machine
        if usual > _ACT_SECONDS:
            raise KaggleFileError(f"its moves took {usual:.2f} s, loading apart; Kaggle gives {_ACT_SECONDS:g} s")
        return times, _OVERAGE - left
    except (IllegalMoveError, KaggleFileError) as error:
        raise KaggleFileError(f"not written: after {position.moves!r} {one_line(error)}") from None
    finally:
        process.close()
