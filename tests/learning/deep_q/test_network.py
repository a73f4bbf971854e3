"""The net: its size, torch against ONNX Runtime, and how it is fitted."""

import numpy as np
import pytest
import torch

from inarow.games.spec import GameSpec
from inarow.learning.deep_q.config import DeepQConfig, Network
from inarow.learning.deep_q.network import ConvolutionalNetwork, TrainedNet, first_weights, to_model
from inarow.learning.net_file import Net, NetAbout, to_bytes

SMALL = Network(filters=(4, 6), dense=(5,))


def config_of(board: str, network: Network = SMALL, **settings) -> DeepQConfig:
    return DeepQConfig(learner="deep-q", board=board, episodes=10, network=network, **settings)


def weights_of(config: DeepQConfig, seed: int = 0):
    return first_weights(config.network, config.spec, np.random.default_rng(seed))


def new_net(config: DeepQConfig, seed: int = 0) -> TrainedNet:
    return TrainedNet(config, ConvolutionalNetwork(weights_of(config, seed), config.spec))


def some_boards(board: str, count: int) -> np.ndarray:
    spec = GameSpec.parse(board)
    return np.random.default_rng(1).integers(-1, 2, (count, spec.rows, spec.columns)).astype(np.float32)


def test_the_published_net_has_as_many_parameters_as_published():
    weights = weights_of(config_of("6x7x4", Network()))
    assert sum(array.size for array in weights.values()) == 128_303


def test_first_weights_are_glorot_uniform_and_biases_zero():
    weights = weights_of(config_of("6x7x4", Network()))
    for name, (inputs, outputs) in {"conv1": (16 * 20, 16 * 20), "conv3": (320, 480), "dense0": (1260, 49)}.items():
        limit = np.sqrt(6 / (inputs + outputs))
        largest = np.abs(weights[f"{name}.weight"]).max()
        assert 0.99 * limit < largest <= limit
        assert abs(weights[f"{name}.weight"].std() / (limit / np.sqrt(3)) - 1) < 0.02
        assert not weights[f"{name}.bias"].any()


@pytest.mark.parametrize(("board", "network"), [("6x7x4", Network()), ("3x3x3", SMALL), ("9x11x5", SMALL)])
def test_torch_and_onnx_runtime_agree(board, network):
    config = config_of(board, network)
    trained = new_net(config)
    boards = some_boards(board, 40)
    trained.fit(boards, np.linspace(-1, 1, 40, dtype=np.float32), np.random.default_rng(2))
    about = NetAbout(kind="deep-q", board=board, config={}, seed=0)
    net = Net(to_bytes(to_model(trained.weights(), config.spec), about), "it")
    with torch.no_grad():
        expected = trained.values(torch.from_numpy(boards[:, None])).numpy()
    (found,) = net.run(boards[:, None])
    assert np.ptp(expected) > 0.01
    np.testing.assert_allclose(found[:, 0], expected, atol=2e-6, rtol=1e-4)


def test_a_convolution_pads_one_before_and_two_after():
    """One filter that copies the top left of its sixteen cells moves the board by one, down and to the right."""
    config = config_of("4x4x4", Network(filters=(1,), dense=()))
    weights = weights_of(config)
    weights["conv0.weight"][:] = 0
    weights["conv0.weight"][0, 0, 0, 0] = 1
    weights["dense0.weight"] = np.arange(16, dtype=np.float32)[None]
    board = np.zeros((1, 4, 4), np.float32)
    board[0, 1, 2] = 1
    with torch.no_grad():
        (value,) = (
            TrainedNet(config, ConvolutionalNetwork(weights, config.spec))
            .values(torch.from_numpy(board[:, None]))
            .numpy()
        )
    assert value == 2 * 4 + 3


def test_a_fit_learns_and_depends_on_its_seed_alone():
    config = config_of("4x4x4", epochs=60, minibatch=8)
    boards = some_boards("4x4x4", 30)
    targets = boards[:, 0, 0].copy()
    nets = [new_net(config) for _ in range(3)]
    losses = [net.fit(boards, targets, np.random.default_rng(seed)) for net, seed in zip(nets, (1, 1, 2), strict=True)]
    assert losses[0] < 0.05
    first, same, other = (net.weights() for net in nets)
    assert all((first[name] == same[name]).all() for name in first)
    assert any((first[name] != other[name]).any() for name in first)


def test_a_net_continues_from_its_state_bit_for_bit():
    config = config_of("4x4x4")
    boards, targets = some_boards("4x4x4", 50), np.linspace(-1, 1, 50, dtype=np.float32)
    whole, restored = new_net(config), new_net(config, 9)
    whole.fit(boards, targets, np.random.default_rng(1))
    restored.restore(whole.state())
    for net in (whole, restored):
        net.fit(boards, targets, np.random.default_rng(2))
    for name, array in whole.weights().items():
        assert (array == restored.weights()[name]).all()
