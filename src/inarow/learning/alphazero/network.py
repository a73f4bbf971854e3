"""The torch network (residual, fully convolutional, for boards of any size) and its training by AdamW.

There is one logit per cell, for a stone on it; the policy uses those of the playable cells. The value head
pools means and maxima over the board. So no weight depends on the size of the board.

Boards of several sizes can share a batch: each is in the top left corner of its planes, and ON_BOARD marks its
cells. Convolutions see zeros outside, as at an edge, and normalisation uses only cells of boards.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from onnx import ModelProto
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.nn import functional

from inarow.errors import ConfigError, NetError, raised_as
from inarow.games import GameSpec, Position
from inarow.learning.alphazero.config import AlphaZeroConfig, LearningConfig
from inarow.learning.alphazero.dense_network import DenseNetwork
from inarow.learning.alphazero.onnx_graph import to_onnx
from inarow.learning.alphazero.policy_network import PolicyNetwork
from inarow.learning.alphazero.replay import Batch
from inarow.learning.devices import CPU, Device
from inarow.learning.learner import NetworkFactory, check_module
from inarow.learning.torch_module import CustomNetwork, Weights
from inarow.search.tree.evaluation import ON_BOARD, PLANES, PLAYABLE, planes_of
from inarow.storage.atomic import atomic_write
from inarow.storage.inputs import read_input

_VALUE_UNITS = 64
_EXAMPLES = 4  # positions on which a user's network is tested
_MAX_BYTES = 4 << 30
_MOMENTS = ("exp_avg", "exp_avg_sq")


class BoardNorm(nn.BatchNorm2d):
    """Batch normalisation over cells of boards; zero elsewhere."""

    def measure(self, cells: Tensor) -> None:
        """Sets means and variances to those of cells [n, channels], and adjusts scale and shift so that the outputs for
        them do not change.
        """
        assert self.running_mean is not None
        assert self.running_var is not None
        means, variances = cells.mean(0), cells.var(0, correction=0)
        scale = self.weight / torch.sqrt(self.running_var + self.eps)
        self.bias.add_(scale * (means - self.running_mean))
        self.weight.copy_(scale * torch.sqrt(variances + self.eps))
        self.running_mean.copy_(means)
        self.running_var.copy_(variances)

    def masked(self, cells: Tensor, on_board: Tensor | None) -> Tensor:
        """`on_board` is bool [n, rows, columns], or None if every cell is on a board."""
        if on_board is None:
            normed: Tensor = self(cells)
            return normed
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
        by_cell = cells.permute(0, 2, 3, 1)
        parts = self.running_mean, self.running_var, self.weight, self.bias
        momentum = 0.1 if self.momentum is None else self.momentum
        result = torch.zeros_like(by_cell)
        result[on_board] = functional.batch_norm(by_cell[on_board], *parts, self.training, momentum, self.eps)
        return result.permute(0, 3, 1, 2)


class NormedConvolution(nn.Module):
    """A convolution that keeps the size of the board, and its normalisation."""

    def __init__(self, inputs: int, outputs: int, width: int) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(inputs, outputs, width, padding=width // 2, bias=False)
        self.norm = BoardNorm(outputs)

    def forward(self, cells: Tensor, on_board: Tensor | None) -> Tensor:
        return self.norm.masked(self.convolution(cells), on_board)


class Block(nn.Module):
    """Two convolutions with a skip connection."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = NormedConvolution(channels, channels, 3)
        self.second = NormedConvolution(channels, channels, 3)

    def forward(self, cells: Tensor, on_board: Tensor | None) -> Tensor:
        inner = functional.relu(self.first(cells, on_board))
        return functional.relu(cells + self.second(inner, on_board))


