"""Networks at work: evaluations in batches, and games of a network against itself."""

from __future__ import annotations

import numpy as np

from inarow.cli.benchmarks.peers import Work
from inarow.games.position import Position
from inarow.learning.alphazero.config import SelfPlayConfig
from inarow.learning.alphazero.evaluator import Evaluate, net_evaluator
from inarow.learning.alphazero.planes import planes_of
from inarow.learning.alphazero.search_config import SearchConfig
from inarow.learning.alphazero.selfplay import SelfPlay
from inarow.learning.alphazero.shipped import find_net

_NET = "connect4"
_BATCH = 128
_STEPS = 32
_CACHE = 64 << 20


def evaluations(start: Position) -> Work:
    """Positions of a random game, a batch at a time."""
    evaluate = _evaluator(start)
    rng = np.random.default_rng(0)
    planes: list[np.ndarray] = []
    position = start
    while len(planes) < _BATCH:
        planes.append(planes_of(position))
        position = position.play(rng.choice(position.legal_actions))
        position = start if position.is_over else position
    batch = np.stack(planes)

    def work() -> int:
        evaluate(batch)
        return _BATCH

    return work


def simulations(start: Position) -> Work:
    """Of self-play with the search of the presets."""
    play = _self_play(start)
    return lambda: play.play(_STEPS).simulations


def games(start: Position) -> Work:
    """Finished in the same."""
    play = _self_play(start)
    return lambda: len(play.play(_STEPS).games)


def _evaluator(start: Position) -> Evaluate:
    net = find_net(_NET)
    net.check_board(start.spec)
    return net_evaluator(net)


def _self_play(start: Position) -> SelfPlay:
    config = SelfPlayConfig(games=_BATCH, simulations=32, first_simulations=32)
    rng = np.random.default_rng(0)
    return SelfPlay(start.spec, _evaluator(start), config, SearchConfig(), rng, cache_memory=_CACHE)
