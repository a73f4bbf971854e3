"""Traces, kept moves and reflections."""

import numpy as np
import pytest

from inarow.learning.deep_q import boards
from inarow.learning.deep_q.config import Replay, Rewards
from inarow.learning.deep_q.play import PlayedGames
from inarow.learning.deep_q.replay import KeptMoves
from inarow.learning.deep_q.trainer import Trainer
from tests.learning.deep_q.nets import config_of


def two_games() -> PlayedGames:
    """Moves in the order of plies: three of a game that is won, two of one that is lost."""
    nothing = np.zeros(0)
    return PlayedGames(
        results=np.array([boards.WON, boards.LOST]),
        plies=np.array([5, 4]),
        actions=nothing,
        planes=nothing,
        games=np.array([0, 1, 0, 1, 0]),
        side=0,
        values=np.zeros(5),
        potentials=np.zeros(5),
        futures=np.array([0.6, -0.2, 0.8, np.nan, np.nan]),
    )


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        (0.0, [0.44, -0.28, 0.62, -1.0, 1.0]),  # -0.1 + 0.9 future, and the rewards of last moves
        (1.0, [-0.1 + 0.9 * 0.8, -1.0, 0.8, -1.0, 1.0]),  # what followed in the game
        # the last but one: -0.1 + 0.9 (0.5 * 0.8 + 0.5 * 1), and the first: -0.1 + 0.9 (0.5 * 0.6 + 0.5 * 0.71)
        (0.5, [0.4895, -0.64, 0.71, -1.0, 1.0]),
    ],
)
def test_traces_by_hand(trace, expected):
    rewards = Rewards(win=1.0, draw=0.0, loss=-1.0, step=-0.1)
    trainer = Trainer(config_of("4x4x4", alpha=1.0, gamma=0.9, trace=trace, rewards=rewards))
    assert trainer.targets(two_games()) == pytest.approx(expected)


def moves(numbers: range) -> tuple[np.ndarray, np.ndarray]:
    """Boards of one cell that hold numbers, and targets ten times as large."""
    values = np.array(numbers, np.float32)
    return values[:, None, None], 10 * values


def test_the_latest_moves_are_kept_and_drawn_once_each():
    kept = KeptMoves(Replay(size=6, ratio=1.5), 1, 1)
    kept.add(*moves(range(4)))
    kept.add(*moves(range(4, 8)))
    assert len(kept) == 6
    planes, targets = kept.extended(*moves(range(100, 102)), np.random.default_rng(0))
    assert planes[:2].ravel().tolist() == [100, 101]
    assert (targets == 10 * planes.ravel()).all()
    drawn = planes[2:].ravel().tolist()
    assert len(drawn) == len(set(drawn)) == 3
    assert set(drawn) <= set(range(2, 8))
    everything, _ = kept.extended(*moves(range(100, 110)), np.random.default_rng(0))
    assert sorted(everything[10:].ravel().tolist()) == list(range(2, 8))


@pytest.mark.parametrize("arithmetic", ["fast", "portable"])
def test_a_training_continues_with_its_kept_moves(arithmetic):
    settings = {"episodes": 60, "batch": 20, "side": "alternating", "opponent": "negamax", "mirror": True}
    config = config_of("4x4x4", replay=Replay(size=70), trace=0.7, arithmetic=arithmetic, **settings)
    whole, second = Trainer(config), Trainer(config)
    whole.run_batch()
    second.restore(whole.checkpoint(), "it")
    for trainer in (whole, second):
        trainer.run_batch()
        trainer.run_batch()
    assert len(whole._kept) == 70
    assert all((second._trained.weights()[name] == array).all() for name, array in whole._trained.weights().items())


def test_reflected_boards_are_fitted():
    """The right half of the boards is empty; only reflections train the weights of its cells."""
    fitted = []
    trainer = Trainer(config_of("4x4x4", mirror=True))
    trainer._trained.fit = lambda planes, targets, rng: fitted.append(planes) or 0.0
    planes = np.zeros((200, 4, 4), np.float32)
    planes[:, 3, 0] = np.arange(200)
    trainer._fit(planes, np.zeros(200, np.float32))
    (found,) = fitted
    is_reflected = found[:, 3, 3] == np.arange(200)
    assert (is_reflected | (found[:, 3, 0] == np.arange(200))).all()
    assert 60 < is_reflected.sum() < 140


def test_a_test_takes_any_opponent():
    trainer = Trainer(config_of("4x4x4", opponent="negamax:depth=1", side="alternating"))
    assert trainer.test(10, "second", "negamax:depth=3") == trainer.test(10, "second", "negamax:depth=3")
    other = Trainer(config_of("4x4x4", opponent="negamax:depth=3", side="alternating"))
    assert trainer.test(10, "second", "negamax:depth=3") == other.test(10, "second")
