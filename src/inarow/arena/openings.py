"""Openings: short beginnings from which two agents play twice, with sides swapped.

Deterministic agents would otherwise repeat one game over and over.
"""

from __future__ import annotations

import numpy as np

from inarow.errors import InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import GameSpec

_MAX_MISSES = 200
"""Draws in a row without a new opening after which the board is said to have no more of that length."""


def random_openings(spec: GameSpec, count: int, *, seed: int, plies: int | None = None) -> list[Position]:
    """`count` positions after random moves, unfinished, in which nobody can win at once.

    They are distinct as long as the board has enough, and repeat in turn after that. All have
    `plies` moves; by default an even number that is large enough for `count` distinct ones, at
    most a quarter of the board.
    """
    if plies is not None and not 0 <= plies < spec.cells:
        raise InvalidLimitError(f"openings of {plies} moves do not fit on {spec}, which has {spec.cells} cells")
    length = _usual_plies(spec, count) if plies is None else plies
    found = _distinct_openings(spec, count, length, np.random.default_rng(seed))
    if not found:
        raise InvalidLimitError(f"every game of {length} random moves on {spec} is over or about to be")
    return [found[number % len(found)] for number in range(count)]


def _usual_plies(spec: GameSpec, count: int) -> int:
    """An even number of plies with many more sequences than openings are wanted; four if possible,
    at most a quarter of the board.
    """
    longest = spec.cells // 4 // 2 * 2
    plies = min(4, longest)
    while plies < longest and spec.actions**plies < 4 * count:
        plies += 2
    return plies


def _distinct_openings(spec: GameSpec, count: int, plies: int, rng: np.random.Generator) -> list[Position]:
    openings: dict[int, Position] = {}
    misses = 0
    while len(openings) < count and misses < _MAX_MISSES:
        misses += 1
        position = Position.start(spec)
        while position.ply < plies and not position.is_over:
            legal = position.legal_actions
            position = position.play(legal[int(rng.random() * len(legal))])
        if position.key not in openings and _is_quiet(position):
            openings[position.key] = position
            misses = 0
    return list(openings.values())


def _is_quiet(position: Position) -> bool:
    """Whether the game goes on and nobody can end it with one move."""
    return not (position.is_over or position.winning_actions() or position.winning_actions(of_opponent=True))
