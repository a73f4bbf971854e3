"""Compiles every kernel of AlphaZero by using it once, with a network that knows nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inarow.games.kernels import compiled_layout
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.alphazero.config import SelfPlayConfig
from inarow.learning.alphazero.evaluator import uniform_evaluator
from inarow.learning.alphazero.planes import planes_of
from inarow.learning.alphazero.replay import Replay
from inarow.learning.alphazero.search import NetSearch
from inarow.learning.alphazero.search_config import SearchConfig
from inarow.learning.alphazero.selfplay import SelfPlay
from inarow.search.tree.tactics import look

_LITTLE = 1 << 16
_TRIES = 100
"""Until there is an example: some boards have no position with a choice, and so none."""


def warm_up_for(specs: Sequence[GameSpec]) -> None:
    """Compiles what a run on these boards needs, before its clock starts."""
    for wide in (False, True):
        alike = [spec for spec in specs if spec.fits_word != wide]
        if alike:
            search_a_little(alike[0])
            play_a_little(alike[0])


def search_a_little(spec: GameSpec) -> None:
    """What the agent needs, the cutting down of its tree among it."""
    search = NetSearch(spec, uniform_evaluator, SearchConfig(root="puct"), memory=_LITTLE, cache_memory=_LITTLE)
    start, layout = Position.start(spec), compiled_layout(spec)
    after = start.play(search.search(start, simulations=8).action)
    if not after.is_over:
        search.search(after, simulations=1)
    planes_of(start)
    empty = layout.board ^ layout.board
    look(layout, empty, empty, 0)


def play_a_little(spec: GameSpec) -> None:
    """What a training run needs."""
    config = SelfPlayConfig(games=4, simulations=2, first_simulations=2)
    rng = np.random.default_rng(0)
    play = SelfPlay(spec, uniform_evaluator, config, SearchConfig(), rng, cache_memory=_LITTLE)
    replay = Replay([spec], 1000)
    for _ in range(_TRIES):
        replay.add(spec, play.play(8).examples)
        if len(replay):
            replay.draw(1, 1, rng, mirror=True)
            return