class Network(PolicyNetwork):
    """The network of inarow. Its second output is the logit of the expected result, where a draw counts as half a win:
    the value is 2 sigmoid - 1.
    """

    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__()
        self.stem = NormedConvolution(PLANES, channels, 3)
        self.blocks = nn.ModuleList(Block(channels) for _ in range(blocks))
        self.policy = NormedConvolution(channels, channels, 1)
        self.policy_logit = nn.Conv2d(channels, 1, 1)
        self.value = NormedConvolution(channels, channels, 1)
        self.value_units = nn.Linear(2 * channels, _VALUE_UNITS)
        self.value_logit = nn.Linear(_VALUE_UNITS, 1)
        for last in (self.policy_logit, self.value_logit):  # starts with uniform policies and values of 0
            for parameter in last.parameters():
                nn.init.zeros_(parameter)

    def forward(self, planes: Tensor, *, is_mixed: bool = False) -> tuple[Tensor, Tensor]:
        on_board = planes[:, ON_BOARD] > 0 if is_mixed else None
        cells = functional.relu(self.stem(planes, on_board))
        for block in self.blocks:
            cells = block(cells, on_board)
        policy = self.policy_logit(functional.relu(self.policy(cells, on_board)))[:, 0]
        pooled = _pooled(functional.relu(self.value(cells, on_board)), on_board)
        units = functional.relu(self.value_units(pooled))
        return policy, self.value_logit(units)[:, 0]

    def value_loss(self, found: Tensor, values: Tensor) -> Tensor:
        return functional.binary_cross_entropy_with_logits(found, (values + 1) / 2)

    def to_model(self, weights: Weights) -> ModelProto:
        return to_onnx(weights)

    @torch.no_grad()
    def measure(self, planes: Tensor, *, is_mixed: bool = False) -> None:
        """Sets the statistics of all normalisation layers to those of a batch without changing the outputs. For weights
        into which normalisation was folded, so that further training with batch statistics changes little at first.
        """
        self.eval()
        on_board = planes[:, ON_BOARD] > 0

        def measure(norm: BoardNorm, _: nn.Module, __: tuple[Tensor, ...], cells: Tensor) -> None:
            norm.measure(cells.permute(0, 2, 3, 1)[on_board])

        parts = [part for part in self.modules() if isinstance(part, NormedConvolution)]
        hooks = [part.convolution.register_forward_hook(partial(measure, part.norm)) for part in parts]
        self(planes, is_mixed=is_mixed)
        for hook in hooks:
            hook.remove()


def _pooled(cells: Tensor, on_board: Tensor | None) -> Tensor:
    """Means and maxima over boards; `cells` are not negative, and zero outside."""
    sums, maxima = cells.sum((2, 3)), cells.amax((2, 3))
    number = cells.shape[2] * cells.shape[3] if on_board is None else on_board.sum((1, 2))[:, None]
    return torch.cat([sums / number, maxima], 1)


class CustomPolicyNetwork(CustomNetwork, PolicyNetwork):
    """A user's module: from planes to (logits [n, rows, columns], values [n] or [n, 1] in [-1, 1])."""

    outputs = ("logits", "values")

    def check(self, inputs: Tensor, answers: object) -> None:
        count, _, rows, columns = inputs.shape
        wanted = f"logits {(count, rows, columns)} and values {(count,)} or {(count, 1)}"
        parts = answers if isinstance(answers, tuple | list) else ()
        shapes = [tuple(each.shape) for each in parts if isinstance(each, Tensor)]
        if shapes not in ([(count, rows, columns), (count,)], [(count, rows, columns), (count, 1)]):
            found = shapes or (tuple(answers.shape) if isinstance(answers, Tensor) else type(answers).__name__)
            raise NetError(
                f"the network {self.name} answers {found} for planes {tuple(inputs.shape)}; AlphaZero needs {wanted}"
            )
        if not (parts[1].abs() <= 1).all():
            raise NetError(f"the network {self.name} has values outside [-1, 1]; end it with tanh")

    def forward(self, planes: Tensor, *, is_mixed: bool = False) -> tuple[Tensor, Tensor]:
        logits, values = self.module(planes)
        values = values.reshape(-1)
        return logits, values if self.training else values.clamp(-1, 1)

    def value_loss(self, found: Tensor, values: Tensor) -> Tensor:
        """The mean squared error, which also corrects values outside [-1, 1]."""
        return functional.mse_loss(found, values)


