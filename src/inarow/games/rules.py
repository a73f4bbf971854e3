"""The rules, written once for every kind of number that can hold a set of cells.

`layout.py` draws the bits. These functions use only `& | ^ ~ << >>` and the few operations of
`bits.py`, so the same lines run on Python integers (`Position`), and compiled by `kernels.py` on
one machine word and on the five words of a `Wide`. Write no literal that meets a set of cells here.

`stones` is one side's stones (of the side to move, unless a function says otherwise), `mask` all
stones. Nothing is checked.
"""

from __future__ import annotations

from inarow.games.bits import Bits, any_cell, first_cell, has_cell
from inarow.games.layout import Layout


def action_count(layout: Layout) -> int:
    """Actions of a board: columns with gravity, cells without."""
    return layout.columns if layout.gravity else layout.rows * layout.columns


def playable(mask: Bits, layout: Layout) -> Bits:
    """Every cell on which the next stone may come to lie, finished game or not."""
    if layout.gravity:
        free: Bits = ((mask << 1) | layout.bottom) & layout.board & ~mask
    else:
        free = layout.board & ~mask
    return free


def landing_cell(mask: Bits, action: int, layout: Layout) -> int:
    """The cell on which `action` puts its stone; -1 where there is no room."""
    if layout.gravity:
        bottom = action * layout.stride
        if has_cell(mask, bottom + layout.rows - 1):
            return -1
        return bottom + first_cell(playable(mask, layout) >> bottom)
    row = action // layout.columns
    cell = (action - row * layout.columns) * layout.stride + layout.rows - 1 - row
    return -1 if has_cell(mask, cell) else cell


def has_line(stones: Bits, layout: Layout) -> bool:
    """Whether `inarow` stones stand in a row anywhere on the board."""
    for step in layout.steps:
        if any_cell(line_starts(stones, step, layout.inarow)):
            return True
    return False


def line_starts(stones: Bits, step: int, inarow: int) -> Bits:
    """The cells from which `inarow` stones follow each other `step` bits apart."""
    runs = stones  # the starts of runs of `length` stones, doubled as long as it fits
    length = 1
    while 2 * length <= inarow:
        runs = runs & (runs >> (step * length))
        length *= 2
    if length < inarow:
        runs = runs & (runs >> (step * (inarow - length)))
    return runs


def has_line_through(stones: Bits, cell: int, layout: Layout) -> bool:
    """Whether `inarow` stones in a row include `cell`, on which a stone of this side stands."""
    end = layout.stride * layout.columns
    for step in layout.steps:
        length = 1
        neighbour = cell + step
        while neighbour < end and has_cell(stones, neighbour):
            length += 1
            neighbour += step
        neighbour = cell - step
        while neighbour >= 0 and has_cell(stones, neighbour):
            length += 1
            neighbour -= step
        if length >= layout.inarow:
            return True
    return False


def winning_cells(stones: Bits, mask: Bits, layout: Layout) -> Bits:
    """The empty cells on which one more stone of this side makes a line, reachable now or later."""
    found = stones ^ stones
    for step in layout.steps:
        found = found | line_gaps(stones, step, layout.inarow)
    empty: Bits = layout.board & ~mask
    return found & empty


def line_gaps(stones: Bits, step: int, inarow: int) -> Bits:
    """The cells, on the board or off it, that are all that `inarow` cells `step` bits apart lack."""
    found = stones ^ stones
    before = ~found  # cells with `ahead` stones directly before them
    for ahead in range(inarow):
        both = before
        for distance in range(1, inarow - ahead):
            both = both & (stones >> (step * distance))
        found = found | both
        before = (before & stones) << step
    return found


def mirror(cells: Bits, layout: Layout) -> Bits:
    """The same cells with left and right exchanged."""
    mirrored = cells ^ cells
    column = ~(~mirrored << layout.rows)  # the cells of the first column
    for left in range(layout.columns):
        right = layout.columns - 1 - left
        mirrored = mirrored | (((cells >> (left * layout.stride)) & column) << (right * layout.stride))
    return mirrored


def gravity_key(stones: Bits, mask: Bits, layout: Layout) -> Bits:
    """A number that no other position of a board with gravity has.

    In each column the first free bit is set above the stones of the side to move; what lies under
    that bit and is not set belongs to the other side.
    """
    markers: Bits = ((mask << 1) | layout.bottom) & ~mask
    return stones | markers
