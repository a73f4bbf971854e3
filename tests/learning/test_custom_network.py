"""Modules of torch in the place of the networks of inarow: they train, play, resume, and bad ones are one line."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from inarow.agents.registry import make_agent
from inarow.arena.training import resume_run, start_run
from inarow.errors import ConfigError, InarowError, NetError
from inarow.games.position import Position
from inarow.games.spec import TIC_TAC_TOE, GameSpec
from inarow.learning.alphazero.learner import AlphaZeroLearner
from inarow.learning.alphazero.run import AlphaZeroRun
from inarow.learning.config import find_document
from inarow.learning.deep_q.run import DeepQLearner
from inarow.learning.learner import Services
from inarow.learning.net_file import net_evaluator, open_net
from inarow.learning.pretrained import find_net
from inarow.learning.torch_module import _Export
from inarow.search.tree.evaluation import planes_of
from tests.learning.alphazero.tiny_runs import tiny
from tests.learning.deep_q.nets import config_of
from tests.learning.modules import PolicyModule, ValueModule

ALPHAZERO, DEEP_Q = AlphaZeroLearner(), DeepQLearner()
POLICY, VALUE = Services(network=PolicyModule), Services(network=ValueModule)
SMALL_Q = config_of("4x4x4", episodes=300, batch=50, lockstep=50, seed=2)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith("events.")}


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> AlphaZeroRun:
    run = ALPHAZERO.start(tiny(iterations=3), tmp_path_factory.mktemp("run") / "run", POLICY)
    run.train()
    return run


def test_alphazero_trains_a_module_and_plays_it_without_torch(trained):
    losses = [point.value_loss for point in trained.curve if point.value_loss is not None]
    assert losses[-1] < losses[0]
    assert trained.config.network.module == "PolicyModule"
    net = find_net(str(trained.product))
    assert (net.about.config["network"]["module"], net.about.board) == ("PolicyModule", "3x3x3/free")
    assert make_agent(f"alphazero:net={trained.product},simulations=20").decide(Position.start(TIC_TAC_TOE)).action >= 0
    planes = np.stack([planes_of(Position.parse(moves, TIC_TAC_TOE)) for moves in ("", "5", "51", "5137")])
    logits, values = net_evaluator(net)(planes)
    module = PolicyModule(9, TIC_TAC_TOE)
    module.load_state_dict(
        {name.removeprefix("module."): torch.from_numpy(array) for name, array in trained.trainer.weights().items()},
        strict=False,  # the count of batches is no weight
    )
    with torch.no_grad():
        expected_logits, expected_values = module.eval()(torch.from_numpy(planes))
    assert logits == pytest.approx(expected_logits.numpy(), abs=1e-4)
    assert values == pytest.approx(expected_values.numpy(), abs=1e-4)
    assert np.ptp(values) > 1e-3
    content = trained.product.read_bytes()
    assert b"modules.py" not in content
    assert b"PolicyModule.forward" not in content


def test_an_alphazero_run_of_a_module_continues(trained):
    again = ALPHAZERO.resume(trained.folder, ["iterations=+1"], POLICY)
    batch = trained.replay.draw(16, 100, np.random.default_rng(0), mirror=False)
    assert trained.trainer.step(batch, 0.5) == again.trainer.step(batch, 0.5)  # with the same units dropped
    pairs = zip(trained.trainer.weights().values(), again.trainer.weights().values(), strict=True)
    assert all(np.array_equal(one, other) for one, other in pairs)
    again.train()
    assert again.state.iterations == 4


def test_first_weights_follow_from_the_seed(tmp_path):
    def first(name: str, seed: int) -> list[np.ndarray]:
        torch.rand(3)  # whatever was drawn before
        return list(ALPHAZERO.start(tiny(seed=seed), tmp_path / name, POLICY).trainer.weights().values())

    one, same, other = first("a", 1), first("b", 1), first("c", 2)
    assert all(np.array_equal(each, twin) for each, twin in zip(one, same, strict=True))
    assert not np.array_equal(one[0], other[0])


def test_deep_q_trains_a_module_and_ends_with_the_same_files_when_it_was_stopped(tmp_path):
    whole = DEEP_Q.start(SMALL_Q, tmp_path / "whole", VALUE)
    assert whole.train().agent == f"dqn:net={whole.product}"
    assert whole.trainer.config.network.module == "ValueModule"

    def stop(progress):
        if progress.done == 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DEEP_Q.start(SMALL_Q, tmp_path / "broken", VALUE).train(stop)
    DEEP_Q.resume(tmp_path / "broken", [], VALUE).train()
    assert files(tmp_path / "whole") == files(tmp_path / "broken")
    decision = make_agent(f"dqn:net={whole.product}").decide(Position.start(GameSpec.parse("4x4x4")))
    assert np.ptp([score for score in decision.scores if score is not None]) > 0


# --- The graph ---


class Tied(nn.Module):
    """One weight under two names, one that is not used, and an integer that changes nothing."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(16, 16)
        self.again = nn.Linear(16, 16)
        self.again.weight = self.inner.weight
        self.unused = nn.Parameter(torch.zeros(3))
        self.register_buffer("order", torch.arange(16))
        self.last = nn.Linear(16, 1)

    def forward(self, boards):
        return self.last(torch.relu(self.again(torch.relu(self.inner(boards.flatten(1)[:, self.order])))))[:, 0]


