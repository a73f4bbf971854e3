"""The network in torch: residual, fully convolutional, for boards of any size.

One logit per cell says how good a stone there would be; a policy is read at the playable cells, which
pools each column on boards with gravity. The value comes from means and maxima over the board. So no
weight depends on the size of the board.

Boards of several sizes share a batch: each lies in the top left corner of its planes, and ON_BOARD
says where it is. Convolutions see zeros outside, as at an edge, and normalisation counts cells of boards only.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from inarow.search.tree.planes import ON_BOARD, PLANES

VALUE_UNITS = 64


class BoardNorm(nn.BatchNorm2d):
    """Batch normalisation over cells of boards; zero elsewhere."""

    def measure(self, cells: Tensor) -> None:
        """Takes its means and variances from cells [n, channels], without changing what it does to them: scale and
        shift make up for it.
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
        """`on_board` is bool [n, rows, columns], or None where every cell is on a board."""
        if on_board is None:
            normed: Tensor = self(cells)
            return normed
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
        by_cell = cells.permute(0, 2, 3, 1)
        inside = functional.batch_norm(
            by_cell[on_board],
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training,
            self.momentum if self.momentum is not None else 0.1,
            self.eps,
        )
        result = torch.zeros_like(by_cell)
        result[on_board] = inside
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
    """Two convolutions and a way around them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = NormedConvolution(channels, channels, 3)
        self.second = NormedConvolution(channels, channels, 3)

    def forward(self, cells: Tensor, on_board: Tensor | None) -> Tensor:
        inner = functional.relu(self.first(cells, on_board))
        return functional.relu(cells + self.second(inner, on_board))


class Network(nn.Module):
    """From planes [n, PLANES, rows, columns] to logits [n, rows, columns] of a stone on each cell and
    [n] logits of winning, half a win being a draw: the value is 2 sigmoid - 1 for the side to move.
    """

    def __init__(self, channels: int, blocks: int) -> None:
        super().__init__()
        self.stem = NormedConvolution(PLANES, channels, 3)
        self.blocks = nn.ModuleList(Block(channels) for _ in range(blocks))
        self.policy = NormedConvolution(channels, channels, 1)
        self.policy_logit = nn.Conv2d(channels, 1, 1)
        self.value = NormedConvolution(channels, channels, 1)
        self.value_units = nn.Linear(2 * channels, VALUE_UNITS)
        self.value_logit = nn.Linear(VALUE_UNITS, 1)
        for last in (self.policy_logit, self.value_logit):  # begins with even policies and values
            for parameter in last.parameters():
                nn.init.zeros_(parameter)

    def forward(self, planes: Tensor, *, is_mixed: bool = False) -> tuple[Tensor, Tensor]:
        """`is_mixed`: the boards of the batch have several sizes."""
        on_board = planes[:, ON_BOARD] > 0 if is_mixed else None
        cells = functional.relu(self.stem(planes, on_board))
        for block in self.blocks:
            cells = block(cells, on_board)
        policy = self.policy_logit(functional.relu(self.policy(cells, on_board)))[:, 0]
        pooled = _pooled(functional.relu(self.value(cells, on_board)), on_board)
        units = functional.relu(self.value_units(pooled))
        return policy, self.value_logit(units)[:, 0]

    @torch.no_grad()
    def measure(self, planes: Tensor, *, is_mixed: bool = False) -> None:
        """Gives all norms the means and variances of a batch, and says the same as before: for weights into which
        norms were folded, so that normalisation by batches changes as little as possible when they learn on.
        """
        self.eval()
        on_board = planes[:, ON_BOARD] > 0
        parts = [part for part in self.modules() if isinstance(part, NormedConvolution)]
        hooks = [part.convolution.register_forward_hook(partial(_measure, part.norm, on_board)) for part in parts]
        self(planes, is_mixed=is_mixed)
        for hook in hooks:
            hook.remove()


def _measure(norm: BoardNorm, on_board: Tensor, _: nn.Module, __: tuple[Tensor, ...], cells: Tensor) -> None:
    """After a convolution, before its norm."""
    norm.measure(cells.permute(0, 2, 3, 1)[on_board])


def _pooled(cells: Tensor, on_board: Tensor | None) -> Tensor:
    """Means and maxima over boards; `cells` are not negative, and zero outside."""
    sums, maxima = cells.sum((2, 3)), cells.amax((2, 3))
    number = cells.shape[2] * cells.shape[3] if on_board is None else on_board.sum((1, 2))[:, None]
    return torch.cat([sums / number, maxima], 1)
