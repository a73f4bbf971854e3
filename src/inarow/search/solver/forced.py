"""Compiled: forced play, and what can be proved without search, on boards with gravity.

`stones` belong to the side to move, `others` to the opponent; `wins` and `other_wins` are the empty
cells that complete a line of each, reachable now or not. A position is *quiet* if the side to move
cannot win at once and has two or more safe cells: playable cells that meet every immediate threat
and do not lie directly below a winning cell of the opponent.
"""

from __future__ import annotations

import numpy as np

from inarow.games.bits import count_cells
from inarow.search.solver.geometry import ONE, ZERO, GeometryRecord, from_upward, has_line, winning_cells
from inarow.search.solver.table import inlined

_NO_BOUND = 64  # above every score
_Chain = tuple[np.uint64, np.uint64, np.uint64, np.uint64, int, np.uint64, int]


@inlined
def winner_score(stone: int, area: int) -> int:
    """The winner's score of a line made by stone number `stone`, from 1; 0 just beyond the last cell."""
    return 1 + ((area - stone) >> 1)


@inlined
def safe_cells(mask: np.uint64, other_wins: np.uint64, geometry: GeometryRecord) -> np.uint64:
    """Playable cells after which the opponent cannot win at once, if the side to move cannot now."""
    playable = (mask + geometry.bottom) & geometry.cells
    attacked = playable & other_wins
    if attacked != ZERO:
        playable = attacked if attacked & (attacked - ONE) == ZERO else ZERO
    return playable & ~(other_wins >> ONE)


@inlined
def follow(
    stones: np.uint64,
    others: np.uint64,
    wins: np.uint64,
    other_wins: np.uint64,
    ply: int,
    safe: np.uint64,
    geometry: GeometryRecord,
) -> _Chain:
    """Plays on while the side to move has exactly one safe cell, which `safe` is.

    Returns the position reached (the same five values, for its side to move), its safe cells, and a
    score. No safe cell: the game is decided and the score final. Two or more: it is quiet, and the
    score means nothing.
    """
    mask = stones | others
    while True:
        mask |= safe
        stones |= safe
        free = geometry.cells & ~mask
        wins, other_wins = other_wins & free, winning_cells(stones, free, geometry)
        stones, others = others, stones
        ply += 1
        safe = safe_cells(mask, other_wins, geometry)
        if safe & (safe - ONE) != ZERO:
            return stones, others, wins, other_wins, ply, safe, 0
        if safe == ZERO:
            score = 0 if free == ZERO else -winner_score(ply + 2, geometry.area)
            return stones, others, wins, other_wins, ply, safe, score


@inlined
def bounds(
    stones: np.uint64, others: np.uint64, other_wins: np.uint64, ply: int, beta: int, geometry: GeometryRecord
) -> tuple[int, int]:
    """(lower, upper) of a quiet position, as sharp as the null window at beta needs."""
    mask = stones | others
    lower = -winner_score(ply + 4, geometry.area)
    upper = winner_score(ply + 3, geometry.area)
    if lower >= beta or upper < beta:
        return lower, upper
    if geometry.has_even_rows:
        if ply & 1:
            upper = min(upper, _first_follows_up(stones, mask, other_wins, beta, geometry))
        else:
            upper = min(upper, _second_follows_up(stones, mask, other_wins, beta, geometry))
    free = geometry.cells & ~mask
    if beta > 0:
        if not has_line(stones | free, geometry):
            upper = min(upper, 0)
    elif not has_line(others | free, geometry):
        lower = 0
    return lower, upper


@inlined
def _second_follows_up(
    stones: np.uint64, mask: np.uint64, other_wins: np.uint64, beta: int, geometry: GeometryRecord
) -> int:
    """Upper bound for the first side, which is to move on a board with an even number of rows.

    The second side answers directly above every odd-row cell, and answers a playable even-row cell
    by another one (there is an even number of them). So the first side never gets another even-row
    cell, and the second gets its lowest even-row winning cell of each column: nothing above it is
    ever reached. At the latest it wins when all is full except the columns from just below those
    cells upward.
    """
    closed = from_upward(other_wins & geometry.even_rows, geometry)
    bound = -(count_cells(closed | (closed >> ONE)) >> 1)
    if bound >= beta:
        return _NO_BOUND
    reach = (geometry.odd_rows & ~mask) | ((mask + geometry.bottom) & geometry.cells)
    if has_line((reach & ~closed) | stones, geometry):
        return _NO_BOUND
    return bound


@inlined
def _first_follows_up(
    stones: np.uint64, mask: np.uint64, other_wins: np.uint64, beta: int, geometry: GeometryRecord
) -> int:
    """Upper bound for the second side, which is to move on a board with an even number of rows.

    The mirror image, with one odd-row winning cell of the first side as the target. In its column
    that side answers even rows by odd ones, elsewhere odd rows by even ones. Playable cells outside
    this pairing are even in number, since the stones are odd in number, and answer each other. So
    it gets the target when all else is full.
    """
    targets = other_wins & geometry.odd_rows
    while targets != ZERO:
        target = targets & (~targets + ONE)
        column = geometry.column_cells[count_cells(target - ONE)]
        targets &= ~column
        closed = from_upward((other_wins & geometry.even_rows & ~column) | target, geometry)
        bound = -(count_cells(closed | (closed >> ONE)) >> 1)
        if bound < beta:
            reach = ((geometry.odd_rows ^ column) & ~mask) | ((mask + geometry.bottom) & geometry.cells)
            if not has_line((reach & ~closed) | stones, geometry):
                return bound
    return _NO_BOUND
