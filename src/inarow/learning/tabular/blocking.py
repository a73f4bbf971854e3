"""Compiled: what a stone is worth as a block (kumbhakern-2025)."""

from __future__ import annotations

from numba.extending import register_jitable

from inarow.games.bits import Bits, has_cell
from inarow.games.layout import Layout
from inarow.games.rules import playable


@register_jitable
def block_weight(others: Bits, mask: Bits, cell: int, layout: Layout) -> float:
    """How much a stone just placed on `cell` is in the way of the opponent, whose stones are `others`;
    `mask` has both sides' stones and the new one.

    For each direction in which the opponent's stones touch the cell on both sides together: 1 for one
    less than a line needs; 1 for two less whose both ends can be played at once; 0.5 each for two less
    with one such end, if there are at least two of them.
    """
    next_cells = playable(mask, layout)
    weight, half = 0.0, 0
    for direction in range(4):
        step = layout.steps[direction]
        if direction > 0 and step == layout.steps[0]:
            continue  # a direction without room repeats the first
        before, first_end = _run(others, cell, -step, layout)
        after, last_end = _run(others, cell, step, layout)
        length = before + after
        if length >= layout.inarow - 1:
            weight += 1.0
        elif length == layout.inarow - 2 and length > 0:
            ends = 0
            for end in (first_end, last_end):
                if end >= 0 and has_cell(next_cells, end):
                    ends += 1
            if ends == 2:
                weight += 1.0
            elif ends == 1:
                half += 1
    return weight + 0.5 * half if half >= 2 else weight


@register_jitable
def _run(stones: Bits, cell: int, step: int, layout: Layout) -> tuple[int, int]:
    """(How many stones follow `cell` in steps, the bit behind them; -1 if that leaves the board)."""
    length = 0
    place = cell + step
    end = layout.stride * layout.columns
    while 0 <= place < end and has_cell(stones, place):
        length += 1
        place += step
    return length, place if 0 <= place < end else -1
