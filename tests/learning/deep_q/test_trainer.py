"""Training against slow, obvious twins: game after game on positions."""

import numpy as np
import pytest

from inarow.agents.registry import make_agent, parse_agent
from inarow.errors import ConfigError
from inarow.games.kernels import bits_of, compiled_layout, hash_key
from inarow.games.position import Position
from inarow.learning.deep_q import boards
from inarow.learning.deep_q.config import DeepQConfig, Network, Rewards
from inarow.learning.deep_q.opponents import AgentOpponents, negamax_settings
from inarow.learning.deep_q.play import NetValues, choose_best, play_games
from inarow.learning.deep_q.trainer import Checkpoint, Trainer
from inarow.learning.exploration.config import Policy

SMALL = Network(filters=(4,), dense=(5,))


def config_of(board: str = "6x7x4", **settings) -> DeepQConfig:
    return DeepQConfig(
        **{"learner": "deep-q", "board": board, "episodes": 30, "network": SMALL, "batch": 20, "seed": 3} | settings
    )


def make_opponent(text, seed):
    return make_agent(text, seed=seed)


def plane_of(position: Position, side: int) -> np.ndarray:
    array = position.to_array().astype(np.float32)
    return np.where(array == 0, 0, np.where(array == side + 1, 1, -1))


def greedy_twin(trainer: Trainer, seeds, side: int):
    """Greedy games one by one: results, plies, and (board, value, future) of each move, game by game."""
    values = NetValues(trainer.net())
    results, plies, moves = [], [], []
    for seed in seeds:
        opponent = make_agent(trainer.config.opponent, seed=seed)
        position, kept = Position.start(trainer.config.spec), []
        while not position.is_over:
            if position.ply % 2 == side:
                found = values.values(position)
                if kept:
                    kept[-1][2] = found.max()
                action = int(found.argmax())
                position = position.play(action)
                kept.append([plane_of(position, side), found[action], np.nan])
            else:
                position = position.play(opponent.decide(position).action)
        results.append({None: boards.DRAWN, side + 1: boards.WON}.get(position.winner, boards.LOST))
        plies.append(position.ply)
        moves.append(kept)
    return results, plies, moves


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(("board", "opponent"), [("6x7x4", "winblock"), ("4x4x4", "negamax"), ("9x9x4", "greedy")])
def test_games_together_are_games_alone(board, opponent, side):
    trainer = Trainer(config_of(board, opponent=opponent, network=Network(filters=(6, 6), dense=(7,))))
    seeds = np.random.SeedSequence(4).spawn(12)
    spec = trainer.config.spec
    opponents = AgentOpponents(spec, [make_agent(opponent, seed=seed) for seed in seeds])
    played = play_games(trainer.net(), spec, opponents, choose_best, 12, side)
    results, plies, moves = greedy_twin(trainer, seeds, side)
    assert played.results.tolist() == results
    assert played.plies.tolist() == plies
    assert len(set(plies)) > 1
    for game, kept in enumerate(moves):
        of_game = played.games == game
        assert (played.planes[of_game] == [plane for plane, _, _ in kept]).all()
        np.testing.assert_allclose(played.values[of_game], [value for _, value, _ in kept], atol=1e-5)
        np.testing.assert_allclose(played.futures[of_game], [future for _, _, future in kept], atol=1e-5)


@pytest.mark.parametrize("terminal", ["blend", "reward"])
def test_targets_are_those_of_the_formula(terminal):
    rewards = Rewards(win=2.0, draw=0.25, loss=-3.0)
    trainer = Trainer(config_of("4x4x4", terminal=terminal, alpha=0.6, rewards=rewards, opponent="negamax"))
    played = trainer._play_group(trainer.net(), 0, 20, 0)
    targets = trainer.targets(played)
    by_result = {boards.WON: 2.0, boards.DRAWN: 0.25, boards.LOST: -3.0}
    for move, target in enumerate(targets):
        q = played.values[move]
        if np.isnan(played.futures[move]):
            reward = by_result[played.results[played.games[move]]]
            assert target == pytest.approx(reward if terminal == "reward" else 0.4 * q + 0.6 * reward)
        else:
            assert target == pytest.approx(q + 0.6 * (played.futures[move] - q))
    assert np.isnan(played.futures).sum() == 20