def make_network(config: AlphaZeroConfig, factory: NetworkFactory | None = None) -> PolicyNetwork:
    """The network of a config with initial weights, or the user's network; raises ConfigError and NetError."""
    check_module(config.network.module, factory)
    torch.manual_seed(config.seed)
    if factory is None and config.network.kind == "dense":
        return DenseNetwork(config.specs[0], config.network)
    if factory is None:
        return Network(config.network.channels, config.network.blocks)
    if config.board is None:
        raise ConfigError("your own network can only learn one board; give board instead of boards")
    if config.start is not None:
        raise ConfigError("start is for inarow's own network; set the initial weights of your network yourself")
    (spec,) = config.specs
    return CustomPolicyNetwork.make(factory, _example_planes(spec), spec)


def _example_planes(spec: GameSpec) -> np.ndarray:
    """The planes of positions from a game in which both sides play the last legal action."""
    examples, position = [], Position.start(spec)
    for _ in range(_EXAMPLES):
        examples.append(planes_of(position))
        after = position.play(position.legal_actions[-1])
        position = Position.start(spec) if after.is_over else after
    return np.stack(examples)


# --- Training ---


@dataclass(frozen=True, slots=True)
class Loss:
    """The cross-entropies of a batch."""

    policy: float  # minus the entropy of the targets: 0 is perfect
    value: float


