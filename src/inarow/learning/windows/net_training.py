"""Training of a net for windows by Q-learning: the function approximation that kumbhakern-2025 proposes.

Episodes of self-play begin with random boards, as windows do (`starts.py`), and moves are epsilon-greedy. After each
move the value of the move descends towards

    r - gamma max_b Q'(s', b)

where s' is the opponent's next turn, Q' an earlier copy of the net, and r is 1 for a win; at the end of a game r alone.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numba.extending import register_jitable

from inarow.errors import InvalidLimitError
from inarow.games import GameSpec
from inarow.games.bits import single_cell
from inarow.games.kernels import compiled_layout, completes_line, kernel
from inarow.games.layout import Layout
from inarow.games.rules import landing_cell
from inarow.learning.config import ConfigPart
from inarow.learning.tabular.moves import random_action
from inarow.learning.windows.net import Weights, WindowNet, descend, forward
from inarow.learning.windows.starts import random_board

Watch = Callable[[int, int], None]  # (episodes done, episodes)


class NetTraining(ConfigPart, frozen=True, kw_only=True):
    """The settings of a training."""

    board: Annotated[str, Meta(description="board string of the window")] = "4x4x4"
    episodes: Annotated[int, Meta(ge=1, le=10**9, description="games of self-play")] = 1_000_000
    hidden: Annotated[int, Meta(ge=1, le=1024, description="units of the hidden layer")] = 128
    alpha: Annotated[float, Meta(gt=0, le=1, description="learning rate, which falls linearly to 0")] = 0.02
    gamma: Annotated[float, Meta(gt=0, le=1, description="discount factor")] = 0.95
    epsilon: Annotated[float, Meta(ge=0, le=1, description="probability of a random move")] = 0.3
    copy: Annotated[int, Meta(ge=1, description="episodes between two copies of the net for targets")] = 2_000
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1, description="random seed")] = 0

    def __post_init__(self) -> None:
        spec = GameSpec.parse(self.board)
        if not spec.gravity or not spec.fits_word:
            raise InvalidLimitError(f"there are no windows of {spec}: they need gravity and at most 64 bits")


def train_window_net(config: NetTraining, watch: Watch | None = None) -> WindowNet:
    """Trains a net. The result depends only on the config. `watch` may raise to stop."""
    spec, rng = GameSpec.parse(config.board), np.random.default_rng(config.seed)
    weights = Weights.random(spec, config.hidden, rng)
    layout, done = compiled_layout(spec), 0
    while done < config.episodes:
        count = min(config.copy, config.episodes - done)
        rate = config.alpha * (1 - done / config.episodes)
        _train(layout, weights, weights.copy(), rate, config.gamma, config.epsilon, count, rng)
        done += count
        if watch is not None:
            watch(done, config.episodes)
    return WindowNet(spec, weights)


def save_trained(net: WindowNet, config: NetTraining, path: Path) -> None:
    """Writes a net with the settings of its training."""
    net.save(path, config={name: getattr(config, name) for name in config.__struct_fields__})


@kernel
def _train(
    layout: Layout,
    weights: Weights,
    target: Weights,
    rate: float,
    gamma: float,
    epsilon: float,
    episodes: int,
    rng: np.random.Generator,
) -> None:
    hidden, values = np.empty(len(weights.hidden)), np.empty(layout.columns)
    other_hidden, other_values = np.empty(len(weights.hidden)), np.empty(layout.columns)
    area = layout.rows * layout.columns
    for _ in range(episodes):
        mine, both, ply = random_board(layout, rng)
        while True:
            forward(mine, both, weights, layout, hidden, values)
            if rng.random() < epsilon:
                action = random_action(both, layout.columns, layout, rng)
            else:
                action = best_legal(both, values, layout)
            cell = landing_cell(both, action, layout)
            stone = single_cell(cell, both)
            placed, after = mine | stone, both | stone
            ply += 1
            is_won = completes_line(placed, cell, layout)
            is_over = is_won or ply == area
            if is_won:
                worth = 1.0
            elif is_over:
                worth = 0.0
            else:
                forward(both ^ mine, after, target, layout, other_hidden, other_values)
                worth = -gamma * other_values[best_legal(after, other_values, layout)]
            descend(mine, both, action, rate * (worth - values[action]), weights, layout, hidden)
            if is_over:
                break
            mine, both = both ^ mine, after


@register_jitable
def best_legal(both: Any, values: np.ndarray, layout: Layout) -> int:
    """The first open column of greatest value."""
    chosen = -1
    for action in range(layout.columns):
        if landing_cell(both, action, layout) >= 0 and (chosen < 0 or values[action] > values[chosen]):
            chosen = action
    return chosen
