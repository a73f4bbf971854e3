"""Compiles every kernel of this package by calling it once."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from inarow.games import CONNECT_FOUR, TIC_TAC_TOE, GameSpec, Position
from inarow.games.kernels import compiled_layout
from inarow.learning.alphazero.config import SelfPlayConfig
from inarow.learning.alphazero.replay import Replay
from inarow.learning.alphazero.selfplay import SelfPlay
from inarow.learning.deep_q import boards
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.deep_q.opponents import NegamaxOpponents
from inarow.learning.deep_q.portable import PortableTrainedNet
from inarow.learning.exploration.action_sets import rows_of
from inarow.learning.exploration.config import Policy
from inarow.learning.exploration.explorer import Explorer, count_selections
from inarow.learning.exploration.theory import measured_cost
from inarow.learning.tabular.config import Phase, QConfig
from inarow.learning.tabular.lookup import TableValues
from inarow.learning.tabular.trainer import Trainer
from inarow.learning.windows.exact import solve_windows
from inarow.learning.windows.net_training import NetTraining, train_window_net
from inarow.search.tree.config import SearchConfig
from inarow.search.tree.evaluation import uniform_evaluator
from inarow.search.warm_up import search_with_network

_TRIES = 100  # most attempts to get an example: some boards have no position with a choice, so none


def warm_up_steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """The names and functions to run. Q-tables only support boards of one word."""
    for name, opponent in (("q-learning", "self"), ("q-learning against mcts", "mcts:simulations=5")):
        yield name, partial(_learn_a_little, opponent)
    yield "q-learning by a policy", partial(_learn_a_little, "self", Policy())
    yield "windows", _solve_windows
    yield "exploration", _explore_a_little
    yield "deep q-learning", _play_a_little
    yield "deep q-learning in portable arithmetic", _fit_a_little
    for kind, spec in (("word", CONNECT_FOUR), ("wide", GameSpec(8, 8, 4))):
        yield f"self-play ({kind})", partial(_play_with_itself, spec)


def _learn_a_little(opponent: str, policy: Policy | None = None) -> None:
    phases = (Phase(episodes=10, opponent=opponent),)
    config = QConfig(board=str(TIC_TAC_TOE), phases=phases, memory=1, policy=policy)
    trainer = Trainer(config)
    trainer.run(config.episodes)
    TableValues(trainer.table, config).values(Position.start(TIC_TAC_TOE))


def _solve_windows() -> None:
    solve_windows(GameSpec(2, 2, 2))
    train_window_net(NetTraining(board="2x2x2", episodes=1, hidden=1)).values_of(0, 0)


def _explore_a_little() -> None:
    rng, keys = np.random.default_rng(0), np.zeros(1, np.uint64)
    for spec in (TIC_TAC_TOE, GameSpec(8, 8, 4, gravity=False)):  # sets of actions in one word and in five
        explorer = Explorer(spec, Policy(flags="reward"))
        explorer.choose_in(Position.start(spec), np.zeros(spec.actions), 1, rng)
        explorer.reward(keys, rows_of([[0]], spec.actions), np.zeros(1, np.int64), np.zeros(1))
        explorer.table.find(keys)
        explorer.table.add(keys)
    count_selections(np.full(2, 0.5), 0b11, 0b01, Policy().selection(), 1, rng)
    measured_cost(0.5, 1, rng)


def _play_a_little() -> None:
    """Runs the steps of games in lockstep, without a net, which has no kernel."""
    spec, games = CONNECT_FOUR, np.zeros(1, np.int64)
    layout = compiled_layout(spec)
    empty = boards.empty_boards(layout, 1)
    boards.list_afterstates(layout, empty, games, boards.empty_afterstates(layout, 1))
    actions = NegamaxOpponents(spec, 2, 0.3, np.random.default_rng(0)).choose(empty, games)
    boards.play_actions(layout, empty, games, actions, True, np.zeros(1, np.int64))


def _fit_a_little() -> None:
    """One fit of a net with a layer of each kind."""
    config = DeepQConfig(learner="deep-q", board=str(TIC_TAC_TOE), episodes=1, epochs=1)
    shapes = {"conv0": (2, 1, 4, 4), "conv1": (2, 2, 4, 4), "dense0": (2, 2 * TIC_TAC_TOE.cells), "dense1": (1, 2)}
    weights = {f"{name}.weight": np.zeros(shape, np.float32) for name, shape in shapes.items()}
    weights = {**weights, **{f"{name}.bias": np.zeros(shape[0], np.float32) for name, shape in shapes.items()}}
    planes = np.zeros((1, TIC_TAC_TOE.rows, TIC_TAC_TOE.columns), np.float32)
    PortableTrainedNet(config, weights).fit(planes, np.zeros(1, np.float32), np.random.default_rng(0))


def warm_up_for(specs: Sequence[GameSpec]) -> None:
    """Compiles the kernels of an AlphaZero run on these boards, before its clock starts."""
    for wide in (False, True):
        if alike := [spec for spec in specs if spec.fits_word != wide]:
            search_with_network(alike[0])
            _play_with_itself(alike[0])


def _play_with_itself(spec: GameSpec) -> None:
    config, rng = SelfPlayConfig(games=4, simulations=2, first_simulations=2), np.random.default_rng(0)
    play = SelfPlay(spec, uniform_evaluator, config, SearchConfig(), rng, cache_memory=1 << 16)
    replay = Replay([spec], 1000)
    for _ in range(_TRIES):
        replay.add(spec, play.play(8).examples)
        if len(replay):
            replay.draw(1, 1, rng, mirror=True)
            return
