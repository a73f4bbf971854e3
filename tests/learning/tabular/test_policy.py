"""Tabular learners that explore by a policy: flags, quantum draws and registered rules."""

import csv
from dataclasses import fields
from itertools import product

import numpy as np
import pytest

from inarow.agents.registry import make_agent
from inarow.errors import ConfigError, TableError
from inarow.games.kernels import bits_of
from inarow.games.position import Position
from inarow.learning.tabular import episode
from inarow.learning.tabular.q_table import QTable, row_bytes
from inarow.learning.tabular.run import QRun
from inarow.learning.tabular.trainer import CurvePoint, Trainer
from tests.learning.exploration import user_rules  # noqa: F401 it registers rules
from tests.learning.tabular.small_config import config

QUANTUM = {"rule": "quantum", "temperature": {"delta": 30.0}}


def opponent(text, seed):
    return make_agent(text, seed=seed)


def content(trainer: Trainer):
    """What it has learnt, without its curve."""
    rows, explorer = len(trainer.table), trainer.explorer.state()
    arrays = trainer.table.keys[:rows], trainer.table.values[:rows], trainer.table.visits[:rows], *explorer[1:]
    return [array.tolist() for array in arrays], explorer[0], trainer.state()["random"]


@pytest.mark.parametrize(
    ("rule", "text", "target"),
    [
        *product(
            ("epsilon-greedy", "classical", "quantum"),
            ("self", "random", "winblock", "frozen"),
            ("negamax", "own-turn"),
        ),
        ("quantum", "mcts:simulations=4", "negamax"),
    ],
)
def test_compiled_episodes_are_those_in_plain_python(rule, text, target):
    compare_compiled_with_plain(rule, text, target, "value")


@pytest.mark.parametrize(("text", "target"), [*product(("self", "winblock"), ("negamax", "own-turn"))])
def test_compiled_flags_by_reward_are_those_in_plain_python(text, target):
    trainer = compare_compiled_with_plain("quantum", text, target, "reward")
    _, flags = trainer.explorer.table.entries()
    by_value = compare_compiled_with_plain("quantum", text, target, "value").explorer.table.entries()[1]
    assert np.mean(np.bitwise_count(flags)) < np.mean(np.bitwise_count(by_value))


def compare_compiled_with_plain(rule, text, target, flags):
    phases = [{"episodes": 60, "opponent": text, "self_play": 0.2, "generations": 2}]
    policy = {"rule": rule, "temperature": {"delta": 5.0}, "flags": flags}
    settings = config(board="tictactoe", target=target, symmetry=True, phases=phases, policy=policy, report=50)
    compiled, plain = Trainer(settings), Trainer(settings)
    compiled.run(settings.episodes)
    plain._play = lambda episodes: plain._play_plainly(text, episodes)
    plain.run(settings.episodes)
    assert content(compiled) == content(plain)
    assert compiled.curve == plain.curve
    assert len(compiled.table) > 100
    return compiled


def test_flags_follow_rewards_of_the_learner():
    """Rewards of games against a fixed opponent: all choices but wins and draws lose their flags."""
    phases = [{"episodes": 80, "opponent": "winblock", "side": "first"}]
    policy = {"rule": "classical", "flags": "reward"}
    trainer = Trainer(config(board="tictactoe", target="own-turn", phases=phases, policy=policy))
    start = np.array([Position.start(trainer.config.spec).key], np.uint64)
    seen = [511]
    while not trainer.is_finished:
        trainer.run(1)
        seen.append(int(trainer.explorer.table.find(start)[0]))
        # The first move of a game is not its last one, so its reward is 0.
        removed, added = seen[-2] & ~seen[-1], seen[-1] & ~seen[-2]
        assert removed.bit_count() <= 1
        assert added == 0 or seen[-1] == 511
    assert seen.count(511) > 2
    assert 511 > min(seen) > 0


def test_a_board_of_many_actions_learns_by_flags():
    phases = [{"episodes": 40, "opponent": "random"}]
    trainer = Trainer(config(board="9x9x4/free", policy={"rule": "quantum"}, phases=phases, memory=64))
    trainer.run(40)
    keys, flags = trainer.explorer.table.entries()
    assert flags.shape == (len(keys), 5)
    assert trainer.explorer.metrics.decisions > 200
    again = Trainer(trainer.config)
    again.explorer.restore(*trainer.explorer.state())
    assert (again.explorer.table.find(keys) == flags).all()


