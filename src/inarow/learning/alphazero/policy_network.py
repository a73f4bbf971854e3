"""What all torch networks of AlphaZero have in common."""

from abc import abstractmethod

from torch import Tensor

from inarow.learning.torch_module import TrainableNetwork


class PolicyNetwork(TrainableNetwork):
    """From planes [n, PLANES, rows, columns] to logits [n, rows, columns] of a stone on each cell, and an output [n]
    from which the value for the side to move is computed.
    """

    @abstractmethod
    def forward(self, planes: Tensor, *, is_mixed: bool = False) -> tuple[Tensor, Tensor]:
        """`is_mixed`: the boards of the batch have several sizes."""

    @abstractmethod
    def value_loss(self, found: Tensor, values: Tensor) -> Tensor:
        """The mean loss of the second output `found`, [n], for target values in [-1, 1]."""
