"""Discounts, rewards of steps and shaping: by hand, over whole games, and at the optimum."""

from types import SimpleNamespace

import numpy as np
import pytest

from inarow.adapters.kaggle_export.export import kaggle_source
from inarow.agents.registry import make_agent
from inarow.errors import InvalidLimitError, KaggleFileError
from inarow.games.position import Position
from inarow.games.spec import TIC_TAC_TOE, GameSpec
from inarow.learning.deep_q import boards
from inarow.learning.deep_q.config import Rewards
from inarow.learning.deep_q.opponents import AgentOpponents
from inarow.learning.deep_q.play import PlayedGames, choose_best, load_net_values, play_games
from inarow.learning.deep_q.trainer import Trainer
from tests.learning.deep_q.nets import config_of, write_net
from tests.twins import reference

GAMMA = 0.9
SHAPED = Rewards(win=1.0, draw=0.25, loss=-1.0, step=-0.1, shaping="windows", shaping_weight=0.5)


def phi(position: Position, side: int) -> float:
    """The potential of a board for a side, by its definition."""
    if position.is_over:
        return 0.0
    value = reference.heuristic("windows", position.to_array().tolist(), side, position.spec)
    return 0.5 * value / (1 + abs(value))


def plane_of(position: Position, side: int) -> np.ndarray:
    array = position.to_array()
    return np.where(array == 0, 0, np.where(array == side, 1, -1)).astype(np.float32)


class FirstLegal:
    """An opponent that always makes its first legal move."""

    def decide(self, position: Position):
        return SimpleNamespace(action=position.legal_actions[0])


def two_games(**arrays) -> PlayedGames:
    """Three moves of a game that is won, then the only one of a game that is lost."""
    nothing = np.zeros(0)
    return PlayedGames(
        results=np.array([boards.WON, boards.LOST]),
        plies=np.array([5, 2]),
        actions=nothing,
        planes=nothing,
        games=np.array([0, 0, 0, 1]),
        side=0,
        values=np.array([0.5, 0.2, 0.9, -0.1]),
        futures=np.array([0.6, 0.8, np.nan, np.nan]),
        **arrays,
    )


@pytest.mark.parametrize(
    ("terminal", "potentials", "expected"),
    [
        # q + 0.5 (r + 0.9 future - q): r is -0.1 before the last move, then 1 and -1
        ("blend", [0.0, 0.0, 0.0, 0.0], [0.47, 0.41, 0.95, -0.55]),
        ("reward", [0.0, 0.0, 0.0, 0.0], [0.47, 0.41, 1.0, -1.0]),
        # the net's q is 0.4, 0.4, 0.9, -0.4, and r is smaller by the potential
        ("blend", [0.1, -0.2, 0.0, 0.3], [0.37, 0.61, 0.95, -0.85]),
        ("reward", [0.1, -0.2, 0.0, 0.3], [0.37, 0.61, 1.0, -1.3]),
    ],
)
def test_targets_by_hand(terminal, potentials, expected):
    trainer = Trainer(config_of("4x4x4", alpha=0.5, gamma=GAMMA, rewards=SHAPED, terminal=terminal))
    assert trainer.targets(two_games(potentials=np.array(potentials))) == pytest.approx(expected)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("board", ["4x4x4", "tictactoe"])
def test_the_shaping_of_a_game_adds_up_to_the_first_potential(board, side):
    """Greedy games with alpha = 1: what a target has beyond the reward and the net's next value is F."""
    trainer = Trainer(config_of(board, alpha=1.0, gamma=GAMMA, rewards=SHAPED))
    played = trainer._play(trainer.net(), choose_best, 20, np.random.SeedSequence(3), side)
    targets, net_values = trainer.targets(played), played.values - played.potentials
    ends = {boards.WON: 1.0, boards.DRAWN: 0.25, boards.LOST: -1.0}
    spec, longest = GameSpec.parse(board), 0
    for game in range(20):
        moves = np.flatnonzero(played.games == game)
        position, afterstates = Position.start(spec), []
        for action in played.actions[game, : played.plies[game]].tolist():
            position = position.play(action)
            if position.ply % 2 != side:
                afterstates.append(position)
        potentials = [phi(each, side + 1) for each in afterstates]
        assert played.potentials[moves] == pytest.approx(potentials)
        rewards = [-0.1] * (len(moves) - 1) + [ends[played.results[game]]]
        following = [*net_values[moves][1:], 0.0]
        shaping = [
            target - reward - GAMMA * value
            for target, reward, value in zip(targets[moves], rewards, following, strict=True)
        ]
        nexts = [*potentials[1:], 0.0]
        assert shaping == pytest.approx([GAMMA * b - a for a, b in zip(potentials, nexts, strict=True)])
        assert sum(GAMMA**step * each for step, each in enumerate(shaping)) == pytest.approx(-potentials[0])
        longest = max(longest, len(moves))
    assert longest >= 4


