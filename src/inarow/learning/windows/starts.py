"""Compiled: random boards as starts of episodes, with any stones that gravity allows."""

from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import single_cell
from inarow.games.layout import Layout
from inarow.games.rules import has_line, landing_cell

_TRIES = 16
"""Boards that are drawn with the same greatest height: dense boards with short lines almost always have a line."""


@register_jitable
def random_board(layout: Layout, rng: np.random.Generator) -> tuple[Any, Any, int]:
    """(Stones of the side to move, all stones, their number) of a board with gravity, without a line and not full.

    Each column has a uniformly random height, and each stone a uniformly random owner, so that stones need not
    alternate and either side may be to move. Boards that are over are drawn again.
    """
    area, highest, tries = layout.rows * layout.columns, layout.rows, 0
    while True:
        mine: Any = layout.board ^ layout.board
        both, stones = mine, 0
        for column in range(layout.columns):
            for _ in range(int(rng.random() * (highest + 1))):
                stone = single_cell(landing_cell(both, column, layout), mine)
                both = both | stone
                stones += 1
                if rng.random() < 0.5:
                    mine = mine | stone
        if stones < area and not has_line(mine, layout) and not has_line(both ^ mine, layout):
            return mine, both, stones
        tries += 1
        if tries % _TRIES == 0:
            highest -= 1
