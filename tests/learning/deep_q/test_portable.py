"""Portable arithmetic: the net and the fit of torch, the same bits for every instruction set."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch.nn import functional

from inarow.errors import ConfigError
from inarow.learning.deep_q.config import Network
from inarow.learning.deep_q.network import ConvolutionalNetwork, TrainedNet, first_weights
from inarow.learning.deep_q.portable import (
    PortableNet,
    PortableTrainedNet,
    add_products,
    backward,
    forward,
    gathered,
    multiply,
    neighbourhoods,
    to_layers,
    to_weights,
)
from inarow.learning.deep_q.trainer import Trainer
from inarow.learning.devices import Device
from inarow.learning.net_file import Net
from tests.learning.deep_q.nets import config_of

NETWORKS = [Network(filters=(3, 5), dense=(6, 4)), Network(filters=(4,), dense=())]
BOARDS = ["6x7x4", "3x5x3"]


def made(board: str, network: Network, count: int = 9):
    """(Config, weights, boards, targets), all drawn."""
    config, rng = config_of(board, network=network, epochs=2, minibatch=4), np.random.default_rng(3)
    weights = first_weights(network, config.spec, rng)
    weights = {name: array + rng.normal(0, 0.01, array.shape).astype(np.float32) for name, array in weights.items()}
    planes = rng.integers(-1, 2, (count, config.spec.rows, config.spec.columns)).astype(np.float32)
    return config, weights, planes, rng.uniform(-1, 1, count).astype(np.float32)


def test_products_are_those_of_numpy():
    rng = np.random.default_rng(0)
    for count, inner, units in ((1, 1, 1), (5, 7, 3), (4, 8, 6)):
        left, right = (rng.normal(size=shape).astype(np.float32) for shape in ((count, inner), (inner, units)))
        bias, product = rng.normal(size=units).astype(np.float32), np.empty((count, units), np.float32)
        multiply(left, right, bias, product)
        np.testing.assert_allclose(product, left @ right + bias, atol=1e-5)
        sums, totals = np.ones((inner, units), np.float32), np.ones(units, np.float32)
        add_products(left, product, sums, totals)
        np.testing.assert_allclose(sums, 1 + left.T @ product, atol=1e-4)
        np.testing.assert_allclose(totals, 1 + product.sum(axis=0), atol=1e-5)


def test_neighbourhoods_have_one_cell_before_and_two_after():
    cells = np.arange(1, 13, dtype=np.float32).reshape(1, 12)  # 2 x 3 cells of 2 channels
    found = neighbourhoods(cells, 2, 3).reshape(2, 3, 4, 4, 2)
    padded = np.pad(cells.reshape(2, 3, 2), ((1, 2), (1, 2), (0, 0)))
    for row in range(2):
        for column in range(3):
            assert found[row, column].tolist() == padded[row : row + 4, column : column + 4].tolist()
    slopes = np.random.default_rng(0).normal(size=(6, 32)).astype(np.float32)
    transposed = gathered(slopes, 12, 2, 3)
    assert (transposed * cells).sum() == pytest.approx((slopes * neighbourhoods(cells, 2, 3)).sum(), rel=1e-5)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("board", BOARDS)
def test_values_and_gradients_are_those_of_torch(board, network):
    config, weights, planes, targets = made(board, network)
    module = ConvolutionalNetwork(weights, config.spec).double()
    values = module(torch.from_numpy(planes[:, None]).double())[:, 0]
    functional.mse_loss(values, torch.from_numpy(targets).double()).backward()
    layers = to_layers(weights, config.spec)
    outputs = forward(layers, planes, config.spec)
    np.testing.assert_allclose(outputs[-1][:, 0], values.detach().numpy(), atol=1e-5)
    slopes = (outputs[-1] - targets[:, None]) * np.float32(2 / len(planes))
    found = to_weights(backward(layers, outputs, planes, slopes, config.spec), config.spec)
    assert list(found) == list(weights)
    for name, parameter in module.named_parameters():
        np.testing.assert_allclose(found[name], parameter.grad.numpy(), atol=1e-5)


@pytest.mark.parametrize("network", NETWORKS)
def test_a_fit_is_that_of_torch_but_for_rounding(network):
    config, weights, planes, targets = made("6x7x4", network)
    portable = PortableTrainedNet(config, weights)
    fast = TrainedNet(config, ConvolutionalNetwork(weights, config.spec))
    losses = [each.fit(planes, targets, np.random.default_rng(1)) for each in (portable, fast)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    for name, array in fast.weights().items():
        np.testing.assert_allclose(portable.weights()[name], array, atol=2e-4)
        assert np.abs(array - weights[name]).max() > 1e-4


def test_layers_become_the_same_weights():
    config, weights, _, _ = made("6x7x4", NETWORKS[0])
    found = to_weights(to_layers(weights, config.spec), config.spec)
    assert all((found[name] == array).all() for name, array in weights.items())


def test_a_fit_continues_from_its_state_bit_for_bit():
    config, weights, planes, targets = made("6x7x4", NETWORKS[0])
    one, other = PortableTrainedNet(config, weights), PortableTrainedNet(config, weights)
    one.fit(planes, targets, np.random.default_rng(1))
    other.restore(one.state())
    for each in (one, other):
        each.fit(planes, targets, np.random.default_rng(2))
    assert all((other.weights()[name] == array).all() for name, array in one.weights().items())


def settings(**more):
    return {"episodes": 20, "batch": 10, "arithmetic": "portable", "side": "alternating", "opponent": "negamax"} | more


def test_a_training_plays_and_writes_the_same_net():
    trainer = Trainer(config_of("5x5x4", **settings(opponent="past")))
    while not trainer.is_finished:
        trainer.run_batch()
    net, file = trainer.net(), Net(trainer.net_content(), "it")
    assert isinstance(net, PortableNet)
    assert net.about.provenance == file.about.provenance == {"episodes": 20}
    planes = np.random.default_rng(0).integers(-1, 2, (300, 1, 5, 5)).astype(np.float32)
    np.testing.assert_allclose(net.run(planes)[0], file.run(planes)[0], atol=1e-5)


def test_portable_arithmetic_has_no_other_device():
    with pytest.raises(ConfigError, match="it needs the CPU and the built-in network"):
        Trainer(config_of("5x5x4", **settings()), device=Device("cuda"))


PROGRAM = """
import hashlib
from inarow.learning.deep_q.trainer import Trainer
from tests.learning.deep_q.nets import config_of
from tests.learning.deep_q.test_portable import settings
trainer = Trainer(config_of("5x5x4", **settings(policy={policy})))
while not trainer.is_finished:
    trainer.run_batch()
weights = trainer._trained.weights().values()
print(hashlib.sha256(b"".join(each.tobytes() for each in weights)).hexdigest())
""".format(policy='__import__("inarow.learning.exploration.config", fromlist=["Policy"]).Policy(rule="classical")')


@pytest.mark.compiled
def test_other_instruction_sets_give_the_same_bits(tmp_path):
    """Numba compiles for the processor of this machine, and for one without any extension."""
    found = set()
    for cpu in ("", "generic"):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / f"cache-{cpu}")}
        if cpu:
            environment |= {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.add(done.stdout)
    assert len(found) == 1