class PerfectNet:
    """The exact values of all boards against `FirstLegal`, less their potentials."""

    def __init__(self, rewards: Rewards, side: int, *, is_shaped: bool) -> None:
        self.rewards, self.side, self.is_shaped = rewards, side, is_shaped
        self.known: dict[bytes, float] = {}
        start = Position.start(TIC_TAC_TOE)
        self.best(start if side == 1 else start.play(start.legal_actions[0]))

    def best(self, position: Position) -> float:
        return max(self.value(position.play(action)) for action in position.legal_actions)

    def value(self, after: Position) -> float:
        """Of a board after a move of the learner, without shaping."""
        answer = after if after.is_over else after.play(after.legal_actions[0])
        if answer.is_over:
            result = {None: self.rewards.draw, self.side: self.rewards.win}
            value = result.get(answer.winner, self.rewards.loss)
        else:
            value = self.rewards.step + GAMMA * self.best(answer)
        self.known[plane_of(after, self.side).tobytes()] = value - (phi(after, self.side) if self.is_shaped else 0.0)
        return value

    def run(self, planes: np.ndarray) -> list[np.ndarray]:
        return [np.array([[self.known[plane.tobytes()]] for plane in planes[:, 0]])]


@pytest.mark.parametrize("side", [0, 1])
def test_the_optimal_policy_is_the_one_without_shaping(side):
    """What perfect values less potentials are trained towards is themselves, and moves by them are the perfect ones."""
    rng, chosen = np.random.default_rng(5), {}
    for shaping in ("windows", None):
        rewards = Rewards(win=1.0, draw=0.25, loss=-1.0, step=-0.1, shaping=shaping, shaping_weight=0.5)
        trainer = Trainer(config_of("tictactoe", alpha=1.0, gamma=GAMMA, rewards=rewards, terminal="reward"))
        net = PerfectNet(rewards, side + 1, is_shaped=shaping is not None)

        def explore(keys, legal, values, games, shaping=shaping):
            for key, best in zip(keys.tolist(), np.isclose(values, values.max(axis=1, keepdims=True)), strict=True):
                chosen.setdefault(key, {})[shaping] = best.tolist()
            return np.where(np.isfinite(values), rng.random(values.shape), -1.0).argmax(axis=1)

        opponents = AgentOpponents(TIC_TAC_TOE, [FirstLegal() for _ in range(60)])
        played = play_games(net, TIC_TAC_TOE, opponents, explore, 60, side, potential=trainer._potential)
        assert trainer.targets(played) == pytest.approx(played.values - played.potentials)
        assert bool(played.potentials.any()) == (shaping is not None)
    compared = [found for found in chosen.values() if len(found) == 2]
    assert len(compared) > 15
    assert all(found["windows"] == found[None] for found in compared)


def test_a_shaped_net_plays_by_its_value_and_the_potential(tmp_path):
    plain = load_net_values(write_net(tmp_path / "plain.onnx", "4x4x4"))
    shaped = load_net_values(write_net(tmp_path / "shaped.onnx", "4x4x4", rewards=SHAPED))
    position = Position.parse("1123", GameSpec(4, 4, 4))
    potentials = [phi(position.play(action), 1) for action in position.legal_actions]
    assert shaped.values(position) - plain.values(position) == pytest.approx(potentials)
    assert len(set(potentials)) > 1
    decision = make_agent(f"dqn:net={tmp_path / 'shaped.onnx'}").decide(position)
    assert decision.action == int(shaped.values(position).argmax())
    with pytest.raises(KaggleFileError, match=r"rewards\.shaping cannot be exported"):
        kaggle_source(f"dqn:net={tmp_path / 'shaped.onnx'}", position.spec)


def test_the_curve_counts_steps_but_not_shaping():
    trainer = Trainer(config_of("tictactoe", rewards=SHAPED, episodes=10, batch=10))
    trainer.run_batch()
    (point,) = trainer.curve
    moves = np.ceil([len(game.moves) / 2 for game in trainer.last_games])
    expected = point.wins + 0.25 * point.draws - point.losses - 0.1 * (moves - 1).mean()
    assert point.reward == pytest.approx(expected)


def test_a_heuristic_that_does_not_exist_is_named():
    with pytest.raises(InvalidLimitError, match="there is no heuristic 'best'; heuristics are windows"):
        Trainer(config_of("4x4x4", rewards=Rewards(shaping="best")))
