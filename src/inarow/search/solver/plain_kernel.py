"""Compiled: exact scores on every kind of board, with gravity or without, in one word or five.

A null-window search with a transposition table, forced moves and move ordering by threats. It serves the boards that
the much faster `fast_kernel.py` does not; the tests compare the two.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, any_cell, count_cells, first_cell, has_cell, single_cell
from inarow.games.compiled_bits import mixed
from inarow.games.kernels import hash_key, kernel
from inarow.games.layout import Layout
from inarow.games.rules import has_line, playable, winning_cells

_CHECK_INTERVAL = 63  # nodes between two checks of the stop flag, minus one; a few milliseconds on the largest boards
_OFFSET = 128  # above every score; makes stored bounds positive
_THREAT = 64  # move-ordering value of a winning cell; a line through the cell has 1
_NO_SCORE = -_OFFSET


class Effort:
    """The nodes that a search has used and its limit, as a record."""

    nodes: int
    node_limit: int
    stopped: int


class PlainSearch(NamedTuple):
    """The state of a search."""

    keys: np.ndarray  # [slots] uint64, slots a power of two
    bounds: np.ndarray  # [slots] uint16, lower * 256 + upper, both + 128; 0 where nothing is stored
    symmetries: np.ndarray  # [S, bits] int64, target of each cell; without the identity
    symmetry_plies: int  # positions of fewer stones share an entry with their images
    cell_order: np.ndarray  # [bits] int64, lines through each cell
    moves: np.ndarray  # [total] int64, lists of cells to try, concatenated
    effort: Effort
    stop: np.ndarray  # [1] uint8, set by another thread to end the search


@register_jitable
def win_score(stone: int, layout: Layout) -> int:
    """The winner's score of a line completed by stone number `stone` (from 1); 0 beyond the last cell."""
    return max(0, 1 + (layout.rows * layout.columns - stone) // 2)


@kernel
def search_plain(layout: Layout, stones: Bits, mask: Bits, ply: int, beta: int, base: int, search: PlainSearch) -> int:
    """A null-window search: a result >= beta is a lower bound of the score, any other an upper bound. It is
    meaningless once the search is stopped. The game is not over; `search.moves[base:]` is free for use. (Called
    directly from Python: Numba cannot cache a kernel that calls a recursive one.)
    """
    effort = search.effort
    effort.nodes += 1
    if effort.nodes & _CHECK_INTERVAL == 0 and (search.stop[0] != 0 or effort.nodes >= effort.node_limit):
        effort.stopped = 1
    if effort.stopped != 0:
        return 0
    free = playable(mask, layout)
    if any_cell(winning_cells(stones, mask, layout) & free):
        return win_score(ply + 1, layout)
    if ply + 1 >= layout.rows * layout.columns:
        return 0
    candidates = safe_cells(mask ^ stones, mask, free, layout)
    if not any_cell(candidates):
        return -win_score(ply + 2, layout)
    lower, upper = _provable(stones, mask, ply, layout)
    if lower >= beta or upper < beta:
        return lower if lower >= beta else upper
    key = _table_key(stones, mask, ply, layout, search)
    slot = np.int64(mixed(key) & np.uint64(len(search.keys) - 1))
    if search.bounds[slot] != 0 and search.keys[slot] == key:
        lower = max(lower, np.int64(search.bounds[slot] >> 8) - _OFFSET)
        upper = min(upper, np.int64(search.bounds[slot] & 255) - _OFFSET)
        if lower >= beta or upper < beta:
            return lower if lower >= beta else upper
    end = _list_moves(candidates, stones, mask, base, layout, search)
    best = _NO_SCORE
    for index in range(base, end):
        stone = single_cell(search.moves[index], mask)
        score = -search_plain(layout, mask ^ stones, mask | stone, ply + 1, 1 - beta, end, search)
        if effort.stopped != 0:
            return 0
        best = max(best, score)
        if best >= beta:
            break
    if best >= beta:
        lower = max(lower, best)
    else:
        upper = min(upper, best)
    search.keys[slot] = key
    search.bounds[slot] = np.uint16((lower + _OFFSET) << 8 | (upper + _OFFSET))
    return best


@register_jitable
def safe_cells(others: Bits, mask: Bits, free: Bits, layout: Layout) -> Bits:
    """The cells of `free` after which the opponent, with the stones `others`, cannot win at once."""
    threats = winning_cells(others, mask, layout)
    attacked = threats & free
    safe = free
    if any_cell(attacked):
        safe = attacked if count_cells(attacked) == 1 else attacked ^ attacked
    if layout.gravity:
        safe = safe & ~(threats >> 1)
    return safe


@register_jitable
def _provable(stones: Bits, mask: Bits, ply: int, layout: Layout) -> tuple[int, int]:
    """(lower, upper) bounds if nobody wins within two moves; a side without space for a line cannot win at all."""
    empty = layout.board & ~mask
    lower, upper = -win_score(ply + 4, layout), win_score(ply + 3, layout)
    if not has_line(stones | empty, layout):
        upper = 0
    if not has_line((mask ^ stones) | empty, layout):
        lower = 0
    return lower, upper


@register_jitable
def _table_key(stones: Bits, mask: Bits, ply: int, layout: Layout, search: PlainSearch) -> np.uint64:
    """The smallest hash key of the images of a position; after `symmetry_plies` its own key."""
    key = hash_key(stones, mask, layout)
    if ply < search.symmetry_plies:
        for symmetry in range(len(search.symmetries)):
            image_stones, image_mask = stones ^ stones, mask ^ mask
            rest = mask
            for _ in range(ply):
                cell = first_cell(rest)
                rest = rest ^ single_cell(cell, rest)
                image = single_cell(search.symmetries[symmetry, cell], rest)
                image_mask = image_mask | image
                if has_cell(stones, cell):
                    image_stones = image_stones | image
            key = min(key, hash_key(image_stones, image_mask, layout))
    return key


@register_jitable
def _list_moves(candidates: Bits, stones: Bits, mask: Bits, base: int, layout: Layout, search: PlainSearch) -> int:
    """Writes candidates to `search.moves[base:]`, sorted by winning cells, then lines, most first; returns the end."""
    end = base
    for _ in range(count_cells(candidates)):
        cell = first_cell(candidates)
        stone = single_cell(cell, candidates)
        candidates = candidates ^ stone
        threats = count_cells(winning_cells(stones | stone, mask | stone, layout))
        # Order and cell in one number, so that a single array is sorted.
        entry = (_THREAT * threats + search.cell_order[cell]) * 512 + cell
        place = end
        while place > base and search.moves[place - 1] < entry:
            search.moves[place] = search.moves[place - 1]
            place -= 1
        search.moves[place] = entry
        end += 1
    for index in range(base, end):
        search.moves[index] &= 511
    return end
