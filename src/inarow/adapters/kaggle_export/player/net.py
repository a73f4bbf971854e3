"""A neural net as a list of operations on NumPy arrays, with the names and meanings of ONNX."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Operation = tuple[str, list[str], str, dict[str, Any]]  # (Name, names of its inputs, name of its output, attributes)
Packed = tuple[str, list[int], str]  # (Type of the numbers, shape, compressed bytes as text)


class NumpyNet:
    """Runs the operations in their order; `constants` are packed arrays by name."""

    def __init__(
        self,
        inputs: Sequence[str],
        outputs: Sequence[str],
        operations: Sequence[Operation],
        constants: Mapping[str, Packed],
    ) -> None:
        self._inputs, self._outputs, self._operations = inputs, outputs, operations
        self._constants = {name: unpacked_array(constant) for name, constant in constants.items()}

    def run(self, *arrays: np.ndarray) -> list[np.ndarray]:
        """All outputs for inputs in their order."""
        known = dict(self._constants)
        known.update(zip(self._inputs, arrays, strict=True))
        for name, inputs, output, attributes in self._operations:
            known[output] = OPERATORS[name](*(known[each] for each in inputs), **attributes)
        return [known[name] for name in self._outputs]


def packed_array(array: np.ndarray) -> Packed:
    """An array as text."""
    text = base64.b85encode(zlib.compress(np.ascontiguousarray(array).tobytes(), 9)).decode()
    return str(array.dtype), list(array.shape), text


def unpacked_array(packed: Packed) -> np.ndarray:
    """The inverse of `packed_array`."""
    kind, shape, text = packed
    return np.frombuffer(zlib.decompress(base64.b85decode(text)), kind).reshape(shape)


def _convolve(cells: np.ndarray, kernel: np.ndarray, bias: Any = 0.0, *, pads: Sequence[int]) -> np.ndarray:
    """[N, C, rows, columns] with a kernel [C', C, height, width] -> [N, C', rows', columns']; steps of one cell."""
    top, left, below, right = pads
    padded = np.pad(cells, ((0, 0), (0, 0), (top, below), (left, right)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel.shape[2:], axis=(2, 3))
    count, _, rows, columns = windows.shape[:4]
    # One matrix product: a row for every place of every board.
    matrix = windows.transpose(0, 2, 3, 1, 4, 5).reshape(count * rows * columns, -1)
    sums: np.ndarray = matrix @ kernel.reshape(len(kernel), -1).T + bias
    return sums.reshape(count, rows, columns, len(kernel)).transpose(0, 3, 1, 2)


def _linear(units: np.ndarray, weights: np.ndarray, bias: Any = 0.0, *, transB: int = 0) -> np.ndarray:  # noqa: N803
    sums: np.ndarray = units @ (weights.T if transB else weights) + bias
    return sums


OPERATORS: dict[str, Callable[..., np.ndarray]] = {
    "Add": lambda first, second: first + second,
    "Concat": lambda *arrays, axis: np.concatenate(arrays, axis),
    "Conv": _convolve,
    "Flatten": lambda array, axis=1: array.reshape(int(np.prod(array.shape[:axis])), -1),
    "Gemm": _linear,
    "GlobalAveragePool": lambda cells: cells.mean((2, 3), keepdims=True),
    "GlobalMaxPool": lambda cells: cells.max((2, 3), keepdims=True),
    "LeakyRelu": lambda array, alpha=0.01: np.where(array < 0, np.float32(alpha) * array, array),
    "Mul": lambda first, second: first * second,
    "Relu": lambda array: np.maximum(array, 0),
    "Squeeze": lambda array, axes: array.squeeze(tuple(int(axis) for axis in axes)),
    "Tanh": np.tanh,
    "Unsqueeze": lambda array, axes: np.expand_dims(array, tuple(int(axis) for axis in axes)),
}
"""The operations that a net may have."""
