"""The rules, written once for every kind of number that can hold a set of cells.

These functions use only `& | ^ ~ << >>` and `bits.py`, so the same lines run on Python integers (`Position`) and,
compiled by `kernels.py`, on one machine word and on a `Wide`. Never combine a set of cells with a literal here.

`stones` are those of one side (to move, unless stated otherwise), `mask` those of both. Arguments are not checked.
"""

from inarow.games.bits import Bits, any_cell, first_cell, has_cell
from inarow.games.layout import Layout


def action_count(layout: Layout) -> int:
    """The number of actions: columns with gravity, cells without."""
    return layout.columns if layout.gravity else layout.rows * layout.columns


def cell_at(row: int, column: int, layout: Layout) -> int:
    """The cell in `row` (0 on top) and `column`."""
    return column * layout.stride + layout.rows - 1 - row


def row_and_column(cell: int, layout: Layout) -> tuple[int, int]:
    """The inverse of `cell_at`."""
    column = cell // layout.stride
    return layout.rows - 1 - (cell - column * layout.stride), column


def playable(mask: Bits, layout: Layout) -> Bits:
    """Every cell on which the next stone can land, even if the game is over."""
    if layout.gravity:
        free: Bits = ((mask << 1) | layout.bottom) & layout.board & ~mask
    else:
        free = layout.board & ~mask
    return free


def landing_cell(mask: Bits, action: int, layout: Layout) -> int:
    """The cell on which the stone of `action` lands; -1 if the column is full or the cell taken."""
    if layout.gravity:
        bottom = action * layout.stride
        if has_cell(mask, bottom + layout.rows - 1):
            return -1
        return bottom + first_cell(playable(mask, layout) >> bottom)
    row = action // layout.columns
    cell = cell_at(row, action - row * layout.columns, layout)
    return -1 if has_cell(mask, cell) else cell


def action_of(cell: int, layout: Layout) -> int:
    """The action that puts a stone on a playable cell."""
    row, column = row_and_column(cell, layout)
    return column if layout.gravity else row * layout.columns + column


def has_line(stones: Bits, layout: Layout) -> bool:
    """Whether `inarow` stones stand in a row anywhere on the board."""
    for step in layout.steps:
        if any_cell(line_starts(stones, step, layout.inarow)):
            return True
    return False


def line_starts(stones: Bits, step: int, inarow: int) -> Bits:
    """The cells at which `inarow` stones `step` bits apart begin."""
    runs = stones  # the starts of runs of `length` stones; `length` is doubled while possible
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
    """The empty cells on which one more stone of this side makes a line, playable now or not."""
    found = stones ^ stones
    for step in layout.steps:
        found = found | line_gaps(stones, step, layout.inarow)
    empty: Bits = layout.board & ~mask
    return found & empty


def line_gaps(stones: Bits, step: int, inarow: int) -> Bits:
    """The cells, on the board or off it, that complete `inarow` stones `step` bits apart."""
    found = stones ^ stones
    before = ~found  # cells with `ahead` stones directly before them
    for ahead in range(inarow):
        both = before
        for distance in range(1, inarow - ahead):
            both = both & (stones >> (step * distance))
        found = found | both
        before = (before & stones) << step
    return found


def window(cells: int, column: int, height: int, part: Layout, layout: Layout) -> int:
    """The part of a board from the lower left corner (`column`, `height`), in the layout `part`. For integers only."""
    found, column_cells = 0, (1 << part.rows) - 1
    for place in range(part.columns):
        column_part = cells >> (column + place) * layout.stride + height & column_cells
        found |= column_part << place * part.stride
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
    """A number that identifies a position with gravity: in each column, the lowest free bit is set, and below it the
    bits of the stones of the side to move; the other bits below it are stones of the opponent.
    """
    markers: Bits = ((mask << 1) | layout.bottom) & ~mask
    return stones | markers
