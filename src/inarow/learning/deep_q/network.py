"""The net of santos-2025: its initial weights, its training in torch, and its ONNX graph for play.

The input is the board after a move of the learner: its own stones 1, the opponent's -1, row 0 on top. The layers are
4x4 convolutions that keep the size of the board, each followed by a leaky ReLU, then dense layers down to one value.
The source always encodes stones of the first player as 1; that is equivalent to negating the weights of the first
layer, and both are equally likely at the start, so it makes no difference.

Weights by name: `conv0.weight` [filters, channels, 4, 4], `conv0.bias`, ..., `dense0.weight` [outputs, inputs], ...
"""

import math
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import torch
from onnx import ModelProto
from torch import Tensor, nn
from torch.nn import functional

from inarow.errors import NetError
from inarow.games import GameSpec
from inarow.learning.alphazero.onnx_graph import Graph
from inarow.learning.deep_q.config import DeepQConfig, Network
from inarow.learning.devices import CPU, Device
from inarow.learning.learner import NetworkFactory, check_module
from inarow.learning.pretrained import DEEP_Q
from inarow.learning.torch_module import CustomNetwork, TrainableNetwork

_SIDE = 4  # side of every convolution kernel
_PADDING = 1, 2  # empty rows before and after the board, and columns likewise
_LEAK = 0.3
_EPSILON = 1e-7  # of Adam, as in Keras
_EXAMPLES = 4  # boards on which a user's network is tested

Weights = dict[str, np.ndarray]


def first_weights(network: Network, spec: GameSpec, rng: np.random.Generator) -> Weights:
    """Initial weights, float32: Glorot uniform, biases 0."""
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


class ConvolutionalNetwork(TrainableNetwork):
    """The net with these weights; from boards float32 [N, 1, rows, columns] to values [N, 1]."""

    def __init__(self, weights: Weights, spec: GameSpec) -> None:
        super().__init__()
        self._spec = spec
        for name, array in weights.items():
            layer, _, part = name.partition(".")
            if not hasattr(self, layer):
                self.add_module(layer, nn.Module())
            self.get_submodule(layer).register_parameter(part, nn.Parameter(torch.from_numpy(array.copy())))
        # Twice as fast in the forward pass, slightly faster in the backward pass.
        self.to(memory_format=self.memory_format)  # type: ignore[call-overload]  # missing in torch's annotations

    def forward(self, boards: Tensor) -> Tensor:
        cells, tensors = boards, list(self.parameters())
        for number, (weight, bias) in enumerate(zip(tensors[::2], tensors[1::2], strict=True)):
            if number > 0:
                cells = functional.leaky_relu(cells, _LEAK)
            if weight.ndim == 4:
                cells = functional.conv2d(functional.pad(cells, 2 * _PADDING), weight, bias)
            else:
                cells = functional.linear(cells.flatten(1), weight, bias)
        return cells

    def to_model(self, weights: Mapping[str, np.ndarray]) -> ModelProto:
        return to_model(weights, self._spec)


class CustomValueNetwork(CustomNetwork):
    """A user's module: from boards as above to values float32 [N] or [N, 1]."""

    outputs = ("values",)

    def check(self, inputs: Tensor, answers: object) -> None:
        count = len(inputs)
        found = tuple(answers.shape) if isinstance(answers, Tensor) else type(answers).__name__
        if found not in ((count,), (count, 1)):
            raise NetError(
                f"the network {self.name} answers {found} for boards {tuple(inputs.shape)}; "
                f"deep Q-learning needs values {(count,)} or {(count, 1)}"
            )

    def forward(self, boards: Tensor) -> Tensor:
        values: Tensor = self.module(boards)
        return values.reshape(-1, 1)


def make_network(config: DeepQConfig, rng: np.random.Generator, factory: NetworkFactory | None) -> TrainableNetwork:
    """The network of a config with initial weights, or the user's network; raises ConfigError and NetError."""
    check_module(config.network.module, factory)
    if factory is None:
        return ConvolutionalNetwork(first_weights(config.network, config.spec, rng), config.spec)
    torch.manual_seed(config.seed)
    examples = rng.integers(-1, 2, (_EXAMPLES, 1, config.spec.rows, config.spec.columns)).astype(np.float32)
    return CustomValueNetwork.make(factory, examples, config.spec)


class TrainedNet:
    """A network and the state of its optimiser, which persists from fit to fit. Runs on one thread."""

    def __init__(self, config: DeepQConfig, network: TrainableNetwork, device: Device = CPU) -> None:
        torch.set_num_threads(1)
        self._config, self._network, self._device = config, network.to(device.name), device.name
        parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
        self._optimiser = torch.optim.Adam(parameters, config.learning_rate, eps=_EPSILON, foreach=True)

    def fit(self, planes: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> float:
        """Fits the values of boards, float32 [N, rows, columns], to targets, float32 [N], by least squares, in a new
        order in each epoch. Returns the mean loss of the last epoch.
        """
        boards, wanted, loss = self._there(planes[:, None]), self._there(targets), 0.0
        torch.manual_seed(int(rng.spawn(1)[0].integers(1 << 62)))  # for networks with dropout
        self._network.train()
        for _ in range(self._config.epochs):
            loss = 0.0
            order = self._there(rng.permutation(len(planes)))
            for chosen in order.split(self._config.minibatch):
                self._optimiser.zero_grad()
                error = functional.mse_loss(self.values(boards[chosen]), wanted[chosen])
                error.backward()
                self._optimiser.step()
                loss += error.item() * len(chosen)
        return loss / len(planes)

    def _there(self, array: np.ndarray) -> Tensor:
        """The array as a tensor on the device."""
        return torch.from_numpy(array).to(self._device)

    def values(self, boards: Tensor) -> Tensor:
        """float32 [N, 1, rows, columns] -> [N]."""
        values: Tensor = self._network(boards.contiguous(memory_format=self._network.memory_format))
        return values[:, 0]

    def weights(self) -> Weights:
        """A copy of the weights."""
        return {name: _array(tensor) for name, tensor in self._network.state_dict().items()}

    def model(self, weights: Weights) -> ModelProto:
        """The graph with these weights: from `planes`, float32 [N, 1, rows, columns], to `values` [N, 1]."""
        return self._network.to_model(weights)

    def state(self) -> Weights:
        """The weights and the state of the optimiser, by name: all that `restore` needs."""
        arrays = self.weights()
        for name, tensor in self._network.named_parameters():
            for part, value in self._optimiser.state.get(tensor, {}).items():
                arrays[f"{name}.{part}"] = _array(value)
        return arrays

    def restore(self, state: Weights) -> None:
        with torch.no_grad():
            for name, tensor in self._network.state_dict().items():
                tensor.copy_(torch.from_numpy(state[name]))
        for name, parameter in self._network.named_parameters():
            if f"{name}.step" in state:
                kept = {part: torch.from_numpy(state[f"{name}.{part}"]) for part in ("exp_avg", "exp_avg_sq")}
                moments = {part: torch.empty_like(parameter).copy_(value) for part, value in kept.items()}
                step = torch.from_numpy(state[f"{name}.step"].copy())
                self._optimiser.state[parameter] = {"step": step, **moments}


def _array(tensor: Tensor) -> np.ndarray:
    return np.array(tensor.detach().cpu().contiguous().numpy())


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
