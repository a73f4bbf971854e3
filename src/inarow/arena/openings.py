"""Openings: short beginnings from which two agents play twice, with sides swapped.

Deterministic agents would otherwise repeat one game over and over.
"""

from __future__ import annotations

import numpy as np

from inarow.errors import InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import GameSpec

_DRAWS_PER_OPENING = 20
"""How often a new opening is looked for before the board is said to have no more of that length."""


def random_openings(spec: GameSpec, count: int, *, seed: int, plies: int | None = None) -> list[Position]:
    """`count` positions after random moves, unfinished, in which nobody can win at once.

    They are distinct as long as the board has enough, and repeat in turn after that. All have
    `plies` moves; by default an even number that is large enough for `count` distinct ones, up to
    a quarter of the board.
    """
    if plies is not None and not 0 <= plies < spec.cells:
        raise InvalidLimitError(f"openings of {plies} moves do not fit on {spec}, which has {spec.cells} cells")
    longest = spec.cells // 4
    lengths = range(min(4, longest // 2 * 2), longest + 1, 2) if plies is None else (plies,)
    found: list[Position] = []
    for length in lengths:
        found = _distinct_openings(spec, count, length, np.random.default_rng([seed, length]))
        if len(found) == count:
            break
    if not found:
        raise InvalidLimitError(f"every game of {plies} random moves on {spec} is over or about to be")
    return [found[number % len(found)] for number in range(count)]


def _distinct_openings(spec: GameSpec, count: int, plies: int, rng: np.random.Generator) -> list[Position]:
    openings: dict[int, Position] = {}
    for _ in range(_DRAWS_PER_OPENING * count):
        if len(openings) == count:
            break
        position = Position.start(spec)
        while position.ply < plies and not position.is_over:
            legal = position.legal_actions
            position = position.play(legal[int(rng.random() * len(legal))])
        if not position.is_over and not position.winning_actions() and not position.winning_actions(of_opponent=True):
            openings.setdefault(position.key, position)
    return list(openings.values())
