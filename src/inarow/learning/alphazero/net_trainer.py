"""Training in torch: steps of AdamW on batches, and an average of the weights that plays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor
from torch.nn import functional

from inarow.errors import NetError, one_line
from inarow.learning.alphazero.config import LearningConfig, NetworkConfig
from inarow.learning.alphazero.network import Network
from inarow.learning.alphazero.replay import Batch
from inarow.search.tree.planes import PLAYABLE
from inarow.storage.atomic import atomic_write

_MOMENTS = ("exp_avg", "exp_avg_sq")


@dataclass(frozen=True, slots=True)
class Loss:
    """Cross-entropies of a batch."""

    policy: float  # beyond the entropy of the targets: 0 is perfect
    value: float


class NetTrainer:
    """A network and its optimiser. torch runs on one thread."""

    def __init__(self, network: NetworkConfig, config: LearningConfig, seed: int) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.steps = 0
        self._is_folded = False  # whether norms are folded into the weights, which the first step will undo
        self._config = config
        self._network = Network(network.channels, network.blocks)
        self._network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch forgot it
        self._optimiser = torch.optim.AdamW(
            self._network.parameters(), lr=config.rate, weight_decay=config.weight_decay, fused=True
        )
        self._average: dict[str, Tensor] = {}
        self._begin_average()

    def begin_with(self, weights: Mapping[str, np.ndarray]) -> None:
        """Takes over the weights of a net of the same size (`from_onnx`), before the first step; raises NetError if
        they do not fit this network.
        """
        try:
            for name, tensor in self._learnt().items():
                tensor.copy_(torch.tensor(weights[name]))
        except (KeyError, RuntimeError) as error:
            raise NetError(f"the net to begin with has other weights: {one_line(error)}") from None
        self._begin_average()
        self._is_folded = True

    def _begin_average(self) -> None:
        self._average = {name: tensor.clone() for name, tensor in self._learnt().items()}

    def step(self, batch: Batch, progress: float) -> Loss:
        """Learns from a batch; `progress` from 0 to 1 is how much of the run is over."""
        for group in self._optimiser.param_groups:
            group["lr"] = learning_rate(self._config, self.steps, progress)
        planes = torch.from_numpy(batch.planes).contiguous(memory_format=torch.channels_last)
        targets, values = torch.from_numpy(batch.policies).flatten(1), torch.from_numpy(batch.values)
        if self._is_folded:
            self._network.measure(planes, is_mixed=batch.is_mixed)
            self._begin_average()
            self._is_folded = False
        self._network.train()
        logits, wins = self._network(planes, is_mixed=batch.is_mixed)
        policy_loss = _cross_entropy(logits.flatten(1), planes[:, PLAYABLE].flatten(1) > 0, targets)
        value_loss = functional.binary_cross_entropy_with_logits(wins, (values + 1) / 2)
        self._optimiser.zero_grad()
        torch.autograd.backward(policy_loss + value_loss)
        self._optimiser.step()
        self.steps += 1
        self._follow()
        entropy = -torch.xlogy(targets, targets).sum(1).mean()
        return Loss(float(policy_loss.detach() - entropy), float(value_loss.detach()))

    def _follow(self) -> None:
        """Moves the average towards the weights; faster while there are few steps to average."""
        memory = min(self._config.averaging, self.steps / (self.steps + 10))
        with torch.no_grad():
            for name, tensor in self._learnt().items():
                self._average[name].lerp_(tensor, 1 - memory)

    def _learnt(self) -> dict[str, Tensor]:
        """Weights and running means of normalisation."""
        return {name: tensor for name, tensor in self._network.state_dict().items() if tensor.is_floating_point()}

    def weights(self) -> dict[str, np.ndarray]:
        """Of the net that plays: the average, by torch's names."""
        return {name: tensor.contiguous().numpy().copy() for name, tensor in self._average.items()}

    def save(self, path: Path) -> None:
        """Weights, their average and the optimiser's moments in one safetensors file, written atomically."""
        tensors = {f"network.{name}": tensor for name, tensor in self._network.state_dict().items()}
        tensors |= {f"average.{name}": tensor for name, tensor in self._average.items()}
        for name, parameter in self._network.named_parameters():
            state = self._optimiser.state.get(parameter, {})
            tensors |= {f"{moment}.{name}": state[moment] for moment in _MOMENTS if moment in state}
        tensors |= {"steps": torch.tensor(self.steps), "is_folded": torch.tensor(self._is_folded)}
        with atomic_write(path) as file:
            file.write(save({name: tensor.contiguous() for name, tensor in tensors.items()}))

    def load(self, path: Path) -> None:
        """Continues from a file; raises NetError."""
        try:
            tensors = load(path.read_bytes())
            self.steps = int(tensors["steps"])
            self._is_folded = bool(tensors.get("is_folded", False))
            self._network.load_state_dict(_part(tensors, "network."))
            average = _part(tensors, "average.")
            for name, tensor in self._average.items():
                tensor.copy_(average[name])
            for name, parameter in self._network.named_parameters():
                if f"{_MOMENTS[0]}.{name}" in tensors:
                    state = {moment: _like(tensors[f"{moment}.{name}"], parameter) for moment in _MOMENTS}
                    self._optimiser.state[parameter] = {"step": torch.tensor(float(self.steps)), **state}
        except Exception as error:  # safetensors and torch have errors of their own
            raise NetError(f"{path} is not a checkpoint of this run: {one_line(error)}") from None


def learning_rate(config: LearningConfig, steps: int, progress: float) -> float:
    """Rises evenly in the warm-up, and falls as half a cosine with progress."""
    rise = min(1.0, (steps + 1) / max(1, config.warm_up))
    fall = config.last_rate + (1 - config.last_rate) * 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))
    return config.rate * rise * fall


def _cross_entropy(logits: Tensor, is_playable: Tensor, targets: Tensor) -> Tensor:
    """Of a softmax over playable cells, on average."""
    chances = functional.log_softmax(logits.masked_fill(~is_playable, -1e9), 1)
    return -(targets * chances).sum(1).mean()


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _like(tensor: Tensor, parameter: Tensor) -> Tensor:
    """In the memory format of the parameter, as the optimiser has it."""
    return torch.empty_like(parameter).copy_(tensor)
