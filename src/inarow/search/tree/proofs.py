"""Compiled: what is proven about positions, by one look at a board and by the children of a node."""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, any_cell, count_cells
from inarow.games.kernels import kernel
from inarow.games.layout import Layout
from inarow.games.rules import playable, winning_cells
from inarow.search.tree.memory import DRAWN, SOONEST_WIN, UNKNOWN, TreeArrays


@register_jitable
def proven_value(proof: int) -> float:
    """1, 0 or -1 for the side that moved into a proven node."""
    return 0.0 if proof == DRAWN else 1.0 if proof > 0 else -1.0


@register_jitable
def prove(path: np.ndarray, length: int, tree: TreeArrays) -> None:
    """Carries the proof of the last node of a path up as far as it reaches. Moves without a child must be worse than
    all that have one.
    """
    first, size, proof = tree.first, tree.size, tree.proof
    for place in range(length - 1, -1, -1):
        node = path[place]
        best = proof[path[place + 1]]
        if best < SOONEST_WIN // 2:  # not a win: every child must be known
            for child in range(first[node], first[node] + size[node]):
                if proof[child] == UNKNOWN:
                    return
                best = max(best, proof[child])
        proof[node] = DRAWN if best == DRAWN else -best


@register_jitable
def examine(stones: Bits, mask: Bits, ply: int, layout: Layout) -> tuple[int, Bits]:
    """(proof, cells) of a position without a line; the generic sibling of `solver/forced.py`.

    The proof is for the side that moved into the position: it loses if the side to move can complete a line, and
    wins if it threatens two lines or leaves no safe move. Otherwise the proof is UNKNOWN and the cells are the safe
    ones: they meet a threat and do not lie directly below a winning cell of the opponent; all others lose to the
    opponent's next stone. In a proven position the cells are those that win, or that meet a threat, or all playable
    ones; on a full board none.
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
    """`examine`, from Python."""
    return examine(stones, mask, ply, layout)
