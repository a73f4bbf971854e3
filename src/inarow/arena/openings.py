"""Openings: short beginnings from which two agents play twice, with sides swapped.

Deterministic agents would otherwise repeat one game over and over. The openings for a larger count
begin with those for a smaller one, as long as they have the same number of plies.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from inarow.errors import InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.book_build import position_of_key
from inarow.search.shipped import shipped_book

OpeningKind = Literal["balanced", "random"]

_BOOK_PLIES = 6
"""Of balanced openings, unless told otherwise or the book has fewer: a thousand exact draws on 6x7x4."""
_MAX_MISSES = 200
"""Draws in a row without a new opening after which the board is said to have no more of that length."""


def usual_plies(spec: GameSpec, count: int, kind: OpeningKind) -> int:
    """An even number of plies that gives `count` distinct openings, if the board has as many."""
    book = shipped_book(spec) if kind == "balanced" else None
    return _usual_random_plies(spec, count) if book is None else min(book.plies, _BOOK_PLIES) // 2 * 2


def find_openings(spec: GameSpec, count: int, kind: OpeningKind, *, seed: int, plies: int) -> list[Position]:
    """`count` openings, all of `plies` moves.

    Balanced ones come from the book of the board, exact draws first. Where there is no book, or
    none of that many plies, they are random ones, too.
    """
    book = shipped_book(spec) if kind == "balanced" else None
    if book is None or not 0 <= plies <= book.plies:
        return random_openings(spec, count, seed=seed, plies=plies)
    return _balanced_openings(spec, count, seed=seed, plies=plies)


def _balanced_openings(spec: GameSpec, count: int, *, seed: int, plies: int) -> list[Position]:
    """`count` quiet positions of the book, those with the smallest exact score first, either sign.

    Two of them are never the same but for the mirror; they repeat in turn when the book has no
    more. At random in which order, and in which of its two mirror images, an opening comes.
    """
    rng = np.random.default_rng(seed)
    keys, imbalance = _book_entries(spec, plies)
    shuffled = rng.permutation(len(keys))
    order = shuffled[np.argsort(imbalance[shuffled], kind="stable")]
    found: list[Position] = []
    for key, is_mirrored in zip(keys[order].tolist(), rng.random(len(keys)) < 0.5, strict=True):
        if len(found) == count:
            break
        position = position_of_key(key, spec)
        if _is_quiet(position):
            found.append(position.mirror() if is_mirrored else position)
    return _in_turn(found, count)


@lru_cache(maxsize=8)
def _book_entries(spec: GameSpec, plies: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys and absolute scores of all positions of `plies` stones in the book of a board."""
    book = shipped_book(spec)
    assert book is not None
    chosen = book.entry_plies() == plies
    return book.keys[chosen], np.abs(book.scores[chosen])


def random_openings(spec: GameSpec, count: int, *, seed: int, plies: int | None = None) -> list[Position]:
    """`count` positions after random moves, unfinished, in which nobody can win at once.

    They are distinct as long as the board has enough, and repeat in turn after that. All have
    `plies` moves; by default an even number that is large enough for `count` distinct ones, at
    most a quarter of the board.
    """
    if plies is not None and not 0 <= plies < spec.cells:
        raise InvalidLimitError(f"openings of {plies} moves do not fit on {spec}, which has {spec.cells} cells")
    length = _usual_random_plies(spec, count) if plies is None else plies
    found = _distinct_openings(spec, count, length, np.random.default_rng(seed))
    if not found:
        raise InvalidLimitError(f"every game of {length} random moves on {spec} is over or about to be")
    return _in_turn(found, count)


def _usual_random_plies(spec: GameSpec, count: int) -> int:
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


def _in_turn(openings: list[Position], count: int) -> list[Position]:
    return [openings[number % len(openings)] for number in range(count)]
