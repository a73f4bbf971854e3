"""Episodes of Q-learning, compiled and in plain Python."""

from __future__ import annotations

import numpy as np

from inarow.cli.benchmarks.peers import Peer, Work, rate
from inarow.cli.benchmarks.plain_q import PlainQ
from inarow.games.position import Position
from inarow.learning.tabular.config import Exploration, Phase, QConfig
from inarow.learning.tabular.trainer import Trainer

_EPISODES, _PLAIN_EPISODES = 10_000, 50
_ALPHA, _GAMMA, _EPSILON = 0.1, 0.9, 0.1


def q_episodes(start: Position) -> Work:
    """Own-turn Q-learning from an empty table against winblock."""
    config = QConfig(
        board=str(start.spec),
        phases=(Phase(episodes=_EPISODES, opponent="winblock"),),
        target="own-turn",
        alpha=_ALPHA,
        gamma=_GAMMA,
        symmetry=False,
        exploration=Exploration(start=_EPSILON, floor=_EPSILON),
        memory=256,
    )

    def work() -> int:
        Trainer(config).run(_EPISODES)
        return _EPISODES

    return work


def plain_q_episodes(start: Position, seconds: float) -> Peer:
    """The same in plain Python."""
    rng = np.random.default_rng(0)

    def work() -> int:
        twin = PlainQ(
            start.spec, rng, opponent="winblock", is_negamax=False, alpha=_ALPHA, gamma=_GAMMA, epsilon=_EPSILON
        )
        twin.learn(_PLAIN_EPISODES)
        return _PLAIN_EPISODES

    return Peer("plain Python", lambda: rate(work, seconds))
