"""Small nets in files for tests."""

from __future__ import annotations

from pathlib import Path

import torch

from inarow.learning.alphazero.network import Network
from inarow.learning.alphazero.onnx_graph import to_onnx
from inarow.learning.net_file import NetAbout, to_bytes


def opinionated_net(folder: Path, board: str = "any") -> Path:
    """A net with strong opinions about everything, and no reason for them."""
    torch.manual_seed(5)
    network = Network(8, 1)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    weights = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    path = folder / f"{board.replace('/', '-')}.onnx"
    about = NetAbout(kind="alphazero", board=board, config={}, seed=0)
    path.write_bytes(to_bytes(to_onnx(weights), about))
    return path
