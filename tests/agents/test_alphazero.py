"""The agent with a network, whatever the network thinks."""

import math
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.agents.registry import make_agent, parse_agent
from inarow.arena.game import play_game
from inarow.errors import InvalidAgentError, NetError
from inarow.games.position import Position
from inarow.games.spec import TIC_TAC_TOE, GameSpec
from inarow.learning.pretrained import find_net, net_path, shipped_nets
from inarow.search.limits import Limits
from tests.learning.alphazero.nets import opinionated_net
from tests.strategies import ongoing_positions


@pytest.fixture(scope="module")
def net(tmp_path_factory) -> Path:
    return opinionated_net(tmp_path_factory.mktemp("nets"))


@pytest.mark.parametrize(
    "keys",
    [
        "simulations=0",
        "simulations=6,root=gumbel",
        "simulations=6,temperature=1",
        "simulations=0,temperature=0.001",  # at which no chance may be rounded to nothing
    ],
)
@settings(max_examples=20)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_decisions_are_legal_and_follow_from_the_seed(net, keys, data, seed):
    position = data.draw(ongoing_positions(max_side=9))
    decision, again = (make_agent(f"alphazero:net={net},{keys}", seed=seed).decide(position) for _ in range(2))
    assert decision == again
    assert decision.action in position.legal_actions
    assert decision.policy[decision.action] > 0
    assert sum(decision.policy) == pytest.approx(1)
    for chances in (decision.policy, decision.details["priors"], decision.visits):
        assert len(chances) == position.spec.actions
        assert {action for action, chance in enumerate(chances) if chance} <= set(position.legal_actions)
    assert -1 <= decision.value <= 1


@settings(max_examples=40)
@given(ongoing_positions(max_side=8))
def test_even_the_raw_net_takes_wins_and_blocks(net, position):
    decision = make_agent(f"alphazero:net={net},simulations=0").decide(position)
    wins, threats = position.winning_actions(), position.winning_actions(of_opponent=True)
    if wins:
        assert decision.action in wins
        assert decision.value == 1
    elif threats:
        assert decision.action in threats


def test_the_raw_net_plays_the_argmax_of_its_policy_among_safe_moves(net):
    decision = make_agent(f"alphazero:net={net},simulations=0").decide(Position.start())
    assert decision.action == int(np.argmax(decision.details["priors"]))
    assert decision.policy == pytest.approx(tuple(decision.details["priors"]))


@pytest.mark.compiled
def test_any_size_of_board_is_answered(net):
    for board in ("12x12x5", "tictactoe", "15x15x5/free", "1x2x2", "16x16x16"):
        spec = GameSpec.parse(board)
        position = Position.start(spec)
        for _ in range(3):
            if not position.is_over:
                position = position.play(make_agent(f"alphazero:net={net},simulations=20").decide(position).action)


@pytest.mark.compiled
def test_a_whole_game_continues_with_its_tree(net):
    agent = make_agent(f"alphazero:net={net},simulations=40")
    record = play_game(agent, make_agent("mcts:simulations=50", seed=1))
    assert record.termination == "normal"
    position = Position.parse("44")
    first = agent.decide(position)
    kept = agent.decide(position.play(first.action))
    assert sum(kept.visits) > first.visits[first.action]


def test_temperature_draws(net):
    drawn = {
        make_agent(f"alphazero:net={net},simulations=8,temperature=2", seed=seed).decide(Position.start()).action
        for seed in range(20)
    }
    assert len(drawn) > 1


def test_seconds_limit_a_move(net):
    decision = make_agent(f"alphazero:net={net},seconds=0.02").decide(Position.start(TIC_TAC_TOE))
    assert decision.details["simulations"] >= 1


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_limits_replace_the_budget_of_the_agent_string(net, root):
    agent = make_agent(f"alphazero:net={net},simulations=30,root={root}")

    def simulations(**limits):
        return agent.decide(Position.start(), limits=Limits(**limits)).details["simulations"]

    assert simulations() == simulations(depth=3) == simulations(cancelled=lambda: False) == 30
    assert simulations(simulations=50) == 50
    assert simulations(simulations=5000, cancelled=lambda: True) < 300  # as many as need no network
    assert simulations(seconds=3600, simulations=10) == 10
    assert 1 <= simulations(nodes=50) <= 30
    if root == "gumbel":
        assert simulations(seconds=3600) == 30  # what it plans


