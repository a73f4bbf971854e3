"""Compiled: exact scores on boards with gravity that fit one word, by null-window search.

A search for beta returns a lower bound of the score if it reaches beta and an upper bound otherwise. Before it
recurses, it plays every move with the forced moves that follow, and scores the children that proofs or the table
settle.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import count_cells
from inarow.games.kernels import Word, kernel, record_type
from inarow.search.solver.geometry import ONE, ZERO, GeometryRecord, from_upward, has_line, open_lines, winning_cells
from inarow.search.solver.lanes import prefetch
from inarow.search.solver.plain_kernel import Effort
from inarow.search.solver.table import HIGHEST, LOWEST, inlined, lower_of, probe, scramble, store, upper_of

_TWO = np.uint64(2)
_STOP_INTERVAL = 2047  # nodes between two checks of the stop flag, minus one
_SETTLED = -(1 << 40)  # move-ordering value of a child that needs no search
_WORST = -64
_NO_BOUND = 64  # above every score
_Chain = tuple[Word, Word, Word, Word, int, Word, int]


class ChildRecord:
    """A quiet position to search, as a record."""

    stones: Word
    others: Word
    wins: Word
    other_wins: Word
    bucket: Word
    tag: Word
    ply: int
    order: int


CHILD = record_type(ChildRecord)
MAX_CHILDREN = 1024  # children on a path from the root to a leaf: at most actions times cells


class FastEffort(Effort):
    """The state of one worker, as a record."""

    deep_ply: int  # from this ply on the deep table is used, without mirror images
    deep_bits: Word  # buckets of the deep table, as a power of two
    shallow_bits: Word
    children: Annotated[Sequence[ChildRecord], CHILD, MAX_CHILDREN]


# Weights of move ordering. For the side that moved: winning cells directly above a playable cell, two above,
# and anywhere except above a winning cell of the opponent; forced moves that follow; whether this side moves
# again after them. For the cell, near the root: lines still open to its side, and to the opponent.
_ABOVE, _TWO_ABOVE, _USEFUL, _FORCED, _AGAIN, _OPEN, _OTHERS_OPEN = 104, 40, 24, 12, 64, 9, 4


@kernel
def prepare(
    stones: Word, mask: Word, beta: int, geometry: GeometryRecord, effort: FastEffort, table: np.ndarray
) -> tuple[bool, int, bool]:
    """The result of forced play from an unfinished position: (whether a bound settles the null window at beta, that
    bound, whether it is for the same side to move). The bound and further searches are for the quiet position that
    follows by force, which is written to effort.children[0]. (Numba cannot cache a kernel that calls a recursive one.)
    """
    others = mask ^ stones
    root = ply = count_cells(mask)
    free = geometry.cells & ~mask
    wins = winning_cells(stones, free, geometry)
    other_wins = winning_cells(others, free, geometry)
    if wins & (mask + geometry.bottom) != ZERO:
        return True, winner_score(ply + 1, geometry.area), True
    safe = safe_cells(mask, other_wins, geometry)
    if safe == ZERO:
        return True, -winner_score(ply + 2, geometry.area), True
    bound = 0
    if safe & (safe - ONE) == ZERO:
        stones, others, wins, other_wins, ply, safe, bound = follow(
            stones, others, wins, other_wins, ply, safe, geometry
        )
    again = (ply - root) & 1 == 0
    if safe == ZERO:
        return True, bound, again
    beta = beta if again else 1 - beta
    _place(effort.children[0], stones, others, wins, other_wins, ply, geometry, effort)
    lower, upper = bounds(stones, others, other_wins, ply, beta, geometry)
    word = probe(table, effort.children[0].bucket, effort.children[0].tag)
    lower, upper = max(lower, lower_of(word)), min(upper, upper_of(word))
    return lower >= beta or upper < beta, lower if lower >= beta else upper, again


@kernel
def search(
    index: int,
    beta: int,
    base: int,
    geometry: GeometryRecord,
    effort: FastEffort,
    table: np.ndarray,
    stop: np.ndarray,
) -> int:
    """The null-window search of the quiet position effort.children[index], which neither the table nor `bounds`
    settles. A result >= beta is a lower bound of its score, any other an upper bound; it is meaningless once
    effort.stopped is set. effort.children[base:] is free for use.
    """
    before = effort.nodes
    effort.nodes = before + 1
    if before & _STOP_INTERVAL == 0 and (stop[0] != 0 or before >= effort.node_limit):
        effort.stopped = 1
        return 0
    node = effort.children[index]
    ply, bucket, tag = node.ply, node.bucket, node.tag
    count, best = _expand(node, beta, base, geometry, effort, table)
    if best < beta and count > 0:
        best = _consult(ply, beta, base, count, best, effort, table)
    end = base + count
    while best < beta:
        chosen, order = base, _SETTLED
        for candidate in range(base, end):
            if effort.children[candidate].order > order:
                chosen, order = candidate, effort.children[candidate].order
        if order == _SETTLED:
            break
        child = effort.children[chosen]
        child.order = _SETTLED
        again = (child.ply - ply) & 1 == 0
        score = search(chosen, beta if again else 1 - beta, end, geometry, effort, table, stop)
        if effort.stopped != 0:
            return 0
        best = max(best, score if again else -score)
    if best >= beta:
        store(table, bucket, tag, best, HIGHEST, effort.nodes - before)
    else:
        store(table, bucket, tag, LOWEST, best, effort.nodes - before)
    return best


@register_jitable
def _expand(
    node: ChildRecord, beta: int, base: int, geometry: GeometryRecord, effort: FastEffort, table: np.ndarray
) -> tuple[int, int]:
    """Writes the children to search to effort.children[base:]; returns (their number, best score of the others up to
    beta).
    """
    stones, others, wins, other_wins, ply = node.stones, node.others, node.wins, node.other_wins, node.ply
    count = 0
    best = _WORST
    moves = safe_cells(stones | others, other_wins, geometry)
    while moves != ZERO and best < beta:
        move = moves & (~moves + ONE)
        moves ^= move
        s, o, w, ow, p, safe, score = follow(stones, others, wins, other_wins, ply, move, geometry)
        again = (p - ply) & 1 == 0
        if safe == ZERO:
            best = max(best, score if again else -score)
            continue
        lower, upper = bounds(s, o, ow, p, beta if again else 1 - beta, geometry)
        if not again:
            lower, upper = -upper, -lower
        if lower >= beta:
            best = lower
        elif upper < beta:
            best = max(best, upper)
        else:
            child = effort.children[base + count]
            _place(child, s, o, w, ow, p, geometry, effort)
            prefetch(table, child.bucket)
            child.order = _cell_promise(move, stones, others, ply < effort.deep_ply, geometry) + _FORCED * (p - ply)
            if again:
                child.order += _threat_promise(w, ow, (s | o) + geometry.bottom, geometry) + _AGAIN
            else:
                child.order += _threat_promise(ow, w, (s | o) + geometry.bottom, geometry)
            count += 1
    return count, best


@inlined
def _place(
    child: ChildRecord,
    stones: Word,
    others: Word,
    wins: Word,
    other_wins: Word,
    ply: int,
    geometry: GeometryRecord,
    effort: FastEffort,
) -> None:
    """Writes a quiet position to a record, with its place in the table."""
    child.stones, child.others, child.wins, child.other_wins, child.ply = stones, others, wins, other_wins, ply
    child.bucket, child.tag = _locate(stones, others, ply, geometry, effort)


@inlined
def _cell_promise(move: Word, stones: Word, others: Word, is_shallow: bool, geometry: GeometryRecord) -> int:
    """The move-ordering value of a cell; near the root, where time does not matter, open lines count too."""
    worth = geometry.cell_order[count_cells(move - ONE)]
    if is_shallow:
        worth >>= 1
        worth += _OPEN * open_lines(move, geometry.cells & ~others, geometry)
        worth += _OTHERS_OPEN * open_lines(move, geometry.cells & ~stones, geometry)
    return worth


@inlined
def _threat_promise(wins: Word, other_wins: Word, playable: Word, geometry: GeometryRecord) -> int:
    """The move-ordering value of winning cells for their side."""
    useful = wins & ~(from_upward(other_wins, geometry) << ONE)
    worth = _ABOVE * count_cells(wins & (playable << ONE))
    worth += _TWO_ABOVE * count_cells(wins & (playable << _TWO))
    return worth + _USEFUL * count_cells(useful)


@register_jitable
def _consult(ply: int, beta: int, base: int, count: int, best: int, effort: FastEffort, table: np.ndarray) -> int:
    """Looks up all children in the table before any is searched, and marks the settled ones; returns the best known
    score.
    """
    for index in range(base, base + count):
        child = effort.children[index]
        word = probe(table, child.bucket, child.tag)
        if word != ZERO:
            lower, upper = lower_of(word), upper_of(word)
            if (child.ply - ply) & 1:
                lower, upper = -upper, -lower
            if lower >= beta:
                return lower
            if upper < beta:
                best = max(best, upper)
                child.order = _SETTLED
    return best


@inlined
def _locate(stones: Word, others: Word, ply: int, geometry: GeometryRecord, effort: FastEffort) -> tuple[Word, Word]:
    """(bucket, tag) of a position, shared with its mirror image before the deep plies. The deep part of the table comes
    first, small enough to stay in the processor's cache.
    """
    key = stones | ((stones | others) + geometry.bottom)
    if ply >= effort.deep_ply:
        key = scramble(key, geometry.key_bits, geometry.key_mask)
        return (key & ((ONE << effort.deep_bits) - ONE)) << ONE, key >> effort.deep_bits
    key = scramble(min(key, _mirrored(key, geometry)), geometry.key_bits, geometry.key_mask)
    index = (key & ((ONE << effort.shallow_bits) - ONE)) + (ONE << effort.deep_bits)
    return index << ONE, key >> effort.shallow_bits


@inlined
def _mirrored(key: Word, geometry: GeometryRecord) -> Word:
    """The key with its columns in reverse order."""
    column = (ONE << geometry.stride) - ONE
    result = ZERO
    for _ in range(geometry.columns):
        result = (result << geometry.stride) | (key & column)
        key >>= geometry.stride
    return result


# --- Forced play, and proofs without search ---
# `stones` are those of the side to move, `others` the opponent's; `wins` and `other_wins` the empty cells that complete
# a line of each, playable or not. A position is quiet if the side to move cannot win at once and has several safe
# cells: playable cells that block every immediate threat and are not directly below a winning cell of the opponent.


@inlined
def winner_score(stone: int, area: int) -> int:
    """The winner's score of a line completed by stone number `stone` (from 1); 0 for the stone after the last cell."""
    return 1 + ((area - stone) >> 1)


