"""The net in torch: how it is fitted to targets."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.deep_q.layers import LEAK, PADDING, Weights

_EPSILON = 1e-7
"""Of Adam, as Keras has it."""


class TrainedNet:
    """Weights, and the state of the optimiser, which lives from fit to fit. On one thread."""

    def __init__(self, config: DeepQConfig, weights: Weights) -> None:
        torch.set_num_threads(1)
        self._config = config
        self._parameters = {name: _parameter(array) for name, array in weights.items()}
        self._convolutions = len(config.network.filters)
        self._dense = len(config.network.dense) + 1
        self._optimiser = torch.optim.Adam(
            self._parameters.values(), lr=config.learning_rate, eps=_EPSILON, foreach=True
        )

    def fit(self, planes: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> float:
        """Brings the values of boards, float32 [N, rows, columns], closer to targets, float32 [N]: so many epochs
        in a new order each, least squares. The mean loss of the last epoch.
        """
        boards, wanted = torch.from_numpy(planes[:, None]), torch.from_numpy(targets)
        loss = 0.0
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
        before, after = PADDING
        cells = boards.contiguous(memory_format=torch.channels_last)
        for number in range(self._convolutions):
            weight, bias = self._layer(f"conv{number}")
            padded = functional.pad(cells, (before, after, before, after))
            cells = functional.leaky_relu(functional.conv2d(padded, weight, bias), LEAK)
        values = cells.flatten(1)
        for number in range(self._dense):
            if number > 0:
                values = functional.leaky_relu(values, LEAK)
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
        """Goes on from a `state`."""
        for name, tensor in self._parameters.items():
            with torch.no_grad():
                tensor.copy_(torch.from_numpy(state[name]))
            if f"{name}.step" in state:
                moments = {part: torch.empty_like(tensor) for part in ("exp_avg", "exp_avg_sq")}
                for part, value in moments.items():
                    value.detach_().copy_(torch.from_numpy(state[f"{name}.{part}"]))
                step = torch.from_numpy(state[f"{name}.step"].copy())
                self._optimiser.state[tensor] = {"step": step, **moments}


def _parameter(array: np.ndarray) -> torch.nn.Parameter:
    tensor = torch.from_numpy(array.copy())
    if tensor.ndim == 4:  # twice as fast in the forward pass, a little in the backward one
        tensor = tensor.contiguous(memory_format=torch.channels_last)
    return torch.nn.Parameter(tensor)


def _array(tensor: torch.Tensor) -> np.ndarray:
    array: np.ndarray = tensor.detach().contiguous().numpy().copy()
    return array
