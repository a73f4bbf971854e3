"""Exploration on Aer against the closed form, statistically."""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from inarow.errors import ConfigError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.learning.deep_q.config import DeepQConfig, Network
from inarow.learning.deep_q.trainer import Trainer as DeepQTrainer
from inarow.learning.exploration.agreement import homogeneity
from inarow.learning.exploration.config import Policy, Temperature
from inarow.learning.exploration.explorer import Explorer
from inarow.learning.exploration.plain_explorer import is_compiled, make_explorer
from inarow.learning.tabular.trainer import Trainer
from tests.learning.tabular.small_config import config
from tests.twins.exploration import bits

needs_qiskit = pytest.mark.skipif(not find_spec("qiskit_aer"), reason="the extra `quantum` is not installed")
COLD = Temperature(span=0.0, floor=0.5)


def decide(explorer, decisions, rng, legal):
    """The actions of equal decisions in positions that were met before: only 1 and 4 are flagged there."""
    keys = np.arange(decisions, dtype=np.uint64)
    explorer.restore(dict.fromkeys(explorer.state()[0], 0), keys, np.full(decisions, bits([1, 4])))
    values = np.tile(np.linspace(0.5, -0.5, 7), (decisions, 1))
    return explorer.choose(keys, np.full(decisions, bits(legal)), values, explorer.heat(np.ones(decisions)), rng)


@needs_qiskit
@pytest.mark.parametrize(
    "changes", [{}, {"amplification": "optimal", "rounds": 2}, {"presamples": 1, "column_oracle": True}]
)
def test_decisions_have_the_same_distribution_and_cost(changes):
    legal = [1, 2, 3, 4, 6]
    policy = Policy(temperature=COLD, **changes)
    explorer = make_explorer(CONNECT_FOUR, Policy(temperature=COLD, backend="aer", **changes))
    assert not is_compiled(explorer)
    closed = Explorer(CONNECT_FOUR, policy)
    few = np.bincount(decide(explorer, 400, np.random.default_rng(1), legal), minlength=7)
    many = np.bincount(decide(closed, 20_000, np.random.default_rng(2), legal), minlength=7)
    assert homogeneity(few, many) > 1e-4
    aer, exact = explorer.metrics, closed.metrics
    assert aer.decisions == 400
    for name in ("rounds", "oracle_calls", "hits"):
        assert getattr(aer, name) / 400 == pytest.approx(getattr(exact, name) / 20_000, rel=0.25), name
    _, keys, flags = explorer.state()
    assert len(keys) == 400
    assert not np.any(flags & ~bits([1, 2, 3, 4, 6]))


@needs_qiskit
def test_both_learners_train_on_aer():
    policy = Policy(backend="aer")
    settings = config(board="tictactoe", policy={"backend": "aer"}, phases=[{"episodes": 12, "opponent": "winblock"}])
    tabular = Trainer(settings)
    tabular.run(12)
    assert tabular.explorer.metrics.oracle_calls > 0
    net = Network(filters=(4,), dense=(5,))
    deep = DeepQTrainer(DeepQConfig(learner="deep-q", board="4x4x3", episodes=12, batch=6, network=net, policy=policy))
    while not deep.is_finished:
        deep.run_batch()
    assert deep.curve[-1].decisions == deep.explorer.metrics.decisions > 12
    again = Trainer(settings)
    again.run(12)
    assert again.explorer.state()[0] == tabular.explorer.state()[0]


@needs_qiskit
def test_a_board_of_many_actions():
    spec = GameSpec.parse("9x9x5/free")
    explorer = make_explorer(spec, Policy(backend="aer", amplification="optimal"))
    start, rng = Position.start(spec), np.random.default_rng(0)
    for _ in range(3):
        assert explorer.choose_in(start, -np.ones(81), 1, rng) in range(81)
    assert explorer.metrics.states == 1


@needs_qiskit
def test_too_many_steps_are_refused():
    explorer = make_explorer(CONNECT_FOUR, Policy(backend="aer", amplification="optimal"))
    keys = np.zeros(1, np.uint64)
    explorer.restore(dict.fromkeys(explorer.state()[0], 0), keys, np.array([bits([6])]))
    values = np.array([[0.0, 0, 0, 0, 0, 0, -18.0]])
    with pytest.raises(
        ConfigError, match=r"a draw would take \d+ steps of amplification; policy.backend = aer takes 1000"
    ):
        explorer.choose(keys, np.array([127]), values, np.array([0.5]), np.random.default_rng(0))


def test_only_quantum_draws_have_a_back_end():
    with pytest.raises(ConfigError, match="aer simulates the rule quantum only, not classical"):
        make_explorer(CONNECT_FOUR, Policy(rule="classical", backend="aer"))


def test_without_qiskit_one_line_names_the_extra(tmp_path):
    words = [
        "train",
        "tictactoe-q",
        "--set",
        "policy.rule=quantum",
        "--set",
        "policy.backend=aer",
        "--out",
        str(tmp_path / "r"),
    ]
    code = (
        f"import sys; sys.modules['qiskit'] = None; sys.argv[1:] = {words!r}; from inarow.cli.app import main; main()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert result.returncode == 2
    assert result.stderr == "inarow: qiskit is not installed; run: pip install 'inarow[quantum]'\n"
