"""Nets inside exported files: NumPy against ONNX Runtime, and the moves that follow."""

import random

import msgspec
import numpy as np
import pytest

from inarow.agents.dqn import DqnParameters, build_dqn_agent
from inarow.errors import KaggleFileError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.interfaces.kaggle_export.export import source_of
from inarow.interfaces.kaggle_export.exporters import parts_for
from inarow.interfaces.kaggle_export.net_graph import net_expression
from inarow.interfaces.kaggle_export.player.net import packed_array, unpacked_array
from inarow.learning.deep_q.config import DeepQConfig, Network
from inarow.learning.deep_q.layers import first_weights
from inarow.learning.net_file import NetAbout, load_net, save_net
from tests.interfaces.kaggle_export.files import agent_of_file, choice

onnx = pytest.importorskip("onnx")

from inarow.learning.deep_q.export import to_model  # noqa: E402


def dqn_file(path, board: str, network: Network):
    """A net of random weights."""
    config = DeepQConfig(learner="deep-q", board=board, episodes=10, network=network)
    weights = first_weights(config.network, config.spec, np.random.default_rng(3))
    about = NetAbout(kind="deep-q", board=board, config=msgspec.to_builtins(config), seed=0)
    save_net(path, to_model(weights, config.spec), about)
    return path


def numpy_net(path):
    """The net that the expression in an exported file makes."""
    source = f"from inarow.interfaces.kaggle_export.player.net import NumpyNet\nagent = {net_expression(path)}.run\n"
    return agent_of_file(source)


@pytest.mark.parametrize("board", ["6x7x4", "4x5x3"])
def test_an_exported_dqn_says_and_plays_the_same(board, tmp_path):
    path = dqn_file(tmp_path / "net.onnx", board, Network(filters=(4, 6), dense=(5,)))
    spec = GameSpec.parse(board)
    planes = np.random.default_rng(1).integers(-1, 2, (20, 1, spec.rows, spec.columns)).astype(np.float32)
    (ours,), (expected,) = numpy_net(path)(planes), load_net(path, "deep-q").run(planes)
    assert np.ptp(expected) > 0.01
    np.testing.assert_allclose(ours, expected, atol=2e-6, rtol=1e-4)
    parameters = DqnParameters(net=str(path))
    agent = build_dqn_agent("dqn", parameters, np.random.default_rng(0))
    exported = agent_of_file(source_of("dqn", parts_for("dqn", parameters, spec)))
    chance = random.Random(2)
    for _ in range(5):
        position = Position.start(spec)
        while not position.is_over:
            scores = agent.decide(position).scores
            assert scores[choice(exported, position)] == pytest.approx(
                max(s for s in scores if s is not None), abs=1e-5
            )
            position = position.play(chance.choice(position.legal_actions))
    with pytest.raises(ValueError, match=f"the net is for {board}"):
        choice(exported, Position.start(GameSpec.parse("5x5x4")))


def test_other_operations_are_refused(tmp_path):
    node = onnx.helper.make_node("Sin", ["planes"], ["values"])
    kind = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        [node],
        "wave",
        [onnx.helper.make_tensor_value_info("planes", kind, [1])],
        [onnx.helper.make_tensor_value_info("values", kind, [1])],
    )
    (tmp_path / "net.onnx").write_bytes(onnx.helper.make_model(graph).SerializeToString())
    with pytest.raises(KaggleFileError, match="a net with the operation Sin cannot be exported"):
        net_expression(tmp_path / "net.onnx")


@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3, 4)])
def test_packed_arrays_are_unpacked(shape):
    for kind in (np.float32, np.int64):
        array = np.random.default_rng(1).normal(size=shape).astype(kind)
        again = unpacked_array(packed_array(array))
        assert again.dtype == array.dtype
        assert np.array_equal(again, array)
