"""Small nets for tests, with weights that nobody trained."""

from pathlib import Path

import msgspec
import numpy as np

from inarow.learning.deep_q.config import DeepQConfig, Network
from inarow.learning.deep_q.network import first_weights, to_model
from inarow.learning.net_file import NetAbout, to_bytes
from inarow.learning.pretrained import DEEP_Q

SMALL = Network(filters=(4, 6), dense=(5,))


def config_of(board: str, **settings) -> DeepQConfig:
    return DeepQConfig(**{"learner": "deep-q", "board": board, "episodes": 10, "network": SMALL} | settings)


def write_net(path: Path, board: str, seed: int = 0, *, factor: float = 1.0, **settings) -> Path:
    """A file of a random net, whose values are multiplied by `factor`."""
    config = config_of(board, **settings)
    weights = first_weights(config.network, config.spec, np.random.default_rng(seed))
    weights["dense1.weight"] *= np.float32(factor)
    about = NetAbout(kind=DEEP_Q, board=board, config=msgspec.to_builtins(config), seed=seed)
    path.write_bytes(to_bytes(to_model(weights, config.spec), about))
    return path