@pytest.mark.parametrize(("module", "is_replaceable"), [(Tied, True), (ValueModule, False)])
def test_a_published_graph_has_the_present_weights(tmp_path, monkeypatch, module, is_replaceable):
    if not is_replaceable:
        monkeypatch.setattr(_Export, "_has_all_weights", lambda *_: False)
    run = DEEP_Q.start(SMALL_Q, tmp_path, Services(network=module))
    first = run.trainer.net()
    run.trainer.run_batch()
    boards = np.random.default_rng(0).integers(-1, 2, (7, 1, 4, 4)).astype(np.float32)
    trained = run.trainer._trained
    trained._network.eval()
    with torch.no_grad():
        expected = trained.values(torch.from_numpy(boards)).numpy()
    (found,) = run.trainer.net().run(boards)
    assert found[:, 0] == pytest.approx(expected, abs=1e-4)
    assert found != pytest.approx(first.run(boards)[0], abs=1e-3)


def test_a_graph_is_exported_once_and_in_silence(tmp_path, monkeypatch, capfd, recwarn):
    exports = []
    export = torch.onnx.export
    monkeypatch.setattr("torch.onnx.export", lambda *args, **settings: exports.append(1) or export(*args, **settings))
    DEEP_Q.start(SMALL_Q, tmp_path, VALUE).train()
    assert len(exports) == 1
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


def test_a_graph_that_answers_otherwise_is_refused(tmp_path, monkeypatch):
    class Noisy(ValueModule):
        def forward(self, boards):
            return super().forward(boards) + torch.rand(len(boards), 1)

    with pytest.raises(NetError, match="the network Noisy has other outputs in ONNX Runtime than in torch, by"):
        DEEP_Q.start(SMALL_Q, tmp_path / "run", Services(network=Noisy))
    assert not (tmp_path / "run").exists()


# --- Refusals ---


class Answering(nn.Module):
    """Answers with the given function."""

    def __init__(self, answers, *, weight=None):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1) if weight is None else weight)
        self.answers = answers

    def forward(self, planes):
        return self.answers(planes * self.weight)


def even(x):
    return x[:, 0], x[:, 0, 0, 0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Answering(lambda x: x[:, 0]),
            r"the network Answering answers \(4, 3, 3\) for planes \(4, 9, 3, 3\); "
            r"AlphaZero needs logits \(4, 3, 3\) and values \(4,\) or \(4, 1\)",
        ),
        (lambda: Answering(lambda x: (x[:, 0].flatten(1), x[:, 0, 0, 0])), r"answers \[\(4, 9\), \(4,\)\] for planes"),
        (lambda: Answering(lambda x: (x[:, 0], x[:, 0])), r"answers \[\(4, 3, 3\), \(4, 3, 3\)\] for planes"),
        (lambda: Answering(lambda x: {"logits": x}), "answers dict for planes"),
        (lambda: Answering(lambda x: (x[:, 0], x[:, 2, 0, 0] * 3)), r"values outside \[-1, 1\]; end it with"),
        (lambda: Answering(lambda x: (x[:, 0], x[:, 0, 0, 0] * torch.nan)), r"values outside \[-1, 1\]"),
        (
            lambda: Answering(lambda x: x.view(1)),
            r"fails on an input of shape \(4, 9, 3, 3\): shape '\[1\]' is invalid",
        ),
        (lambda: Answering(even, weight=torch.ones(1, dtype=torch.float64)), "has weights of torch.float64"),
        (lambda: nn.Flatten(), "the network Flatten has no parameters to train"),
        (lambda: 3, "must return a torch.nn.Module, not int"),
        (Answering(even), "is a module; pass a class or function that returns one: network=Answering"),
    ],
)
def test_modules_that_do_not_fit_are_refused_before_there_is_a_folder(tmp_path, make, message):
    with pytest.raises(NetError, match=message) as error:
        ALPHAZERO.start(tiny(), tmp_path / "run", Services(network=make))
    assert "\n" not in str(error.value)
    assert not (tmp_path / "run").exists()


