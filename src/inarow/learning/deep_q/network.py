"""The net of santos-2025: its first weights, its training in torch, and its ONNX graph for play.

The input is the board after a move of the learner, its own stones 1 and the others -1, row 0 on top. Convolutions of
4x4 that keep the size of the board, each followed by a leaky ReLU, then dense layers down to one value. The source has
stones of the first player as 1, whichever side learns; a net with its first weights negated is the same, and equally
likely at the start, so nothing depends on it.

Weights by name: `conv0.weight` [filters, channels, 4, 4], `conv0.bias`, ..., `dense0.weight` [outputs, inputs], ...
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import torch
from onnx import ModelProto, TensorProto, helper, numpy_helper
from torch.nn import functional

from inarow.games import GameSpec
from inarow.learning.deep_q.config import DeepQConfig, Network

_SIDE = 4  # of every convolution
_PADDING = 1, 2  # empty rows before and after the board, and columns likewise
_LEAK = 0.3
_EPSILON = 1e-7  # of Adam, as in Keras
_OPSET, _IR_VERSION = 17, 8  # old enough for every ONNX Runtime that the package allows

Weights = dict[str, np.ndarray]


def first_weights(network: Network, spec: GameSpec, rng: np.random.Generator) -> Weights:
    """Glorot uniform, with biases of 0; float32."""
    weights: Weights = {}
    channels = 1
    for number, filters in enumerate(network.filters):
        limit = math.sqrt(6 / (_SIDE * _SIDE * (channels + filters)))
        _draw(weights, f"conv{number}", (filters, channels, _SIDE, _SIDE), limit, rng)
        channels = filters
    inputs = channels * spec.cells
    for number, outputs in enumerate((*network.dense, 1)):
        _draw(weights, f"dense{number}", (outputs, inputs), math.sqrt(6 / (inputs + outputs)), rng)
        inputs = outputs
    return weights


def _draw(weights: Weights, name: str, shape: tuple[int, ...], limit: float, rng: np.random.Generator) -> None:
    weights[f"{name}.weight"] = rng.uniform(-limit, limit, shape).astype(np.float32)
    weights[f"{name}.bias"] = np.zeros(shape[0], np.float32)


class TrainedNet:
    """Weights and the state of the optimiser, which persists from fit to fit. Runs on one thread."""

    def __init__(self, config: DeepQConfig, weights: Weights) -> None:
        torch.set_num_threads(1)
        self._config = config
        self._parameters = {name: _parameter(array) for name, array in weights.items()}
        self._convolutions, self._dense = len(config.network.filters), len(config.network.dense) + 1
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
        before, after = _PADDING
        cells = boards.contiguous(memory_format=torch.channels_last)
        for number in range(self._convolutions):
            weight, bias = self._layer(f"conv{number}")
            padded = functional.pad(cells, (before, after, before, after))
            cells = functional.leaky_relu(functional.conv2d(padded, weight, bias), _LEAK)
        values = cells.flatten(1)
        for number in range(self._dense):
            if number > 0:
                values = functional.leaky_relu(values, _LEAK)
            values = functional.linear(values, *self._layer(f"dense{number}"))
        return values[:, 0]

    def _layer(self, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        return self._parameters[f"{name}.weight"], self._parameters[f"{name}.bias"]

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
    nodes, current = [], "planes"
    convolutions = sum(name.startswith("conv") for name in weights) // 2
    dense, (before, after) = len(weights) // 2 - convolutions, _PADDING
    for number in range(convolutions):
        names, pads = [current, f"conv{number}.weight", f"conv{number}.bias"], [before, before, after, after]
        nodes.append(helper.make_node("Conv", names, [f"sum{number}"], kernel_shape=[_SIDE, _SIDE], pads=pads))
        nodes.append(helper.make_node("LeakyRelu", [f"sum{number}"], [f"cells{number}"], alpha=_LEAK))
        current = f"cells{number}"
    nodes.append(helper.make_node("Flatten", [current], ["flat"]))
    current = "flat"
    for number in range(dense):
        result = "values" if number + 1 == dense else f"dense_sum{number}"
        names = [current, f"dense{number}.weight", f"dense{number}.bias"]
        nodes.append(helper.make_node("Gemm", names, [result], transB=1))
        if number + 1 < dense:
            nodes.append(helper.make_node("LeakyRelu", [result], [f"dense_out{number}"], alpha=_LEAK))
            current = f"dense_out{number}"
    planes = helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["positions", 1, spec.rows, spec.columns])
    values = helper.make_tensor_value_info("values", TensorProto.FLOAT, ["positions", 1])
    arrays = [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "deep-q", [planes], [values], arrays)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
