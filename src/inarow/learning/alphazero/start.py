"""Beginning a run with a net instead of weights by chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from inarow.errors import NetError
from inarow.learning.alphazero.config import NetworkConfig
from inarow.learning.alphazero.evaluator import KIND
from inarow.learning.alphazero.onnx_graph import from_onnx, size_of
from inarow.learning.alphazero.shipped import net_path
from inarow.learning.net_file import load_net
from inarow.storage.atomic import content_hash


def read_start(name: str, network: NetworkConfig) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The weights of a net, a file or one that comes with inarow, and where they are from. Raises NetError, also if
    it is of another size than `network`.
    """
    path = net_path(name)
    about = load_net(path, KIND).about
    weights = from_onnx(path.read_bytes())
    channels, blocks = size_of(weights)
    if (channels, blocks) != (network.channels, network.blocks):
        raise NetError(
            f"the net {name} has {channels} channels and {blocks} blocks; "
            f"set network.channels={channels} and network.blocks={blocks} to begin with it"
        )
    return weights, {"net": name, "content": content_hash(path, NetError), **about.provenance}
