"""Nets inside exported files: NumPy against ONNX Runtime, and the moves that follow."""

import random

import msgspec
import numpy as np
import pytest
from hypothesis import given

from inarow.adapters.kaggle_export.export import source_of
from inarow.adapters.kaggle_export.exporters import net_expression, parts_for, parts_of
from inarow.adapters.kaggle_export.player import alphazero
from inarow.adapters.kaggle_export.player.base import Rules
from inarow.adapters.kaggle_export.player.net import packed_array, unpacked_array
from inarow.agents.dqn import DqnParameters, build_dqn_agent
from inarow.agents.registry import make_agent
from inarow.errors import KaggleFileError
from inarow.games.bits import from_int, to_int
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.alphazero.config import NetworkConfig
from inarow.learning.deep_q.config import DeepQConfig, Network
from inarow.learning.deep_q.network import first_weights
from inarow.learning.net_file import NetAbout, open_net, to_bytes
from inarow.search.tree.evaluation import planes_of
from inarow.search.tree.simulation import look
from tests.adapters.kaggle_export.files import agent_of_file, choice
from tests.learning.alphazero.nets import opinionated_net
from tests.strategies import ongoing_positions

onnx = pytest.importorskip("onnx")

from inarow.learning.alphazero.dense_network import DenseNetwork  # noqa: E402
from inarow.learning.deep_q.network import to_model  # noqa: E402

pytestmark = pytest.mark.compiled


def dqn_file(path, board: str, network: Network):
    """A net of random weights."""
    config = DeepQConfig(learner="deep-q", board=board, episodes=10, network=network)
    weights = first_weights(config.network, config.spec, np.random.default_rng(3))
    about = NetAbout(kind="deep-q", board=board, config=msgspec.to_builtins(config), seed=0)
    path.write_bytes(to_bytes(to_model(weights, config.spec), about))
    return path


def numpy_net(path):
    """The net that the expression in an exported file makes."""
    source = f"from inarow.adapters.kaggle_export.player.net import NumpyNet\nagent = {net_expression(path)}.run\n"
    return agent_of_file(source)


@pytest.mark.parametrize("board", ["6x7x4", "4x5x3"])
def test_an_exported_dqn_says_and_plays_the_same(board, tmp_path):
    path = dqn_file(tmp_path / "net.onnx", board, Network(filters=(4, 6), dense=(5,)))
    spec = GameSpec.parse(board)
    planes = np.random.default_rng(1).integers(-1, 2, (20, 1, spec.rows, spec.columns)).astype(np.float32)
    (ours,), (expected,) = numpy_net(path)(planes), open_net(path, "deep-q").run(planes)
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


@given(ongoing_positions(max_side=7, max_inarow=6).filter(lambda position: position.spec.gravity))
def test_planes_and_looks_are_those_of_the_package(position):
    spec = position.spec
    board = Rules(spec.rows, spec.columns, spec.inarow)
    planes = alphazero.network_planes(position.stones, position.mask, board)
    assert planes.dtype == np.float32
    assert np.array_equal(planes, planes_of(position))
    layout = compiled_layout(spec)
    expected = look(
        from_int(position.stones, layout.board), from_int(position.mask, layout.board), position.ply, layout
    )
    assert alphazero.examine(position.stones, position.mask, board) == (expected[0], to_int(expected[1]))


@pytest.mark.parametrize("simulations", [0, 1, 40])
@pytest.mark.parametrize("kind", ["alphazero", "alphazero:tactics=false", "gupta-shah-2022/alphazero"])
def test_an_exported_alphazero_searches_the_same(kind, simulations, tmp_path):
    path = opinionated_net(tmp_path)
    text = f"{kind}{',' if ':' in kind else ':'}net={path},simulations={simulations}"
    for board in ("6x7x4", "5x4x3"):
        spec = GameSpec.parse(board)
        exported = agent_of_file(text, spec)
        chance = random.Random(simulations)
        same = moves = 0
        for _ in range(3):
            position = Position.start(spec)
            while not position.is_over:
                # A new agent each time: the file begins every move with a new tree.
                same += choice(exported, position) == make_agent(text).decide(position).action
                moves += 1
                position = position.play(chance.choice(position.legal_actions))
        assert same >= 0.95 * moves  # sums are rounded in another order, which may decide between near equals


@pytest.mark.parametrize("padding", [0, 12])
def test_an_exported_dense_network_says_the_same(padding, tmp_path):
    spec = GameSpec.parse("6x7x4")
    network = DenseNetwork(spec, NetworkConfig(kind="dense", channels=8, padding=padding))
    weights = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    path, position = tmp_path / "dense.onnx", Position.parse("44531")
    about = NetAbout(kind="alphazero", board="6x7x4", config={}, seed=0)
    path.write_bytes(to_bytes(network.to_model(weights), about))
    planes = planes_of(position)[None]
    for found, expected in zip(numpy_net(path)(planes), open_net(path).run(planes), strict=True):
        assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("setting", ["root=gumbel", "temperature=1"])
def test_searches_that_draw_lots_are_refused(setting, tmp_path):
    with pytest.raises(KaggleFileError, match="only be exported with root=puct and temperature=0"):
        parts_of(f"alphazero:net={opinionated_net(tmp_path)},{setting}", GameSpec.parse("6x7x4"))


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
