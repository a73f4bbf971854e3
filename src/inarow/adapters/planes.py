"""Observations for other libraries: stones as planes, and masks of actions."""

import numpy as np
import numpy.typing as npt

from inarow.games import Position

Planes = npt.NDArray[np.int8]


def planes_for(position: Position, side: int) -> Planes:
    """int8 [rows, columns, 2], row 0 on top: the stones of `side` (1 or 2), then those of the other."""
    cells = position.to_array()
    return np.stack([cells == side, cells == 3 - side], axis=2).astype(np.int8)


def room_mask(position: Position) -> Planes:
    """int8 [A]: 1 for an action whose cell or column is not full, also when the game is over."""
    cells = position.to_array()
    entries = cells[0] if position.spec.gravity else cells.ravel()
    return np.asarray(entries == 0, np.int8)
