"""The network of the public ConnectX programs, which gupta-shah-2022 submitted: convolutions, then dense layers.

It sees one plane, 1 for own stones and -1 for those of the opponent, and has one logit per column. Two convolutions
keep the size of the board, two shrink it by two; two dense layers follow. So its weights are for one size of board.
With `padding`, the board is put into a square of zeros, as the paper proposes for boards of several sizes.
"""

from collections.abc import Mapping

import numpy as np
import torch
from onnx import ModelProto
from torch import Tensor, nn
from torch.nn import functional

from inarow.games import GameSpec
from inarow.learning.alphazero.config import NetworkConfig
from inarow.learning.alphazero.onnx_graph import NORM_EPSILON, Graph, Shapes
from inarow.learning.alphazero.policy_network import PolicyNetwork
from inarow.learning.torch_module import Weights
from inarow.search.tree.evaluation import OTHER, OWN, PLANES

_DENSE_UNITS = (128, 64)
_DROPOUT = 0.3
_KEPT = 2  # convolutions that keep the size of the board; the others shrink it
_PADS = (1, 1, 0, 0)


class DenseNetwork(PolicyNetwork):
    """The network for one board with gravity."""

    def __init__(self, spec: GameSpec, config: NetworkConfig) -> None:
        super().__init__()
        self._spec = spec
        self._rows, self._columns = (config.padding, config.padding) if config.padding else (spec.rows, spec.columns)
        channels, shrunk = config.channels, 2 * (len(_PADS) - _KEPT)
        sizes = [(1, channels), *[(channels, channels)] * (len(_PADS) - 1)]
        self.convolutions = nn.ModuleList(
            nn.Conv2d(*size, 3, padding=pad) for size, pad in zip(sizes, _PADS, strict=True)
        )
        self.convolution_norms = nn.ModuleList(nn.BatchNorm2d(channels) for _ in _PADS)
        flat = channels * (self._rows - shrunk) * (self._columns - shrunk)
        self.layers = nn.ModuleList(nn.Linear(*size) for size in zip((flat, *_DENSE_UNITS), _DENSE_UNITS, strict=False))
        self.layer_norms = nn.ModuleList(nn.BatchNorm1d(units) for units in _DENSE_UNITS)
        self.policy = nn.Linear(_DENSE_UNITS[-1], self._columns)
        self.value = nn.Linear(_DENSE_UNITS[-1], 1)

    def forward(self, planes: Tensor, *, is_mixed: bool = False) -> tuple[Tensor, Tensor]:
        rows, columns = planes.shape[2:]
        cells = functional.pad(
            planes[:, OWN : OWN + 1] - planes[:, OTHER : OTHER + 1],
            (0, self._columns - columns, 0, self._rows - rows),
        )
        for convolution, norm in zip(self.convolutions, self.convolution_norms, strict=True):
            cells = functional.relu(norm(convolution(cells)))
        units = cells.flatten(1)
        for layer, norm in zip(self.layers, self.layer_norms, strict=True):
            units = functional.dropout(functional.relu(norm(layer(units))), _DROPOUT, self.training)
        logits = self.policy(units)[:, None, :columns].expand(-1, rows, -1)
        return logits, torch.tanh(self.value(units))[:, 0]

    def value_loss(self, found: Tensor, values: Tensor) -> Tensor:
        return functional.mse_loss(found, values)

    def to_model(self, weights: Weights) -> ModelProto:
        rows, columns = self._spec.rows, self._spec.columns
        graph, cells = Graph(weights), "planes"
        for number, pad in enumerate(_PADS):
            kernel, bias = _folded(weights, f"convolutions.{number}", f"convolution_norms.{number}")
            pads = [pad] * 4
            if number == 0:  # the difference of the stones of both sides, and the padding, are part of it
                kernel = _on_planes(kernel)
                pads = [pad, pad, pad + self._rows - rows, pad + self._columns - columns]
            inputs = graph.constant(f"kernel.{number}", kernel), graph.constant(f"bias.{number}", bias)
            cells = graph.add("Relu", graph.add("Conv", cells, *inputs, kernel_shape=[3, 3], pads=pads))
        units = graph.add("Flatten", cells, axis=1)
        for number in range(len(_DENSE_UNITS)):
            weight, bias = _folded(weights, f"layers.{number}", f"layer_norms.{number}")
            inputs = graph.constant(f"layer.{number}", weight), graph.constant(f"layer_bias.{number}", bias)
            units = graph.add("Relu", graph.add("Gemm", units, *inputs, transB=1))
        heads = [graph.constant(name, weights[name][:columns]) for name in ("policy.weight", "policy.bias")]
        by_column = graph.add("Unsqueeze", graph.add("Gemm", units, *heads, transB=1), graph.constant("axis", _AXIS))
        graph.add("Add", by_column, graph.constant("rows", np.zeros((1, rows, columns), np.float32)), output="logits")
        value = graph.add("Tanh", graph.layer("Gemm", units, "value", transB=1))
        graph.add("Squeeze", value, graph.constant("axis"), output="values")
        answers: Shapes = {"logits": ["n", rows, columns], "values": ["n"]}
        return graph.model("alphazero", {"planes": ["n", PLANES, rows, columns]}, answers)


_AXIS = np.array([1])


def _folded(weights: Mapping[str, np.ndarray], layer: str, norm: str) -> tuple[np.ndarray, np.ndarray]:
    """(weight, bias) of a layer with its normalisation folded in."""
    scale = weights[f"{norm}.weight"] / np.sqrt(weights[f"{norm}.running_var"] + NORM_EPSILON)
    weight = weights[f"{layer}.weight"]
    bias = weights[f"{norm}.bias"] + (weights[f"{layer}.bias"] - weights[f"{norm}.running_mean"]) * scale
    return weight * scale.reshape(-1, *[1] * (weight.ndim - 1)), bias


def _on_planes(kernel: np.ndarray) -> np.ndarray:
    """The first kernel for all planes instead of the difference of two of them."""
    wide = np.zeros((len(kernel), PLANES, *kernel.shape[2:]), np.float32)
    wide[:, OWN], wide[:, OTHER] = kernel[:, 0], -kernel[:, 0]
    return wide
