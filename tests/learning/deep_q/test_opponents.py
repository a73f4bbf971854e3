"""Past selves, mixtures and both sides."""

import numpy as np
import pytest
from msgspec.structs import replace

from inarow.agents.registry import make_agent
from inarow.arena.training import start_run
from inarow.errors import ConfigError
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.deep_q.boards import empty_boards
from inarow.learning.deep_q.config import OpponentShare, Pool
from inarow.learning.deep_q.opponents import MixedOpponents, NegamaxOpponents, PastOpponents, make_opponents
from inarow.learning.deep_q.play import Net
from inarow.learning.deep_q.pool import PastSelves
from inarow.learning.deep_q.run import DeepQRun
from inarow.learning.deep_q.trainer import Trainer, _slices
from inarow.learning.exploration.config import Policy
from inarow.web.training import check_document
from tests.learning.deep_q.nets import config_of, write_net
from tests.learning.exploration import user_rules  # noqa: F401 it registers rules

SPEC = GameSpec(4, 4, 4)
POOLED = config_of(
    "4x4x4",
    episodes=100,
    batch=10,
    lockstep=5,
    seed=2,
    side="alternating",
    pool=Pool(size=3, every=20, epsilon=0.1),
    opponents=(
        OpponentShare(agent="past", share=2.0),
        OpponentShare(agent="negamax:depth=1"),
        OpponentShare(agent="random"),
    ),
)


def opponent(text, seed):
    return make_agent(text, seed=seed)


@pytest.mark.parametrize("rule", ["quantum", "my-epsilon-greedy", "taking-turns"])
def test_a_stopped_run_with_past_selves_ends_with_the_same_files(tmp_path, rule):
    config = replace(POOLED, policy=Policy(rule=rule))
    DeepQRun.start(config, tmp_path / "whole", opponent).train()
    run = DeepQRun.start(config, tmp_path / "broken", opponent)
    while not run.trainer.is_finished:
        for _ in range(2):
            run._advance()
        run._save()
        if not run.trainer.is_finished:
            run._advance()  # lost
        run = DeepQRun.resume(tmp_path / "broken", opponent)
    run.train()
    assert len(run.trainer.past) == 3
    whole, broken = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir() if not path.name.startswith("events.")}
        for name in ("whole", "broken")
    )
    assert whole == broken


def test_the_first_net_plays_before_the_first_snapshot(tmp_path):
    trainer = Trainer(config_of("4x4x4", opponent="past", episodes=40, batch=10, pool=Pool(size=2, every=20)))
    first = trainer.net_content()
    inputs = np.random.default_rng(0).choice([-1, 0, 1], (4, 1, 4, 4)).astype(np.float32)

    def values(net) -> list[float]:
        return net.run(inputs)[0].ravel().tolist()

    (only,) = trainer.past.nets()
    assert values(only) == values(Net(first, "the first"))
    snapshots = []
    while not trainer.is_finished:
        assert len(trainer.past) == len(snapshots)
        trainer.run_batch()
        if trainer.episodes % 20 == 0:
            snapshots.append(values(trainer.net()))
    assert [values(net) for net in trainer.past.nets()] == snapshots
    assert len({tuple(each) for each in snapshots}) == 2


def test_the_oldest_snapshot_makes_room():
    made = []

    def make_net(weights):
        made.append(int(weights["w"]))
        return made[-1]

    past = PastSelves(Pool(size=2, every=5), {"w": np.array(0)}, make_net)
    assert past.nets() == [0]
    for number in (1, 2, 3):
        past.add({"w": np.array(number)})
        assert past.nets()[-1] == number
    assert past.nets() == [2, 3]
    assert made == [0, 1, 2, 3]  # each once
    other = PastSelves(Pool(size=2, every=5), {"w": np.array(0)}, make_net)
    other.restore(2, past.state())
    assert other.nets() == [2, 3]
    assert [past.is_due(*each) for each in ((0, 4), (5, 9))] == [False, False]
    assert [past.is_due(*each) for each in ((0, 5), (4, 6), (3, 20))] == [True, True, True]