@inlined
def safe_cells(mask: Word, other_wins: Word, geometry: GeometryRecord) -> Word:
    """Playable cells after which the opponent cannot win at once. Not checked: the side to move cannot win at once."""
    playable = (mask + geometry.bottom) & geometry.cells
    attacked = playable & other_wins
    if attacked != ZERO:
        playable = attacked if attacked & (attacked - ONE) == ZERO else ZERO
    return playable & ~(other_wins >> ONE)


@inlined
def follow(
    stones: Word, others: Word, wins: Word, other_wins: Word, ply: int, safe: Word, geometry: GeometryRecord
) -> _Chain:
    """Plays forced moves while the side to move has exactly one safe cell, `safe`. Returns the position reached (the
    same five values, for its side to move), its safe cells, and a score: final if there is no safe cell, else
    meaningless.
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
    stones: Word, others: Word, other_wins: Word, ply: int, beta: int, geometry: GeometryRecord
) -> tuple[int, int]:
    """(lower, upper) bounds of a quiet position, as tight as the null window at beta requires."""
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
def _second_follows_up(stones: Word, mask: Word, other_wins: Word, beta: int, geometry: GeometryRecord) -> int:
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
def _first_follows_up(stones: Word, mask: Word, other_wins: Word, beta: int, geometry: GeometryRecord) -> int:
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
