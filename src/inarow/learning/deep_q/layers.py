"""The net of santos-2025, as numbers: what torch trains and ONNX Runtime plays.

The input is the board after a move of the learner, its own stones 1 and the others -1, row 0 on top. Convolutions
of 4x4 that keep the size of the board, each followed by a leaky ReLU, then dense layers down to one value. The
source has stones of the first player as 1 whoever learns; a net with its first weights negated is the same, and as
likely at the start, so nothing depends on it.

Weights by name: `conv0.weight` [filters, channels, 4, 4], `conv0.bias`, ..., `dense0.weight` [outputs, inputs], ...
"""

from __future__ import annotations

import math

import numpy as np

from inarow.games.spec import GameSpec
from inarow.learning.deep_q.config import Network

SIDE = 4
"""Of every convolution."""
PADDING = 1, 2
"""Empty rows before and after the board, and columns likewise."""
LEAK = 0.3

Weights = dict[str, np.ndarray]


def first_weights(network: Network, spec: GameSpec, rng: np.random.Generator) -> Weights:
    """Glorot uniform, with biases of 0; float32."""
    weights: Weights = {}
    channels = 1
    for number, filters in enumerate(network.filters):
        limit = math.sqrt(6 / (SIDE * SIDE * (channels + filters)))
        _draw(weights, f"conv{number}", (filters, channels, SIDE, SIDE), limit, rng)
        channels = filters
    inputs = channels * spec.cells
    for number, outputs in enumerate((*network.dense, 1)):
        _draw(weights, f"dense{number}", (outputs, inputs), math.sqrt(6 / (inputs + outputs)), rng)
        inputs = outputs
    return weights


def _draw(weights: Weights, name: str, shape: tuple[int, ...], limit: float, rng: np.random.Generator) -> None:
    weights[f"{name}.weight"] = rng.uniform(-limit, limit, shape).astype(np.float32)
    weights[f"{name}.bias"] = np.zeros(shape[0], np.float32)
