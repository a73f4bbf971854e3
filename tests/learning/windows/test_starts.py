"""Random boards as starts of episodes."""

import numpy as np
import pytest

from inarow.errors import ConfigError
from inarow.games.kernels import compiled_layout, kernel
from inarow.games.layout import layout_of
from inarow.games.rules import has_line
from inarow.games.spec import GameSpec
from inarow.learning.tabular.config import Phase
from inarow.learning.tabular.lookup import TableValues
from inarow.learning.tabular.trainer import Trainer
from inarow.learning.windows.exact import ExactWindows
from inarow.learning.windows.starts import random_board
from tests.learning.tabular.small_config import config
from tests.twins.windows import all_windows, bits


@kernel
def draw(layout, rng):
    return random_board(layout, rng)


@pytest.mark.parametrize("board", ["3x3x3", "4x4x4", "5x5x2", "6x7x4"])
def test_random_boards_are_sound(board):
    spec = GameSpec.parse(board)
    layout, rng, differences = layout_of(spec), np.random.default_rng(1), set()
    for _ in range(150):
        mine, both, count = map(int, draw(compiled_layout(spec), rng))
        assert mine & ~both == 0
        assert count == both.bit_count() < spec.cells
        assert not has_line(mine, layout)
        assert not has_line(both ^ mine, layout)
        assert both & ~layout.board == 0
        for column in range(spec.columns):  # no stone above an empty cell
            column_cells = both >> column * layout.stride & (1 << spec.rows) - 1
            assert column_cells & column_cells + 1 == 0
        differences.add(2 * mine.bit_count() - count)
    assert min(differences) < 0  # either side may have more stones,
    assert max(differences) > 1  # by more than one


@pytest.mark.compiled
def test_training_from_boards_meets_every_window_and_learns_its_value():
    settings = config(
        board="3x3x3",
        alpha=0.5,
        gamma=0.9,
        phases=[{"episodes": 60_000, "random_starts": 1.0, "starts": "boards"}],
        exploration={"start": 0.5, "floor": 0.5},
    )
    trainer = Trainer(settings)
    trainer.run(settings.episodes)
    table, exact, spec = TableValues(trainer.table, settings), ExactWindows(GameSpec(3, 3, 3), 0.9), settings.spec
    kept = met = count = 0
    for cells in all_windows(spec):
        own, both = bits(cells, spec)
        layout = layout_of(spec)
        if both == layout.board or has_line(own, layout) or has_line(both ^ own, layout):
            continue
        count += 1
        values, truth = table.values_of(own, both), exact.values_of(own, both)
        if values is not None:
            met += 1
            best = max(np.flatnonzero(np.isfinite(truth)), key=lambda action: values[action])
            kept += np.sign(truth[best]) == np.sign(truth.max())
    assert met == count
    assert kept > 0.97 * count


def test_random_boards_need_gravity_and_a_compiled_opponent():
    boards = {"episodes": 5, "random_starts": 1.0, "starts": "boards"}
    with pytest.raises(ConfigError, match="starts = boards needs a board with gravity, not 3x3x3/free"):
        config(board="tictactoe", phases=[boards])
    with pytest.raises(ConfigError, match="starts = boards needs an opponent among self, frozen, random"):
        Trainer(config(phases=[boards | {"opponent": "greedy"}]))
    assert Phase(episodes=1).starts == "moves"