def test_past_selves_are_drawn_evenly_and_move_greedily_but_for_epsilon(tmp_path):
    nets = [Net(write_net(tmp_path / f"{seed}.onnx", "4x4x4", seed).read_bytes(), "a net") for seed in range(3)]
    games, boards = np.arange(3000), empty_boards(compiled_layout(SPEC), 3000)
    agents = [make_agent(f"dqn:net={tmp_path / f'{seed}.onnx'}") for seed in range(3)]
    best = [agent.decide(Position.start(SPEC)).action for agent in agents]
    for epsilon in (0.0, 0.4):
        config = config_of("4x4x4", pool=Pool(epsilon=epsilon))
        past = PastOpponents(config, nets, 3000, np.random.default_rng(1))
        assert np.bincount(past._drawn) == pytest.approx([1000] * 3, abs=130)
        is_greedy = past.choose(boards, games) == np.array(best)[past._drawn]
        assert is_greedy.mean() == pytest.approx(1 - epsilon * 3 / 4, abs=0.05 if epsilon else 1e-9)


def test_a_mixture_keeps_its_shares_and_each_game_its_opponent():
    made = []

    def make(text, seed):
        made.append(text)
        return make_agent(text, seed=seed)

    mix = (OpponentShare(agent="winblock", share=3.0), OpponentShare(agent="negamax"), OpponentShare(agent="random"))
    found = make_opponents(config_of("4x4x4", opponents=mix), 1000, np.random.SeedSequence(1), make, list)
    assert isinstance(found, MixedOpponents)
    counts = np.bincount(found._which)
    assert counts / 1000 == pytest.approx([0.6, 0.2, 0.2], abs=0.06)
    assert made.count("winblock") == counts[0]
    assert made.count("random") == counts[2]
    alone = make_opponents(config_of("4x4x4"), 10, np.random.SeedSequence(1), make, list)
    assert isinstance(alone, NegamaxOpponents)


def test_a_learner_of_both_sides_plays_each_half_of_the_time():
    assert _slices(20, 5, "alternating") == [(20, 3, 0), (23, 2, 1)]
    assert _slices(7, 1, "alternating") == [(7, 1, 1)]
    assert _slices(20, 5, "second") == [(20, 5, 1)]
    trainer = Trainer(POOLED, opponent)
    trainer.run_batch()
    assert len(trainer.last_games) == 10
    test = trainer.test(9)
    assert test.wins + test.draws + test.losses == test.games == 9
    first, second = trainer.test(9, "first"), trainer.test(9, "second")
    assert first.games == second.games == 9


def test_training_against_past_selves_learns_to_beat_the_first_net(tmp_path):
    """Against its first net, which moves at random now and then, it wins more than that net against itself."""
    settings = {"episodes": 1200, "batch": 100, "lockstep": 100, "terminal": "reward", "side": "alternating"}
    config = config_of("4x4x3", opponent="past", pool=Pool(every=300, epsilon=0.2), **settings)
    trainer = Trainer(config)
    before = trainer.test(200)
    while not trainer.is_finished:
        trainer.run_batch()
    trainer.past.restore(0, {})
    after = trainer.test(200)
    assert after.wins - after.losses > before.wins - before.losses + 40


def test_opponents_that_do_not_exist_leave_no_folder(tmp_path):
    document = {"learner": "deep-q", "board": "4x4x4", "episodes": 10}
    for change, reason in [
        ({"opponents": [{"agent": "nobody"}]}, "no agent 'nobody'"),
        ({"opponents": [{"agnt": "past"}]}, "unknown field `agnt`|missing required field `agent`"),
        ({"policy": {"rule": "best"}}, "no exploration rule 'best'"),
    ]:
        with pytest.raises(ValueError, match=reason):
            start_run({**document, **change}, tmp_path / "run")
        assert not (tmp_path / "run").exists()
        with pytest.raises(ValueError, match=reason):
            check_document({**document, **change}, tmp_path)


def test_the_web_lab_keeps_past_selves_in_a_document(tmp_path):
    document = {"learner": "deep-q", "board": "4x4x4", "episodes": 10, "opponent": "past"}
    assert check_document(document, tmp_path)["opponent"] == "past"
    mixed = {**document, "opponents": [{"agent": "past", "share": 2}, {"agent": "random"}]}
    assert check_document(mixed, tmp_path)["opponents"] == mixed["opponents"]


def test_a_pool_needs_at_least_one_net():
    with pytest.raises(ConfigError, match=r"`int` >= 1 - at `\$\.pool\.size`"):
        start_run({"learner": "deep-q", "board": "4x4x4", "episodes": 1, "pool": {"size": 0}}, None)
