"""Compiled: what one look at a position proves, and which moves are worth a search, on every board.

The generic sibling of `forced.py`, which serves the exact solver on boards of one word.
"""

from __future__ import annotations

from numba.extending import register_jitable

from inarow.games.bits import Bits, any_cell, count_cells
from inarow.games.kernels import kernel
from inarow.games.layout import Layout
from inarow.games.rules import playable, winning_cells
from inarow.search.tree.memory import DRAWN, SOONEST_WIN, UNKNOWN


@register_jitable
def examine(stones: Bits, mask: Bits, ply: int, layout: Layout) -> tuple[int, Bits]:
    """(proof, cells) of a position in which nobody has a line.

    The proof is one of `tree.py`, for the side that moved into the position: it loses where the side
    to move has a line at once, and wins where it threatens two or no move is safe. UNKNOWN otherwise,
    and then the cells are the safe ones: they meet a threat and do not lie directly below a winning
    cell of the opponent. All others lose with the opponent's next stone. A side to move that has
    won or lost gets the cells that win, or that meet a threat, or all playable ones.
    """
    if ply == layout.rows * layout.columns:
        return DRAWN, mask ^ mask
    free = playable(mask, layout)
    wins = winning_cells(stones, mask, layout) & free
    if any_cell(wins):
        return ply + 1 - SOONEST_WIN, wins
    other_wins = winning_cells(mask ^ stones, mask, layout)
    threats = other_wins & free
    number = count_cells(threats)
    if number > 1:
        return SOONEST_WIN - ply - 2, threats
    candidates = threats if number == 1 else free
    safe = candidates & ~(other_wins >> 1) if layout.gravity else candidates
    if any_cell(safe):
        return UNKNOWN, safe
    return SOONEST_WIN - ply - 2, candidates


@kernel
def look(layout: Layout, stones: Bits, mask: Bits, ply: int) -> tuple[int, Bits]:
    """`examine` for Python."""
    return examine(stones, mask, ply, layout)
