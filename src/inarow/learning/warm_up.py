"""Compiles every kernel of this room by using it once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from inarow.games.kernels import compiled_layout
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.learning.alphazero.warm_up import play_a_little, search_a_little
from inarow.learning.deep_q import boards
from inarow.learning.deep_q.opponents import NegamaxOpponents
from inarow.learning.deep_q.values import empty_boards
from inarow.learning.exploration.config import Policy
from inarow.learning.exploration.decisions import count_selections
from inarow.learning.exploration.explorer import Explorer
from inarow.learning.exploration.theory import measured_cost
from inarow.learning.tabular.config import Phase, QConfig
from inarow.learning.tabular.lookup import TableValues
from inarow.learning.tabular.trainer import Trainer

_WIDE = GameSpec(8, 8, 4)


def warm_up_steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """What to run, each with its name. Tables are for boards of one word: no larger one fits."""
    for name, opponent in (("q-learning", "self"), ("q-learning against mcts", "mcts:simulations=5")):
        yield name, partial(_learn_a_little, opponent)
    yield "exploration", _explore_a_little
    yield "deep q-learning", _play_a_little
    for kind, spec in (("word", CONNECT_FOUR), ("wide", _WIDE)):
        yield f"search with a network ({kind})", partial(search_a_little, spec)
        yield f"self-play ({kind})", partial(play_a_little, spec)


def _learn_a_little(opponent: str) -> None:
    config = QConfig(board=str(TIC_TAC_TOE), phases=(Phase(episodes=10, opponent=opponent),), memory=1)
    trainer = Trainer(config)
    trainer.run(config.episodes)
    TableValues(trainer.table, config).values(Position.start(TIC_TAC_TOE))


def _explore_a_little() -> None:
    explorer, rng = Explorer(TIC_TAC_TOE, Policy()), np.random.default_rng(0)
    explorer.choose_in(Position.start(TIC_TAC_TOE), np.zeros(TIC_TAC_TOE.actions), 1, rng)
    explorer.table.find(np.zeros(1, np.uint64))
    count_selections(np.full(2, 0.5), 0b11, 0b01, Policy().selection(), 1, rng)
    measured_cost(0.5, 1, rng)


def _play_a_little() -> None:
    """The steps of games in lockstep, without a net: that needs no kernel."""
    spec = CONNECT_FOUR
    own, mask, games = empty_boards(spec, 1), empty_boards(spec, 1), np.zeros(1, np.int64)
    layout, width = compiled_layout(spec), spec.actions
    planes = np.empty((width, spec.rows, spec.columns), np.float32)
    keys, places = np.empty(width, np.uint64), np.empty(width, np.int64)
    boards.list_afterstates(layout, own, mask, games, width, keys[:1].copy(), games.copy(), keys, places, planes)
    actions = NegamaxOpponents(spec, 2, 0.3, np.random.default_rng(0)).choose(own, mask, games)
    boards.play_actions(layout, own, mask, games, actions, True, np.zeros(1, np.int64))
