"""The network in play: from planes to what it says about positions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inarow.errors import NetError, one_line
from inarow.learning.net_file import Net

KIND = "alphazero"

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From planes float32 [n, PLANES, rows, columns] to logits float32 [n, rows, columns] of a stone on each
cell, of which those of playable cells mean something, and values float32 [n] in [-1, 1] for the side to
move."""


def net_evaluator(net: Net) -> Evaluate:
    """What a net says, in the shapes that kernels rely on; raises NetError where it has others."""

    def evaluate(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        try:
            logits, values = net.run(planes)
        except Exception as error:  # ONNX Runtime has its own errors, all directly under Exception
            raise NetError(f"the net cannot be asked as {KIND} nets are: {one_line(error)}") from None
        count, _, rows, columns = planes.shape
        if logits.shape != (count, rows, columns) or values.shape != (count,):
            raise NetError(f"the net answers in shapes {logits.shape} and {values.shape}, not as {KIND} nets do")
        return logits, values

    return evaluate


def uniform_evaluator(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Knows nothing: all moves alike, all positions even."""
    return np.zeros(planes[:, 0].shape, np.float32), np.zeros(len(planes), np.float32)
