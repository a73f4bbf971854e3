"""Symmetries: rotations and reflections of the board that preserve the game.

With gravity the only one besides the identity is the mirror image. Without gravity a square board has eight symmetries,
any other board four.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from inarow.games.layout import layout_of
from inarow.games.position import Position, cells_of
from inarow.games.spec import GameSpec


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A permutation: cell i (a bit of `layout.py`) moves to `cells[i]`, action i to `actions[i]`."""

    cells: tuple[int, ...]
    actions: tuple[int, ...]

    def apply(self, position: Position) -> Position:
        """The image of the position and of its game."""
        stones, mask = self.move_cells(position.stones), self.move_cells(position.mask)
        return replace(
            position, stones=stones, mask=mask, actions=tuple(self.actions[each] for each in position.actions)
        )

    def move_cells(self, cells: int) -> int:
        return sum(1 << self.cells[cell] for cell in cells_of(cells))


@lru_cache(maxsize=64)
def symmetries(spec: GameSpec) -> tuple[Symmetry, ...]:
    """All symmetries of a board, the identity first, then the mirror image."""
    grid = np.arange(spec.cells).reshape(spec.rows, spec.columns)
    images = [grid, grid[:, ::-1]]
    if not spec.gravity:
        images += [grid[::-1], grid[::-1, ::-1]]
        if spec.rows == spec.columns:
            images += [grid.T, np.rot90(grid), np.rot90(grid, 3), grid[::-1, ::-1].T]
    return tuple(_symmetry(spec, image.ravel()) for image in images)


def _symmetry(spec: GameSpec, targets: np.ndarray) -> Symmetry:
    """The symmetry that moves the cell number i, row by row from the top left, to `targets[i]`."""
    layout = layout_of(spec)
    bit = [layout.cell(*divmod(number, spec.columns)) for number in range(spec.cells)]
    cells = list(range(layout.stride * layout.columns))
    for source, target in enumerate(targets.tolist()):
        cells[bit[source]] = bit[target]
    actions = (
        targets[: spec.columns] if spec.gravity else targets
    )  # cells of the top row have the numbers of the columns
    return Symmetry(tuple(cells), tuple(actions.tolist()))


def canonical(position: Position) -> Position:
    """The image of `position` with the smallest key; the same for two positions if and only if they are symmetric."""
    return min((symmetry.apply(position) for symmetry in symmetries(position.spec)), key=lambda image: image.key)


def canonical_key(position: Position) -> int:
    """The key of the canonical image."""
    return canonical(position).key