@pytest.mark.parametrize("rule", ["quantum", "classical", "epsilon-greedy"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_net_without_finite_values_has_diverged(rule, value):
    trainer = Trainer(config_of("4x4x4", policy=Policy(rule=rule)))
    reached = trainer.checkpoint()
    broken = {**reached.arrays, "dense1.bias": np.full(1, value, np.float32)}
    trainer.restore(Checkpoint(reached.state, broken), "test")
    with pytest.raises(ConfigError, match=r"the net has diverged.*lower learning_rate"):
        trainer.run_batch()


def trained(**settings) -> Trainer:
    trainer = Trainer(config_of(**settings), make_opponent)
    while not trainer.is_finished:
        trainer.run_batch()
    return trainer


def test_what_is_learnt_follows_from_the_config():
    first, same, other = trained(), trained(), trained(seed=4)
    assert first.curve == same.curve
    assert first.net_content() == same.net_content()
    assert first.test(50) == first.test(50) == same.test(50)
    assert first.net_content() != other.net_content()


def test_the_curve_reports_each_batch():
    trainer = trained(policy=Policy(rule="classical"))
    assert [(point.episode, point.episodes) for point in trainer.curve] == [(20, 20), (30, 10)]
    for point in trainer.curve:
        assert point.wins + point.draws + point.losses == pytest.approx(1)
        assert point.reward == pytest.approx(point.wins + 0.5 * point.draws - point.losses)
    last = trainer.curve[-1]
    decisions = sum(point.plies * point.episodes for point in trainer.curve) / 2
    assert abs(last.decisions - decisions) <= 15  # the learner moves first: half a move more in odd games
    assert 1 <= last.iterations <= 5
    assert last.states <= last.decisions


@pytest.mark.parametrize("opponent", ["winblock", "mcts:simulations=10", "negamax:depth=3,omega=0.5"])
def test_any_agent_can_be_the_opponent(opponent):
    trainer = trained(board="4x4x4", opponent=opponent, episodes=10, side="second")
    test = trainer.test(10)
    assert test.wins + test.draws + test.losses == 10


def test_one_game_after_the_other_is_lockstep_1():
    """The same training with other random streams."""
    alone, together = (trained(lockstep=lockstep, policy=Policy(rule="classical")) for lockstep in (1, 20))
    assert alone.curve[-1].episode == together.curve[-1].episode
    assert alone.curve != together.curve


def test_negamax_strings_are_understood_as_the_agent_understands_them():
    for text in ("negamax", "negamax:depth=4", "negamax:omega=0.5,depth=6", "negamax:omega=1"):
        found = negamax_settings(text)
        _, parameters = parse_agent(text)
        assert found == (parameters.depth, parameters.omega)
    assert negamax_settings("mcts") is None
    assert negamax_settings("negamax:depth=x") is None


@pytest.mark.parametrize("side", ["first", "second"])
def test_flags_follow_the_rewards_of_games(side):
    """One game after the other: a choice loses its flag unless it won or drew, and the last flag brings back all."""
    policy = Policy(rule="classical", flags="reward")
    trainer = Trainer(config_of("tictactoe", side=side, lockstep=1, policy=policy, episodes=60))
    expected: dict[int, set[int]] = {}
    layout = compiled_layout(trainer.config.spec)
    while not trainer.is_finished:
        trainer.run_batch()
        for game in trainer.last_games:
            position, is_learner = Position.start(trainer.config.spec), side == "first"
            decisions = []
            for action in (int(word) - 1 for word in game.moves):
                if is_learner:
                    decisions.append((position, action))
                position, is_learner = position.play(action), not is_learner
            points = game.result if side == "first" else -game.result
            for number, (before, action) in enumerate(decisions):
                is_last = number == len(decisions) - 1
                key = int(hash_key(*bits_of(before, layout), layout))
                flags = expected.setdefault(key, set(before.legal_actions))
                if len(before.legal_actions) > 1:
                    flags = flags | {action} if is_last and points >= 0 else flags - {action}
                    expected[key] = flags or set(before.legal_actions)
    keys, flags = trainer.explorer.table.entries()
    found = {
        int(key): {action for action in range(9) if mask >> action & 1} for key, mask in zip(keys, flags, strict=True)
    }
    assert found == expected
    assert any(len(each) < 5 for each in found.values())
