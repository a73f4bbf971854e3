"""The net for windows: against NumPy, its training, its file."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.errors import ConfigError, InvalidLimitError, NetError
from inarow.games.spec import GameSpec
from inarow.learning.config import to_config
from inarow.learning.pretrained import shipped_window_net
from inarow.learning.windows.exact import ExactWindows
from inarow.learning.windows.net import Weights, WindowNet, load_window_net
from inarow.learning.windows.net_training import NetTraining, save_trained, train_window_net
from tests.twins.windows import all_windows, bits

SPEC = GameSpec(3, 3, 3)
WINDOWS = all_windows(SPEC)


def planes(cells):
    """The input of the net: own and other stones by column from below."""
    found = []
    for column in range(SPEC.columns):
        for height in range(SPEC.rows):
            cell = cells[SPEC.rows - 1 - height][column]
            found += [float(cell == 1), float(cell == 2)]
    return np.array(found)


def slow_values(weights, cells):
    hidden = np.maximum(planes(cells) @ weights.cells + weights.hidden, 0)
    return hidden @ weights.moves + weights.output


@given(st.sampled_from(WINDOWS), st.integers(0, 100))
def test_values_are_those_of_two_matrix_products(cells, seed):
    weights = Weights.random(SPEC, 7, np.random.default_rng(seed))
    values = WindowNet(SPEC, weights).values_of(*bits(cells, SPEC))
    assert values == pytest.approx(slow_values(weights, cells))


@pytest.mark.compiled
def test_training_is_the_same_again_and_learns(tmp_path):
    config = NetTraining(board="3x3x3", episodes=30_000, hidden=32)
    net = train_window_net(config)
    for one, other in zip(net.weights, train_window_net(config).weights, strict=True):
        assert (one == other).all()
    exact, kept, count = ExactWindows(SPEC), 0, 0
    for cells in WINDOWS[::5]:
        truth = exact.values_of(*bits(cells, SPEC))
        legal = np.flatnonzero(np.isfinite(truth))
        if len({np.sign(truth[action]) for action in legal}) > 1:
            values, count = net.values_of(*bits(cells, SPEC)), count + 1
            kept += np.sign(truth[max(legal, key=values.__getitem__)]) == np.sign(truth.max())
    assert kept > 0.75 * count
    save_trained(net, config, tmp_path / "net.npz")
    again = load_window_net(tmp_path / "net.npz")
    assert again.spec == SPEC
    assert (again.values_of(0, 0) == net.values_of(0, 0)).all()


@pytest.mark.compiled
def test_a_step_follows_the_gradient():
    config = NetTraining(board="3x3x3", episodes=1, hidden=5, epsilon=1.0)
    before = Weights.random(SPEC, 5, np.random.default_rng(0))
    after = train_window_net(config).weights
    assert any((one != other).any() for one, other in zip(before, after, strict=True))
    assert all(np.isfinite(array).all() for array in after)


def test_the_shipped_net_is_for_4x4():
    assert load_window_net(shipped_window_net()).spec == GameSpec(4, 4, 4)


def test_bad_files_and_settings_are_one_clear_line(tmp_path):
    with pytest.raises(NetError, match="cannot be read"):
        load_window_net(tmp_path / "none.npz")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(NetError, match="not a net for windows"):
        load_window_net(tmp_path / "other.npz")
    weights = Weights.random(SPEC, 4, np.random.default_rng(0))
    WindowNet(SPEC, weights._replace(hidden=np.full(4, np.nan))).save(tmp_path / "nan.npz")
    with pytest.raises(NetError, match="arrays of the wrong kind"):
        load_window_net(tmp_path / "nan.npz")
    with pytest.raises(InvalidLimitError, match="there are no windows of 3x3x3/free"):
        NetTraining(board="tictactoe")
    with pytest.raises(ConfigError, match=r"window-net: .*hidden"):
        to_config({"hidden": 0}, NetTraining, "window-net")
