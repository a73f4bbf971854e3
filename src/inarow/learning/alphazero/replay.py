"""The replay buffer: a ring of the newest examples, from which batches are drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.errors import ConfigError
from inarow.games import GameSpec
from inarow.games.bits import WORDS, count_cells, load
from inarow.games.kernels import compiled_layout, kernel
from inarow.games.layout import Layout
from inarow.games.rules import action_count, landing_cell, row_and_column
from inarow.learning.alphazero.selfplay import Examples
from inarow.search.tree.evaluation import PLANES, write_planes
from inarow.storage.array_file import FileKind

REPLAY_KIND = FileKind("inarow-examples", 1, "the examples of a run", ConfigError, max_bytes=64 << 30)
"""Files of `Replay.state`."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples as input for the network. Boards are in the top left corner of the planes."""

    planes: np.ndarray  # [n, PLANES, rows, columns] float32
    policies: np.ndarray  # [n, rows, columns] float32, on the playable cells; sum to 1 or all 0
    values: np.ndarray  # [n] float32 in [-1, 1]
    is_mixed: bool  # whether a board is smaller than the planes


class Replay:
    """The newest `capacity` examples of some boards. All memory is allocated here; `bytes` is its size."""

    def __init__(self, specs: Sequence[GameSpec], capacity: int) -> None:
        words = 1 if all(spec.fits_word for spec in specs) else WORDS
        self._specs = tuple(specs)
        self._number = {spec: number for number, spec in enumerate(specs)}
        self._rows, self._columns = max(spec.rows for spec in specs), max(spec.columns for spec in specs)
        self.seen = 0  # number of examples ever added
        self._stones, self._mask = np.zeros((2, capacity, words), np.uint64)
        self._policies = np.zeros((capacity, max(spec.actions for spec in specs)), np.float32)
        self._values, self._board = np.zeros(capacity, np.float32), np.zeros(capacity, np.int16)

    def __len__(self) -> int:
        return min(self.seen, len(self._values))

    @property
    def bytes(self) -> int:
        return sum(array.nbytes for array in self._arrays().values())

    def add(self, spec: GameSpec, examples: Examples) -> None:
        """Adds examples of one board; they replace the oldest."""
        places = (self.seen + np.arange(len(examples))) % len(self._values)
        words, actions = examples.stones.shape[1], examples.policies.shape[1]
        self._stones[places, :words], self._mask[places, :words] = examples.stones, examples.mask
        self._stones[places, words:] = self._mask[places, words:] = 0
        self._policies[places, :actions] = examples.policies
        self._values[places], self._board[places] = examples.values, self._number[spec]
        self.seen += len(examples)

    def draw(self, count: int, window: int, rng: np.random.Generator, *, mirror: bool) -> Batch:
        """A batch drawn with replacement from the newest `window` examples; half of it mirrored if `mirror`."""
        ages = rng.integers(1, min(window, len(self)) + 1, count)
        places = (self.seen - ages) % len(self._values)
        places = places[np.argsort(self._board[places], kind="stable")]
        is_mirrored = rng.random(count) < 0.5 if mirror else np.zeros(count, np.bool_)
        planes = np.zeros((count, PLANES, self._rows, self._columns), np.float32)
        policies = np.zeros((count, self._rows, self._columns), np.float32)
        numbers, starts = np.unique(self._board[places], return_index=True)
        for number, start, end in zip(numbers, starts, [*starts[1:], count], strict=True):
            layout, kept = compiled_layout(self._specs[number]), (self._stones, self._mask, self._policies)
            by_example = (each[start:end] for each in (places, is_mirrored, planes, policies))
            write_examples(layout, *kept, *by_example)
        sizes = {(self._specs[number].rows, self._specs[number].columns) for number in numbers}
        return Batch(planes, policies, self._values[places], sizes != {(self._rows, self._columns)})

    def _arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, f"_{name}") for name in ("stones", "mask", "policies", "values", "board")}

    def state(self) -> dict[str, np.ndarray]:
        """The arrays that `restore` needs."""
        kept = {name: array[: len(self)] for name, array in self._arrays().items()}
        return {**kept, "seen": np.array(self.seen)}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Continues from a `state` of the same boards and capacity; raises ValueError for any other state."""
        seen = int(state["seen"])
        for name, array in self._arrays().items():
            kept = state[name]
            if kept.dtype != array.dtype or kept.shape != (min(seen, len(array)), *array.shape[1:]):
                raise ValueError(f"the examples' {name} are {kept.dtype} {kept.shape}")
            array[: len(kept)] = kept
        if len(self._board) and not 0 <= self._board.min() <= self._board.max() < len(self._specs):
            raise ValueError("examples of boards that are not in the config")
        self.seen = seen


@kernel
def write_examples(
    layout: Layout,
    stones: np.ndarray,
    masks: np.ndarray,
    policies: np.ndarray,
    places: np.ndarray,
    is_mirrored: np.ndarray,
    planes: np.ndarray,
    cell_policies: np.ndarray,
) -> None:
    """Writes the examples at `places`, all of one board, to the first rows of `planes` and `cell_policies`."""
    actions = action_count(layout)
    for number in range(len(places)):
        place = places[number]
        mask = load(masks, place, layout.board)
        write_planes(planes, number, load(stones, place, layout.board), mask, count_cells(mask), layout)
        for action in range(actions):
            if policies[place, action] > 0.0:
                cell = landing_cell(mask, action, layout)
                row, column = row_and_column(cell, layout)
                cell_policies[number, row, column] = policies[place, action]
        if is_mirrored[number]:
            for plane in range(planes.shape[1]):
                mirror_columns(planes[number, plane], layout)
            mirror_columns(cell_policies[number], layout)


@register_jitable
def mirror_columns(cells: Any, layout: Layout) -> None:
    """Exchanges left and right of the board in the top left corner of `cells`."""
    for row in range(layout.rows):
        for left in range(layout.columns // 2):
            right = layout.columns - 1 - left
            cells[row, left], cells[row, right] = cells[row, right], cells[row, left]