def test_a_module_of_other_values_is_refused_by_deep_q(tmp_path):
    def make():
        return Answering(lambda x: x.flatten(1))

    with pytest.raises(NetError, match=r"answers \(4, 16\) for boards \(4, 1, 4, 4\); deep Q-learning needs values"):
        DEEP_Q.start(SMALL_Q, tmp_path / "run", Services(network=make))
    assert not (tmp_path / "run").exists()


def test_networks_of_ones_own_need_one_board_and_no_start(tmp_path, trained):
    boards = {"rows": [3, 4], "columns": [4, 5], "inarow": [3, 3]}
    for changes, message in (
        ({"board": None, "boards": boards}, "can only learn one board; give board instead of boards"),
        ({"start": "tictactoe", "network": {"channels": 32, "blocks": 2}}, "start is for inarow's own network"),
    ):
        with pytest.raises(InarowError, match=message):
            ALPHAZERO.start(tiny(**changes), tmp_path / "run", POLICY)
        assert not (tmp_path / "run").exists()
    with pytest.raises(
        NetError, match="is of the network PolicyModule; start only accepts nets of inarow's own network"
    ):
        ALPHAZERO.start(tiny(start=str(trained.product)), tmp_path / "run", Services())


@pytest.mark.parametrize(("learner", "config", "own"), [(ALPHAZERO, tiny(), POLICY), (DEEP_Q, SMALL_Q, VALUE)])
def test_a_run_continues_with_its_own_network_only(tmp_path, learner, config, own):
    learner.start(config, tmp_path / "own", own)
    learner.start(config, tmp_path / "ours", Services())
    with pytest.raises(
        ConfigError, match=r"uses your network (Policy|Value)Module: resume it from Python with network="
    ):
        learner.resume(tmp_path / "own", [], Services())
    with pytest.raises(ConfigError, match=r"the run uses the network (Policy|Value)Module, not Tied"):
        learner.resume(tmp_path / "own", [], Services(network=Tied))
    with pytest.raises(ConfigError, match="the run uses inarow's own network; resume it without network=Tied"):
        learner.resume(tmp_path / "ours", [], Services(network=Tied))


def test_learners_without_a_network_say_so(tmp_path):
    document = find_document("tictactoe-q", ["phases.0.episodes=10"])
    with pytest.raises(
        ConfigError, match="the learner q cannot train your network; learners that can: deep-q, alphazer"
    ):
        start_run(document, tmp_path / "run", network=PolicyModule)
    assert not (tmp_path / "run").exists()
    start_run(document, tmp_path / "run").train()
    with pytest.raises(ConfigError, match="cannot train your network"):
        resume_run(tmp_path / "run", network=PolicyModule)


def test_sizes_given_as_a_network_are_refused_with_the_way_to_give_them(tmp_path):
    refusal = r"network is .*filters.*, not a class or a function; sizes are network__KEY="
    with pytest.raises(ConfigError, match=refusal):
        start_run(find_document("4x4x4-dqn"), tmp_path / "run", network={"filters": [8]})
    assert not (tmp_path / "run").exists()


def test_training_from_python_takes_a_network(tmp_path):
    document = find_document("4x4x4-dqn", ["episodes=20", "batch=10"])
    start_run(document, tmp_path / "run", network=ValueModule).train()
    assert open_net(tmp_path / "run" / "net.onnx", "deep-q").about.config["network"]["module"] == "ValueModule"
    assert resume_run(tmp_path / "run", network=ValueModule).progress.done == 20