class NetTrainer:
    """A network and its optimiser. torch runs on one thread of the CPU or on another device."""

    def __init__(self, network: PolicyNetwork, config: LearningConfig, device: Device = CPU) -> None:
        torch.set_num_threads(1)
        self._config, self._device, self.steps = config, device.name, 0
        self._is_folded = False  # whether normalisation is folded into the weights; the first step undoes it
        self._network = network.to(device.name)
        if network.memory_format is not torch.contiguous_format:  # torch cannot convert to it
            self._network.to(memory_format=network.memory_format)  # type: ignore[call-overload]  # missing in torch's annotations
        parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
        self._optimiser = torch.optim.AdamW(parameters, lr=config.rate, weight_decay=config.weight_decay, fused=True)
        self._begin_average()

    def begin_with(self, weights: Mapping[str, np.ndarray]) -> None:
        """Copies the weights of a net (`from_onnx`) before the first step; raises NetError if they do not fit."""
        with raised_as(
            NetError, "the initial net does not fit the network", reason="names or shapes of weights differ"
        ):
            for name, tensor in self._learnt().items():
                tensor.copy_(torch.tensor(weights[name]))
        self._begin_average()
        self._is_folded = True

    def _begin_average(self) -> None:
        self._average = {name: tensor.clone() for name, tensor in self._learnt().items()}

    def step(self, batch: Batch, progress: float) -> Loss:
        """Learns from a batch; `progress` is the finished share of the run, from 0 to 1."""
        for group in self._optimiser.param_groups:
            group["lr"] = learning_rate(self._config, self.steps, progress)
        planes = self._there(batch.planes).contiguous(memory_format=self._network.memory_format)
        targets, values = self._there(batch.policies).flatten(1), self._there(batch.values)
        if self._is_folded:
            assert isinstance(self._network, Network)
            self._network.measure(planes, is_mixed=batch.is_mixed)
            self._begin_average()
            self._is_folded = False
        torch.manual_seed(self.steps)  # for networks with dropout, so that a resumed run gives the same result
        self._network.train()
        logits, found = self._network(planes, is_mixed=batch.is_mixed)
        policy_loss = _cross_entropy(logits.flatten(1), planes[:, PLAYABLE].flatten(1) > 0, targets)
        value_loss = self._network.value_loss(found, values)
        self._optimiser.zero_grad()
        torch.autograd.backward(policy_loss + value_loss)
        self._optimiser.step()
        self.steps += 1
        self._follow()
        entropy = -torch.xlogy(targets, targets).sum(1).mean()
        return Loss(float(policy_loss.detach() - entropy), float(value_loss.detach()))

    def _there(self, array: np.ndarray) -> Tensor:
        """The array as a tensor on the device."""
        return torch.from_numpy(array).to(self._device)

    def _follow(self) -> None:
        """Updates the moving average of the weights, faster in the first steps."""
        memory = min(self._config.averaging, self.steps / (self.steps + 10))
        with torch.no_grad():
            for name, tensor in self._learnt().items():
                self._average[name].lerp_(tensor, 1 - memory)

    def _learnt(self) -> dict[str, Tensor]:
        """Weights and running statistics of normalisation."""
        return {name: tensor for name, tensor in self._network.state_dict().items() if tensor.is_floating_point()}

    def weights(self) -> dict[str, np.ndarray]:
        """The weights of the net for play, by torch's names: the moving average."""
        return {name: tensor.cpu().contiguous().numpy().copy() for name, tensor in self._average.items()}

    def model(self) -> ModelProto:
        """The graph of the net for play; see `net_file.net_evaluator`."""
        return self._network.to_model(self.weights())

    def save(self, path: Path) -> None:
        """Weights, their average and the optimiser's moments in one safetensors file, written atomically."""
        tensors = {f"network.{name}": tensor for name, tensor in self._network.state_dict().items()}
        tensors |= {f"average.{name}": tensor for name, tensor in self._average.items()}
        for name, parameter in self._network.named_parameters():
            state = self._optimiser.state.get(parameter, {})
            tensors |= {f"{moment}.{name}": state[moment] for moment in _MOMENTS if moment in state}
        tensors |= {"steps": torch.tensor(self.steps), "is_folded": torch.tensor(self._is_folded)}
        with atomic_write(path) as file:
            file.write(save({name: _kept(tensor) for name, tensor in tensors.items()}))

    def load(self, path: Path) -> None:
        """Continues from a file; raises NetError."""
        reason = "it is damaged or of another network"
        with raised_as(NetError, f"{path} is not a checkpoint of this run", reason=reason):
            tensors = load(read_input(path, _MAX_BYTES, NetError))
            self.steps, self._is_folded = int(tensors["steps"]), bool(tensors.get("is_folded", False))
            self._network.load_state_dict(_part(tensors, "network."))
            average = _part(tensors, "average.")
            for name, tensor in self._average.items():
                tensor.copy_(average[name])
            for name, parameter in self._network.named_parameters():
                if f"{_MOMENTS[0]}.{name}" in tensors:
                    # In the memory format of the parameter, as in the optimiser.
                    moments = {each: torch.empty_like(parameter).copy_(tensors[f"{each}.{name}"]) for each in _MOMENTS}
                    self._optimiser.state[parameter] = {"step": self._step_count(), **moments}

    def _step_count(self) -> Tensor:
        """The number of steps in the form of the optimiser."""
        return torch.tensor(float(self.steps), device=self._device)


def _kept(tensor: Tensor) -> Tensor:
    """A copy for a file: weights that a network uses twice must not share memory there."""
    return tensor.cpu().clone(memory_format=torch.contiguous_format)


def learning_rate(config: LearningConfig, steps: int, progress: float) -> float:
    """Linear increase in the warm-up, then cosine decay with progress."""
    rise = min(1.0, (steps + 1) / max(1, config.warm_up))
    fall = config.last_rate + (1 - config.last_rate) * 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))
    return config.rate * rise * fall


def _cross_entropy(logits: Tensor, is_playable: Tensor, targets: Tensor) -> Tensor:
    """The mean cross-entropy of a softmax over playable cells."""
    chances = functional.log_softmax(logits.masked_fill(~is_playable, -1e9), 1)
    return -(targets * chances).sum(1).mean()


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
