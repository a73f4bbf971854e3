"""Openings: short sequences of moves from which two agents play twice, with swapped sides.

Without them, deterministic agents would always repeat the same game. The openings for a larger count begin with those
for a smaller count if they have the same number of plies.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import numpy as np

from inarow.errors import InvalidLimitError
from inarow.games import GameSpec, Position
from inarow.search.limits import Limits
from inarow.search.solver.api import shipped_book
from inarow.search.solver.book import book_key
from inarow.search.solver.solver import Solver

OpeningKind = Literal["balanced", "random"]  # the choices of a user
OpeningSource = Literal["balanced", "solved", "random"]
"""The book of the board, newly solved positions, or random moves."""

_BOOK_PLIES = 6  # default length of balanced openings, unless the book is shorter: a thousand exact draws on 6x7x4
_MOST_POSITIONS = 5_000  # the most positions of a ply to solve for openings
_FAST_NODES, _SLOW_NODES = 1_000_000, 20_000
"""Node limit per position, on boards for the fast solver and on others."""
_WHOLE_WORK = 20  # node limit of all positions, as a multiple of the limit per position: a few seconds
_SOLVER_MEMORY = 16 << 20
_MAX_MISSES = 200  # consecutive draws without a new opening after which the search ends


def usual_plies(spec: GameSpec, count: int, kind: OpeningSource) -> int:
    """An even number of plies with `count` distinct openings, if the board has enough."""
    book = shipped_book(spec) if kind == "balanced" else None
    return _usual_random_plies(spec, count) if book is None else min(book.plies, _BOOK_PLIES) // 2 * 2


def opening_source(spec: GameSpec, kind: OpeningSource, plies: int) -> OpeningSource:
    """The source of openings of `plies` moves. Balanced openings are from the book of the board, or newly solved if the
    book has none of that length, or random if solving takes too long.
    """
    if kind != "balanced":
        return kind
    book = shipped_book(spec)
    if book is not None and 0 <= plies <= book.plies:
        return "balanced"
    return "solved" if 0 <= plies < spec.cells and _solved_openings(spec, plies) else "random"


def find_openings(spec: GameSpec, count: int, kind: OpeningSource, *, seed: int, plies: int) -> list[Position]:
    """`count` openings of `plies` moves from the source that `opening_source` returns."""
    source = opening_source(spec, kind, plies)
    if source == "random":
        return random_openings(spec, count, seed=seed, plies=plies)
    if source == "solved":
        solved = _solved_openings(spec, plies)
        return _shuffled(solved.__getitem__, np.zeros(len(solved)), count, seed)
    keys, imbalance = _book_entries(spec, plies)
    return _shuffled(lambda number: Position.from_key(int(keys[number]), spec), imbalance, count, seed)


def _shuffled(position_of: Callable[[int], Position], imbalance: np.ndarray, count: int, seed: int) -> list[Position]:
    """`count` quiet positions, those with the smallest imbalance first; `position_of` returns position i.

    If there are fewer, they are repeated in turn. The order of equally balanced positions and mirroring are random.
    """
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(len(imbalance))
    order = shuffled[np.argsort(imbalance[shuffled], kind="stable")]
    found: list[Position] = []
    for number, is_mirrored in zip(order.tolist(), rng.random(len(order)) < 0.5, strict=True):
        if len(found) == count:
            break
        position = position_of(number)
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


@lru_cache(maxsize=8)
def _solved_openings(spec: GameSpec, plies: int) -> tuple[Position, ...]:
    """The quiet positions of `plies` stones with the smallest absolute exact score, one of each pair of mirror images.
    Empty if there are too many positions or they are too hard.

    All are solved by a new solver: the result must not depend on the requested number or on a filled table, so that a
    resumed match has the same openings.
    """
    positions = _quiet_positions(spec, plies)
    solver = Solver(spec, memory=_SOLVER_MEMORY)
    most = _FAST_NODES if spec.gravity and spec.fits_word else _SLOW_NODES
    left = _WHOLE_WORK * most
    imbalance = []
    for position in positions:
        solution = solver.solve(position, limits=Limits(nodes=min(most, left)))
        if solution.score is None:
            return ()
        left = max(0, left - solution.nodes)
        imbalance.append(abs(solution.score))
    least = min(imbalance, default=0)
    return tuple(position for position, score in zip(positions, imbalance, strict=True) if score == least)


def _quiet_positions(spec: GameSpec, plies: int) -> list[Position]:
    """The quiet positions of `plies` stones, one of each pair of mirror images; empty if a ply has too many
    positions.
    """
    level = [Position.start(spec)]
    for _ in range(plies):
        following: dict[int, Position] = {}
        for position in level:
            for action in position.legal_actions:
                after = position.play(action)
                if not after.is_over:
                    following.setdefault(book_key(after), after)
            if len(following) > _MOST_POSITIONS:
                return []
        level = list(following.values())
    return [position for position in level if _is_quiet(position)]


def random_openings(spec: GameSpec, count: int, *, seed: int, plies: int | None = None) -> list[Position]:
    """`count` unfinished positions after random moves, in which neither side can win with its next move.

    They are distinct if the board has enough; otherwise they repeat in turn. All have `plies` moves, by default an even
    number large enough for `count` distinct openings, at most a quarter of the board.
    """
    if plies is not None and not 0 <= plies < spec.cells:
        raise InvalidLimitError(f"openings of {plies} moves do not fit on {spec}, which has {spec.cells} cells")
    length = _usual_random_plies(spec, count) if plies is None else plies
    rng = np.random.default_rng(seed)
    found: dict[int, Position] = {}
    misses = 0
    while len(found) < count and misses < _MAX_MISSES:
        misses += 1
        position = Position.start(spec)
        while position.ply < length and not position.is_over:
            legal = position.legal_actions
            position = position.play(legal[int(rng.random() * len(legal))])
        if position.key not in found and _is_quiet(position):
            found[position.key] = position
            misses = 0
    if not found:
        raise InvalidLimitError(
            f"all positions after {length} random moves on {spec} are over or have an immediate win; use fewer plies"
        )
    return _in_turn(list(found.values()), count)


def _usual_random_plies(spec: GameSpec, count: int) -> int:
    """An even number of plies with many more sequences than requested openings; four if possible,
    at most a quarter of the board.
    """
    longest = spec.cells // 4 // 2 * 2
    plies = min(4, longest)
    while plies < longest and spec.actions**plies < 4 * count:
        plies += 2
    return plies


def _is_quiet(position: Position) -> bool:
    """Whether the game is unfinished and neither side can win with its next move."""
    return not (position.is_over or position.winning_actions() or position.winning_actions(of_opponent=True))


def _in_turn(openings: list[Position], count: int) -> list[Position]:
    return [openings[number % len(openings)] for number in range(count)]
