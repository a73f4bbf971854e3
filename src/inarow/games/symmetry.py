"""Symmetries: rotations and reflections of the board that preserve the game.

With gravity only the mirror image does. Without gravity a square board has eight symmetries, any other four.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from inarow.games.layout import layout_of
from inarow.games.position import Position, cells_of
from inarow.games.spec import GameSpec


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A permutation: cell i (a bit of `layout.py`) moves to `cells[i]`, action i to `actions[i]`."""

    name: str
    cells: tuple[int, ...]
    actions: tuple[int, ...]

    def apply(self, position: Position) -> Position:
        """The image of the position and of its game."""
        return Position(
            position.spec,
            self.move_cells(position.stones),
            self.move_cells(position.mask),
            tuple(self.actions[action] for action in position.actions),
            position.winner,
            position.layout,
        )

    def move_cells(self, cells: int) -> int:
        return sum(1 << self.cells[cell] for cell in cells_of(cells))


@lru_cache(maxsize=64)
def symmetries(spec: GameSpec) -> tuple[Symmetry, ...]:
    """All symmetries of a board, the identity first."""
    grid = np.arange(spec.cells).reshape(spec.rows, spec.columns)
    turned = {"identity": grid, "mirror": grid[:, ::-1]}
    if not spec.gravity:
        turned |= {"flip": grid[::-1], "half turn": grid[::-1, ::-1]}
        if spec.rows == spec.columns:
            turned |= {
                "diagonal": grid.T,
                "quarter turn": np.rot90(grid),
                "three quarter turn": np.rot90(grid, 3),
                "antidiagonal": grid[::-1, ::-1].T,
            }
    return tuple(_symmetry(spec, name, places.ravel()) for name, places in turned.items())


def _symmetry(spec: GameSpec, name: str, targets: np.ndarray) -> Symmetry:
    """The symmetry that moves the cell number i, row by row from the top left, to `targets[i]`."""
    layout = layout_of(spec)
    bit = [layout.cell(*divmod(number, spec.columns)) for number in range(spec.cells)]
    cells = list(range(layout.stride * layout.columns))
    for source, target in enumerate(targets.tolist()):
        cells[bit[source]] = bit[target]
    actions = targets[: spec.columns] if spec.gravity else targets  # the top row is the columns
    return Symmetry(name, tuple(cells), tuple(actions.tolist()))


def canonical(position: Position) -> tuple[Position, Symmetry]:
    """The image of `position` with the smallest key, equal for all symmetric positions, and the symmetry to it."""
    images = [(symmetry.apply(position), symmetry) for symmetry in symmetries(position.spec)]
    return min(images, key=lambda image: image[0].key)


def canonical_key(position: Position) -> int:
    """The smallest key among the images of `position`: equal if and only if positions are symmetric."""
    return canonical(position)[0].key
