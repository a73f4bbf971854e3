"""Tic Tac Toe from nothing: after a few seconds nobody beats it, whatever they play."""

from functools import partial

import pytest

from inarow.agents.registry import make_agent
from inarow.games.spec import TIC_TAC_TOE
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.run import AlphaZeroRun
from inarow.learning.config import find_document, to_config
from tests.learning.alphazero.nets import opinionated_net
from tests.unbeaten import lost_game

SECONDS_OF_A_CORE = {"iterations": 5, "workers": 1}
"""Instead of the minute of the preset. Three iterations were enough for each of five seeds."""


@pytest.mark.compiled
def test_it_never_loses_on_either_side_with_fifty_simulations(tmp_path):
    document = find_document("tictactoe") | SECONDS_OF_A_CORE
    del document["minutes"]
    run = AlphaZeroRun.start(to_config(document, AlphaZeroConfig, "tictactoe"), tmp_path / "run")
    run.train()
    make = partial(make_agent, f"alphazero:net={run.product},simulations=50,memory=1")
    for side in (1, 2):
        assert lost_game(TIC_TAC_TOE, side, make) is None


@pytest.mark.compiled
@pytest.mark.parametrize("simulations", [0, 50])
def test_the_shipped_net_never_loses(simulations):
    for side in (1, 2):
        make = partial(make_agent, f"alphazero:simulations={simulations},memory=1")
        assert lost_game(TIC_TAC_TOE, side, make) is None


def test_a_net_that_learnt_nothing_can_be_beaten(tmp_path):
    make = partial(make_agent, f"alphazero:net={opinionated_net(tmp_path)},simulations=5,memory=1")
    for side in (1, 2):
        assert lost_game(TIC_TAC_TOE, side, make).winner == 3 - side
