"""The net of santos-2025: its first weights, its training in torch, and its ONNX graph for play.

The input is the board after a move of the learner, its own stones 1 and the others -1, row 0 on top. Convolutions of
4x4 that keep the size of the board, each followed by a leaky ReLU, then dense layers down to one value. The source has
stones of the first player as 1, whichever side learns; a net with its first weights negated is the same, and equally
likely at the start, so nothing depends on it.

Weights by name: `conv0.weight` [filters, channels, 4, 4], `conv0.bias`, ..., `dense0.weight` [outputs, inputs], ...
"""

import math
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import torch
from onnx import ModelProto
from torch.nn import functional

from inarow.games import GameSpec
from inarow.learning.alphazero.onnx_graph import Graph
from inarow.learning.deep_q.config import DeepQConfig, Network
from inarow.learning.pretrained import DEEP_Q

_SIDE = 4  # of every convolution
_PADDING = 1, 2  # empty rows before and after the board, and columns likewise
_LEAK = 0.3
_EPSILON = 1e-7  # of Adam, as in Keras

Weights = dict[str, np.ndarray]


def first_weights(network: Network, spec: GameSpec, rng: np.random.Generator) -> Weights:
    """Glorot uniform, with biases of 0; float32."""
    channels, units = (1, *network.filters), (network.filters[-1] * spec.cells, *network.dense, 1)
    shapes: dict[str, tuple[int, ...]] = {
        **{f"conv{number}": (*each[::-1], _SIDE, _SIDE) for number, each in enumerate(pairwise(channels))},
        **{f"dense{number}": each[::-1] for number, each in enumerate(pairwise(units))},
    }
    weights: Weights = {}
    for name, (outputs, inputs, *window) in shapes.items():
        limit = math.sqrt(6 / (math.prod(window) * (inputs + outputs)))
        weights[f"{name}.weight"] = rng.uniform(-limit, limit, shapes[name]).astype(np.float32)
        weights[f"{name}.bias"] = np.zeros(outputs, np.float32)
    return weights


class TrainedNet:
    """Weights and the state of the optimiser, which persists from fit to fit. Runs on one thread."""

    def __init__(self, config: DeepQConfig, weights: Weights) -> None:
        torch.set_num_threads(1)
        self._config = config
        self._parameters = {name: _parameter(array) for name, array in weights.items()}
        parameters = self._parameters.values()
        self._optimiser = torch.optim.Adam(parameters, config.learning_rate, eps=_EPSILON, foreach=True)

    def fit(self, planes: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> float:
        """Fits the values of boards, float32 [N, rows, columns], to targets, float32 [N], by least squares, in a new
        order in each epoch. Returns the mean loss of the last epoch.
        """
        boards, wanted, loss = torch.from_numpy(planes[:, None]), torch.from_numpy(targets), 0.0
        for _ in range(self._config.epochs):
            loss = 0.0
            order = torch.from_numpy(rng.permutation(len(planes)))
            for chosen in order.split(self._config.minibatch):
                self._optimiser.zero_grad()
                error = functional.mse_loss(self.values(boards[chosen]), wanted[chosen])
                error.backward()
                self._optimiser.step()
                loss += error.item() * len(chosen)
        return loss / len(planes)

    def values(self, boards: torch.Tensor) -> torch.Tensor:
        """float32 [N, 1, rows, columns] -> [N]."""
        cells, tensors = boards.contiguous(memory_format=torch.channels_last), list(self._parameters.values())
        for number, (weight, bias) in enumerate(zip(tensors[::2], tensors[1::2], strict=True)):
            if number > 0:
                cells = functional.leaky_relu(cells, _LEAK)
            if weight.ndim == 4:
                cells = functional.conv2d(functional.pad(cells, 2 * _PADDING), weight, bias)
            else:
                cells = functional.linear(cells.flatten(1), weight, bias)
        return cells[:, 0]

    def weights(self) -> Weights:
        """A copy."""
        return {name: _array(tensor) for name, tensor in self._parameters.items()}

    def state(self) -> Weights:
        """The weights and the state of the optimiser, by name: all that `restore` needs."""
        arrays = self.weights()
        for name, tensor in self._parameters.items():
            for part, value in self._optimiser.state[tensor].items():
                arrays[f"{name}.{part}"] = _array(value)
        return arrays

    def restore(self, state: Weights) -> None:
        for name, tensor in self._parameters.items():
            with torch.no_grad():
                tensor.copy_(torch.from_numpy(state[name]))
                if f"{name}.step" in state:
                    kept = {part: torch.from_numpy(state[f"{name}.{part}"]) for part in ("exp_avg", "exp_avg_sq")}
                    moments = {part: torch.empty_like(tensor).copy_(value) for part, value in kept.items()}
                    step = torch.from_numpy(state[f"{name}.step"].copy())
                    self._optimiser.state[tensor] = {"step": step, **moments}


def _parameter(array: np.ndarray) -> torch.nn.Parameter:
    tensor = torch.from_numpy(array.copy())
    if tensor.ndim == 4:  # twice as fast in the forward pass, a little in the backward one
        tensor = tensor.contiguous(memory_format=torch.channels_last)
    return torch.nn.Parameter(tensor)


def _array(tensor: torch.Tensor) -> np.ndarray:
    return np.array(tensor.detach().contiguous().numpy())


# --- ONNX ---


def to_model(weights: Mapping[str, np.ndarray], spec: GameSpec) -> ModelProto:
    """From `planes`, float32 [N, 1, rows, columns], to `values`, float32 [N, 1]."""
    graph, cells, (before, after) = Graph(weights), "planes", _PADDING
    layers = [name.removesuffix(".weight") for name in weights if name.endswith(".weight")]
    for name in (layer for layer in layers if layer.startswith("conv")):
        pads = [before, before, after, after]
        total = graph.layer("Conv", cells, name, kernel_shape=[_SIDE, _SIDE], pads=pads)
        cells = graph.add("LeakyRelu", total, alpha=_LEAK)
    units = graph.add("Flatten", cells)
    *inner, last = (layer for layer in layers if layer.startswith("dense"))
    for name in inner:
        units = graph.add("LeakyRelu", graph.layer("Gemm", units, name, transB=1), alpha=_LEAK)
    graph.layer("Gemm", units, last, output="values", transB=1)
    return graph.model(DEEP_Q, {"planes": ["positions", 1, spec.rows, spec.columns]}, {"values": ["positions", 1]})
