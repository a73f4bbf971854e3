"""The agent `dqn`: its moves, its reports, and the files it takes."""

import msgspec
import numpy as np
import onnx
import pytest
from hypothesis import given, settings

from inarow.agents.registry import make_agent, parse_agent
from inarow.errors import InarowError, NetError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.deep_q.network import first_weights, to_model
from inarow.learning.net_file import NetAbout, open_net, to_bytes
from inarow.learning.pretrained import shipped_nets
from tests.learning.deep_q.nets import config_of, write_net
from tests.strategies import ongoing_positions

BOARDS = ("6x7x4", "4x4x4", "9x9x4", "tictactoe")


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nets")
    return {board: write_net(folder / f"{board}.onnx", str(GameSpec.parse(board))) for board in BOARDS}


def planes_after(position: Position) -> np.ndarray:
    """The boards after each legal move, for the side that moves, made slowly."""
    found = []
    for action in position.legal_actions:
        stones = position.play(action).to_array()
        found.append(np.where(stones == 0, 0, np.where(stones == position.side_to_move, 1, -1)))
    return np.array(found, np.float32)[:, None]


@pytest.mark.parametrize("board", BOARDS)
def test_it_plays_the_best_board_and_reports_all_values(nets, board):
    agent, net = make_agent(f"dqn:net={nets[board]}"), open_net(nets[board], "deep-q")

    @settings(max_examples=25)
    @given(ongoing_positions(GameSpec.parse(board)))
    def check(position):
        decision = agent.decide(position)
        (expected,) = net.run(planes_after(position))
        legal = position.legal_actions
        told = [decision.scores[action] for action in legal]
        np.testing.assert_allclose(told, expected[:, 0], atol=1e-5)
        assert sum(score is None for score in decision.scores) == position.spec.actions - len(legal)
        assert decision.action == legal[int(np.argmax(told))]
        assert decision.value == np.clip(max(told), -1, 1)
        assert decision.policy == tuple(float(action == decision.action) for action in range(position.spec.actions))

    check()


def test_values_are_seen_relative_to_the_reward_of_a_win(tmp_path):
    path = write_net(tmp_path / "net.onnx", "4x4x4", rewards={"win": 50.0, "draw": 0.0, "loss": -50.0}, factor=20.0)
    start = Position.start(GameSpec.parse("4x4x4"))
    decision = make_agent(f"dqn:net={path}").decide(start)
    assert decision.value == pytest.approx(max(decision.scores) / 50)


def test_the_file_is_hashed_and_the_board_checked(nets):
    text = f"dqn:net={nets['4x4x4']}"
    kind = parse_agent(text)[0]
    texts = (text, f"dqn:net={nets['6x7x4']}", "dqn", "dqn:net=santos-2025-first-quantum")
    assert len({kind.content_hash(parse_agent(each)[1]) for each in texts}) == len(texts)
    with pytest.raises(NetError, match="the net is for 4x4x4, not for 6x7x4"):
        make_agent(text).decide(Position.start())


def one_line(text: str) -> str:
    with pytest.raises(InarowError) as caught:
        make_agent(text).decide(Position.start(GameSpec.parse("5x5x4")))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_file_that_is_not_a_net_is_reported_in_one_line(tmp_path):
    assert "there is no net 'nothing'" in one_line("dqn:net=nothing")
    assert "cannot be read" in one_line(f"dqn:net={tmp_path / 'nothing.onnx'}")
    assert "inarow has no deep Q-learning net for 5x5x4" in one_line("dqn")
    assert "dqn has no key 'nets'" in one_line("dqn:nets=x")


def save(path, *, board="5x5x4", made_for="5x5x4", **config):
    settings = msgspec.to_builtins(config_of(made_for)) | config
    made = config_of(made_for)
    weights = first_weights(made.network, made.spec, np.random.default_rng(0))
    about = NetAbout(kind="deep-q", board=board, config=settings, seed=0)
    path.write_bytes(to_bytes(to_model(weights, GameSpec.parse(made_for)), about))
    return f"dqn:net={path}"


def test_a_net_that_does_something_else_is_reported_in_one_line(tmp_path):
    path = tmp_path / "net.onnx"
    refusal = "is not a net of deep Q-learning"
    assert refusal in one_line(save(path, made_for="6x7x4"))
    assert refusal in one_line(save(path, board="any"))
    assert refusal in one_line(save(path, alpha="high"))
    save(path)
    model = onnx.load(path)
    bias = next(each for each in model.graph.initializer if each.name == "dense1.bias")
    bias.CopyFrom(onnx.numpy_helper.from_array(np.array([np.nan], np.float32), "dense1.bias"))
    path.write_bytes(model.SerializeToString())
    assert "value of the empty board is not finite" in one_line(f"dqn:net={path}")


@pytest.mark.parametrize("name", sorted(shipped_nets("deep_q")))
def test_shipped_nets_play_and_say_where_they_come_from(name):
    path = shipped_nets("deep_q")[name]
    assert path.stat().st_size < 1 << 20
    about = open_net(path, "deep-q").about
    assert about.board == "6x7x4"
    assert about.provenance["episodes"] == about.config["episodes"]
    assert make_agent(f"dqn:net={name}").decide(Position.parse("4453")).action in range(7)


def test_without_a_net_each_side_has_its_own():
    agent = make_agent("dqn")
    for moves, name in (("", "santos-2025-first-quantum"), ("4", "santos-2025-second-quantum")):
        position = Position.parse(moves)
        assert agent.decide(position) == make_agent(f"dqn:net={name}").decide(position)
