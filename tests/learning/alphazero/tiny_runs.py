"""AlphaZero runs of seconds, for tests."""

from pathlib import Path

from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.run import AlphaZeroRun
from inarow.learning.config import to_config

TINY = {
    "learner": "alphazero",
    "board": "tictactoe",
    "iterations": 4,
    "iteration_games": 40,
    "workers": 1,
    "network": {"channels": 8, "blocks": 1},
    "selfplay": {"games": 16, "simulations": 8, "first_simulations": 4, "random_plies": 3, "cache": 1},
    "learning": {"batch": 16, "smallest_window": 200, "largest_window": 500, "warm_up": 5},
}


def tiny(**changes) -> AlphaZeroConfig:
    return to_config({**TINY, **changes}, AlphaZeroConfig, "tiny")


def trained(folder: Path, **changes) -> AlphaZeroRun:
    run = AlphaZeroRun.start(tiny(**changes), folder)
    run.train()
    return run