@pytest.mark.compiled
@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_a_search_is_watched_and_stops_when_cancelled(net, root):
    agent = make_agent(f"alphazero:net={net},root={root},simulations=20000,temperature=1", seed=5)
    agent.decide(Position.start(), limits=Limits(simulations=2))  # compiled, and its memory allocated
    told, answers = [], []
    is_cancelled = threading.Event()
    limits = Limits(seconds=math.inf, cancelled=is_cancelled.is_set)

    def think():
        answers.append(agent.decide(Position.start(), limits=limits, watch=told.append))

    thread = threading.Thread(target=think)
    thread.start()
    time.sleep(0.3)
    is_cancelled.set()
    clock = time.perf_counter()
    thread.join()
    assert time.perf_counter() - clock < 0.5  # 0.05 on an idle machine
    assert len(told) >= 3
    assert answers[0].details["simulations"] >= told[-1].details["simulations"] > 0
    assert answers[0].action in range(7)


def test_being_watched_changes_no_decision(net):
    for keys in ("simulations=60", "simulations=60,root=gumbel", "simulations=300,temperature=1"):
        told = []
        watched, alone = (make_agent(f"alphazero:net={net},{keys}", seed=3) for _ in range(2))
        for moves in ("", "4", "44"):
            position = Position.parse(moves)
            assert watched.decide(position, watch=told.append) == alone.decide(position)
        assert told


def test_wrong_nets_and_parameters_are_refused(net, tmp_path):
    for keys, message in (
        ("simulations=5,seconds=1", "takes either simulations or seconds"),
        ("seconds=1,root=gumbel", "alphazero needs root=puct for seconds"),
        ("root=maybe", "it must be one of gumbel, puct"),
        ("simulations=-1", "it must be a whole number"),
    ):
        with pytest.raises(InvalidAgentError, match=message):
            make_agent(f"alphazero:net={net},{keys}")
    with pytest.raises(NetError, match="there is no net 'nonsense'"):
        make_agent("alphazero:net=nonsense")
    with pytest.raises(NetError, match="cannot be read"):
        make_agent(f"alphazero:net={tmp_path / 'absent.onnx'}")
    other = make_agent(f"alphazero:net={opinionated_net(tmp_path, '5x5x4')}")
    with pytest.raises(NetError, match="for 5x5x4, not for 6x7x4"):
        other.decide(Position.start())


@pytest.mark.compiled
def test_every_board_has_its_net():
    """One agent, from board to board."""
    agent = make_agent("alphazero:simulations=8")
    for board, name in (
        ("6x7x4", "connect4"),
        ("tictactoe", "tictactoe"),
        ("5x5x4", "universal"),
        ("12x9x5", "universal"),
    ):
        position = Position.start(GameSpec.parse(board)).play(1)
        assert agent.decide(position) == make_agent(f"alphazero:simulations=8,net={name}").decide(position)
    with pytest.raises(NetError, match="inarow has no AlphaZero net for 15x15x5/free"):
        agent.check_board(GameSpec.parse("15x15x5/free"))


@pytest.mark.parametrize("name", sorted(shipped_nets("alphazero")))
def test_shipped_nets_are_small_and_have_their_provenance(name):
    about = find_net(name).about
    assert net_path(name).stat().st_size < 2_000_000
    assert about.provenance["games"] > 0
    assert about.config["learner"] == "alphazero"


def test_equal_files_have_equal_hashes(net, tmp_path):
    copy = tmp_path / "copy.onnx"
    copy.write_bytes(net.read_bytes())
    kinds = [parse_agent(f"alphazero:net={path}") for path in (net, copy)]
    assert len({kind.content_hash(parameters) for kind, parameters in kinds}) == 1
