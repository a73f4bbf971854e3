"""A small net for windows: the values of all moves, by one hidden layer, from the owner of every cell.

Compiled, in float64 and in a fixed order of operations, so that training and play are the same on every processor. The
net is an `.npz` file of four arrays: `cells` [2 cells, H], `hidden` [H], `moves` [H, A], `output` [A], with a header.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numba.extending import register_jitable

from inarow.errors import NetError
from inarow.games import GameSpec
from inarow.games.bits import Bits, from_int, has_cell
from inarow.games.kernels import compiled_layout, kernel
from inarow.games.layout import Layout
from inarow.storage.array_file import FileKind, checksum, load_arrays, save_arrays

_KIND = FileKind("inarow-window-net", 1, "a net for windows", NetError, max_bytes=64 << 20)


class Weights(NamedTuple):
    """The parameters of a net, float64. The rows of `cells` are those of own and other stones, in turn, by the number
    `column * rows + height` of the cell.
    """

    cells: np.ndarray  # [2 cells, H]
    hidden: np.ndarray  # [H]
    moves: np.ndarray  # [H, A]
    output: np.ndarray  # [A]

    @classmethod
    def random(cls, spec: GameSpec, hidden: int, rng: np.random.Generator) -> Self:
        """Weights before training: uniform, so that values are small."""
        cells = rng.uniform(-1, 1, (2 * spec.cells, hidden)) / np.sqrt(spec.cells)
        moves = rng.uniform(-1, 1, (hidden, spec.actions)) / np.sqrt(hidden)
        return cls(cells, np.zeros(hidden), moves, np.zeros(spec.actions))

    def copy(self) -> "Weights":
        return Weights(*(array.copy() for array in self))


class WindowNet:
    """The values of a trained net."""

    win = 1.0

    def __init__(self, spec: GameSpec, weights: Weights) -> None:
        self.spec, self.weights = spec, weights
        self._layout = compiled_layout(spec)
        self._hidden = np.zeros(len(weights.hidden))

    def values_of(self, own: int, both: int) -> np.ndarray:
        """The values for the side to move, float64 [A], for its stones and those of both sides; any for full columns.
        Not thread-safe.
        """
        like, values = self._layout.board, np.empty(self.spec.actions)
        _evaluate(from_int(own, like), from_int(both, like), self.weights, self._layout, self._hidden, values)
        return values

    def save(self, path: Path, **about: object) -> None:
        """Writes the file atomically; `about` goes to its header and must be JSON."""
        arrays = self.weights._asdict()
        save_arrays(path, _KIND, {"board": str(self.spec), "checksum": checksum(arrays), "about": about}, arrays)


def load_window_net(path: Path) -> WindowNet:
    """A net from its file; raises NetError. Cached until the file changes."""
    try:
        status = path.stat()
    except OSError as error:
        raise NetError(f"{path} cannot be read: {error.strerror}") from None
    return _load(path.resolve(), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _load(path: Path, changed: int, size: int) -> WindowNet:
    with load_arrays(path, _KIND) as (header, arrays):
        weights = Weights(*(arrays[name] for name in Weights._fields))
        if header["checksum"] != checksum(weights._asdict()):
            raise NetError(f"{path} is damaged: its checksum is wrong")
        spec = GameSpec.parse(header["board"])
        hidden = len(weights.hidden)
        shapes = (2 * spec.cells, hidden), (hidden,), (hidden, spec.actions), (spec.actions,)
        for array, shape in zip(weights, shapes, strict=True):
            if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
                raise NetError(f"{path} has arrays of the wrong kind")
        if not spec.gravity or not spec.fits_word:
            raise NetError(f"{path} is for {spec}, which has no windows")
    return WindowNet(spec, weights)


# --- Compiled ---


@kernel
def _evaluate(mine: Any, both: Any, weights: Weights, layout: Layout, hidden: np.ndarray, values: np.ndarray) -> None:
    forward(mine, both, weights, layout, hidden, values)


@register_jitable
def forward(mine: Bits, both: Bits, weights: Weights, layout: Layout, hidden: np.ndarray, values: np.ndarray) -> None:
    """Fills the hidden layer, after its rectifier, and the values of all moves."""
    cells, bias, moves, output = weights
    for unit in range(len(hidden)):
        hidden[unit] = bias[unit]
    for column in range(layout.columns):
        for height in range(layout.rows):
            cell = column * layout.stride + height
            if not has_cell(both, cell):
                break
            row = 2 * (column * layout.rows + height) + (0 if has_cell(mine, cell) else 1)
            for unit in range(len(hidden)):
                hidden[unit] += cells[row, unit]
    for action in range(len(values)):
        values[action] = output[action]
    for unit in range(len(hidden)):
        if hidden[unit] <= 0.0:
            hidden[unit] = 0.0
            continue
        for action in range(len(values)):
            values[action] += hidden[unit] * moves[unit, action]


@register_jitable
def descend(
    mine: Bits, both: Bits, action: int, step: float, weights: Weights, layout: Layout, hidden: np.ndarray
) -> None:
    """Moves the value of an action by `step` times its gradient. `hidden` is that of `forward` for the same window."""
    cells, bias, moves, output = weights
    output[action] += step
    for unit in range(len(hidden)):
        active = hidden[unit]
        hidden[unit] = step * moves[unit, action] if active > 0.0 else 0.0
        moves[unit, action] += step * active
        bias[unit] += hidden[unit]
    for column in range(layout.columns):
        for height in range(layout.rows):
            cell = column * layout.stride + height
            if not has_cell(both, cell):
                break
            row = 2 * (column * layout.rows + height) + (0 if has_cell(mine, cell) else 1)
            for unit in range(len(hidden)):
                cells[row, unit] += hidden[unit]