@pytest.mark.compiled
@pytest.mark.parametrize("rule", ["quantum", "classical", "taking-turns"])
def test_a_stopped_run_ends_with_the_same_table_flags_and_curve(tmp_path, rule):
    phases = [
        {"episodes": 120, "random_starts": 0.3},
        {"episodes": 60, "opponent": "frozen", "generations": 2, "self_play": 0.3},
        {"episodes": 20, "opponent": "minimax:depth=1"},
    ]
    settings = config(board="tictactoe", phases=phases, policy={**QUANTUM, "rule": rule}, report=70, symmetry=True)
    QRun.start(settings, tmp_path / "whole", opponent).train()
    run, stops = QRun.start(settings, tmp_path / "broken", opponent), 0
    while not run.trainer.is_finished:
        run.trainer.run(37)
        run._save()
        run.trainer.run(5)  # lost
        run, stops = QRun.resume(tmp_path / "broken", opponent), stops + 1
    run.train()
    assert stops > 6
    whole = QRun.resume(tmp_path / "whole", opponent)
    assert content(run.trainer) == content(whole.trainer)
    assert run.curve == whole.curve
    names = [path.name for path in (tmp_path / "broken").glob("*.npz")]
    assert sorted(names) == ["flags-260.npz", "table.npz"]
    assert (tmp_path / "broken" / "curve.csv").read_bytes() == (tmp_path / "whole" / "curve.csv").read_bytes()
    (tmp_path / "broken" / "flags-260.npz").unlink()
    with pytest.raises(TableError, match=r"flags-260\.npz"):
        QRun.resume(tmp_path / "broken", opponent)


@pytest.mark.compiled
def test_quantum_draws_learn_tictactoe(tmp_path):
    phases = [{"episodes": 6000, "opponent": "winblock", "side": "second"}]
    settings = config(board="tictactoe", policy=QUANTUM, phases=phases, report=1000, symmetry=True)
    run = QRun.start(settings, tmp_path / "run")
    run.train()
    first, last = run.curve[0], run.curve[-1]
    assert last.reward > first.reward + 0.2
    assert last.losses < first.losses - 0.15
    assert last.decisions > first.decisions > 1000
    assert last.oracle_calls > 0
    assert 1.0 <= last.iterations < 5.0
    assert {point.epsilon for point in run.curve} == {0.0}
    columns = (tmp_path / "run" / "curve.csv").read_text().splitlines()[0]
    assert columns.endswith("epsilon,rows,iterations,oracle_calls,decisions")


def test_without_a_policy_the_curve_has_its_old_columns(tmp_path):
    QRun.start(config(), tmp_path / "run").train()
    with (tmp_path / "run" / "curve.csv").open() as file:
        columns = next(csv.reader(file))
    assert columns == [each.name for each in fields(CurvePoint)]
    assert columns[-2:] == ["epsilon", "rows"]


def test_mirror_images_share_their_flags():
    trainer = Trainer(config(board="4x4x3", policy=QUANTUM, symmetry=True, phases=[{"episodes": 400}]))
    trainer.run(400)
    flagged, layout = trainer.explorer.table, trainer._course.layout
    for moves in ("1", "12", "43"):
        position = Position.parse(moves, trainer.config.spec)
        images = (bits_of(each, layout) for each in (position, position.mirror()))
        seen = [episode.find_slots(*image, trainer._rules, layout) for image in images]
        (key, is_mirrored), (other, is_other_mirrored) = seen
        assert key == other
        assert is_mirrored != is_other_mirrored
        assert flagged.find(np.array([key], np.uint64))[0] > 0
    keys, flags = flagged.entries()
    assert (trainer.table.find(keys) >= 0).all()
    assert (flags > 0).all()


def test_positions_without_room_are_played_at_random():
    trainer = Trainer(config(board="4x4x4", policy=QUANTUM, phases=[{"episodes": 20}]))
    trainer.table = QTable(trainer.config.spec, memory=3 * row_bytes(trainer.config.spec))
    trainer.run(20)
    assert trainer.table.refused > 100
    assert len(trainer.table) == len(trainer.explorer.table) == 3
    assert 20 <= trainer.explorer.metrics.decisions <= 60


def test_a_users_rule_learns_as_the_built_in_one():
    phases = [{"episodes": 400, "opponent": "winblock", "side": "first"}]
    rewards = {}
    for rule in ("epsilon-greedy", "my-epsilon-greedy"):
        settings = config(board="tictactoe", policy={"rule": rule}, phases=phases, report=400)
        trainer = Trainer(settings)
        trainer.run(400)
        (point,) = trainer.curve
        rewards[rule] = point.reward
        assert point.decisions == 0
        assert point.iterations is None
    assert rewards["my-epsilon-greedy"] == pytest.approx(rewards["epsilon-greedy"], abs=0.25)


def test_the_epsilon_of_a_policy_is_in_the_curve():
    trainer = Trainer(config(policy={"rule": "epsilon-greedy"}, report=300))
    trainer.run(300)
    assert trainer.curve[-1].epsilon == pytest.approx(1 / np.log(301))


def test_an_unknown_rule_leaves_no_folder(tmp_path):
    with pytest.raises(ConfigError, match="no exploration rule 'best'"):
        QRun.start(config(policy={"rule": "best"}), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_agents_are_opponents_with_a_policy():
    settings = config(policy=QUANTUM, phases=[{"episodes": 30, "opponent": "greedy:epsilon=0.5"}], report=30)
    trainer = Trainer(settings, opponent)
    assert trainer._rules.opponent == episode.OTHER
    trainer.run(30)
    assert trainer.curve[-1].decisions > 60
