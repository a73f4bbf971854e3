"""Compiles every kernel of AlphaZero by using it once, with a network that knows nothing."""

from __future__ import annotations

import numpy as np

from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.alphazero.config import SelfPlayConfig
from inarow.learning.alphazero.evaluator import uniform_evaluator
from inarow.learning.alphazero.planes import planes_of
from inarow.learning.alphazero.replay import Replay
from inarow.learning.alphazero.search import NetSearch
from inarow.learning.alphazero.search_config import SearchConfig
from inarow.learning.alphazero.selfplay import SelfPlay

_LITTLE = 1 << 16


def search_a_little(spec: GameSpec) -> None:
    """What the agent needs, the cutting down of its tree among it."""
    search = NetSearch(spec, uniform_evaluator, SearchConfig(root="puct"), memory=_LITTLE, cache_memory=_LITTLE)
    start = Position.start(spec)
    search.search(start.play(search.search(start, simulations=8).action), simulations=1)
    search.search(Position.parse("1213141", spec), simulations=1)  # settled by one look


def play_a_little(spec: GameSpec) -> None:
    """What a training run needs."""
    config = SelfPlayConfig(games=4, simulations=2, first_simulations=2)
    rng = np.random.default_rng(0)
    play = SelfPlay(spec, uniform_evaluator, config, SearchConfig(), rng, cache_memory=_LITTLE)
    replay = Replay([spec], 1000)
    while not len(replay):
        replay.add(spec, play.play(8).examples)
    replay.draw(1, 1, rng, mirror=True)
    planes_of(Position.start(spec))
