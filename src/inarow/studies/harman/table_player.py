"""Tables at play: read, never written. Boards of one word with gravity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inarow.agents.agent import Decision
from inarow.agents.simple import draw_best
from inarow.arena.accuracy import Accuracy, Choices
from inarow.arena.exhaustive import exhaustive_suite
from inarow.arena.suite import ILLEGAL
from inarow.games.kernels import compiled_layout, hash_key, kernel
from inarow.games.layout import Layout
from inarow.games.position import Position
from inarow.games.rules import mirror
from inarow.learning.tabular.q_table import QTable


class TablePlayer:
    """Plays the action of the greatest value, uniformly among equals; where it has never been, any."""

    def __init__(self, name: str, table: QTable, rng: np.random.Generator, *, shares_mirror: bool) -> None:
        """`shares_mirror`: a position and its mirror image have one row, the corrected way."""
        self.name = name
        self._table, self._rng, self._shares_mirror = table, rng, shares_mirror

    def decide(self, position: Position) -> Decision:
        keys, is_mirrored = _keys((position,), self._shares_mirror)
        (row,) = self._table.find(keys)
        values = self._table.values[row] if row >= 0 else np.zeros(position.spec.actions)
        if is_mirrored[0]:
            values = values[::-1]
        return draw_best(position, values.tolist(), self._rng)


def grade_table(table: QTable, rng: np.random.Generator, *, shares_mirror: bool) -> dict[str, Accuracy]:
    """How well a table plays every position of its (small) board, by side: `first` and `second`."""
    suite = exhaustive_suite(table.spec)
    keys, is_mirrored = _keys(suite.positions, shares_mirror)
    rows = table.find(keys)
    values = np.where(rows[:, None] >= 0, table.values[rows], 0.0)
    values = np.where(is_mirrored[:, None], values[:, ::-1], values)
    values = np.where(suite.scores != ILLEGAL, values, -np.inf)
    chances = np.where(values == values.max(axis=1, keepdims=True), rng.random(values.shape), -1.0)
    return Choices.of(suite, chances.argmax(axis=1)).by_side()


def _keys(positions: Sequence[Position], shares_mirror: bool) -> tuple[np.ndarray, np.ndarray]:
    """(uint64 [N], the key of each position's row; bool [N], whether columns are counted from the right there)."""
    layout = compiled_layout(positions[0].spec)
    stones = np.array([position.stones for position in positions], np.uint64)
    masks = np.array([position.mask for position in positions], np.uint64)
    keys, images = _both_keys(layout, stones, masks)
    is_mirrored = (images < keys) & shares_mirror
    return np.where(is_mirrored, images, keys), is_mirrored


@kernel
def _both_keys(layout: Layout, stones: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Keys, keys of the mirror images)."""
    keys, images = np.empty(len(stones), np.uint64), np.empty(len(stones), np.uint64)
    for number in range(len(stones)):
        mine, both = stones[number], masks[number]
        keys[number] = hash_key(mine, both, layout)
        images[number] = hash_key(mirror(mine, layout), mirror(both, layout), layout)
    return keys, images
