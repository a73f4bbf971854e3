"""Heuristics, selection rules and leaf evaluators of users in agent strings."""

import pytest

from inarow import plugins
from inarow.adapters.kaggle_export.exporters import parts_of
from inarow.agents.registry import make_agent, parameter_infos, parse_agent, registry
from inarow.arena.match import play_match
from inarow.arena.store_schema import AgentIdentity
from inarow.errors import InvalidAgentError, KaggleFileError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.limits import Limits
from inarow.search.minimax.heuristics import register_heuristic
from inarow.search.tree.parts import register_leaf, register_rule
from tests.search import registered
from tests.search.registered import compiled

pytestmark = pytest.mark.usefixtures("forgotten_registrations")

AGENTS = (
    "minimax:depth=2,heuristic=lean",
    "hybrid:simulations=8,rule=fewest,heuristic=lean",
    "mcts:simulations=20,threads=2,rule=fewest,leaf=quarter",
    "alphazero:simulations=8,rule=fewest",
    "alphazero:simulations=8,root=gumbel,rule=fewest",
)


def register_all(functions):
    register_heuristic("lean")(functions.lean)
    register_rule("fewest")(functions.fewest)
    register_leaf("quarter")(functions.quarter)


@pytest.mark.parametrize("functions", [compiled, registered], ids=["compiled", "plain"])
def test_agents_play_with_registered_parts_and_keep_their_limits(functions):
    register_all(functions)
    for text in AGENTS:
        position = Position.parse("4453")
        decision = make_agent(text).decide(position)
        assert decision.action in position.legal_actions
        assert make_agent(text).name == text
        stopped = make_agent(text).decide(position, limits=Limits(cancelled=lambda: True))
        assert stopped.action in position.legal_actions
        assert (stopped.nodes or 0) <= (decision.nodes or 0)


def choices(agent, name):
    return {info.name: info.kind for info in parameter_infos(registry()[agent])}[name]


def test_registered_parts_are_choices_of_parameters():
    assert choices("mcts", "rule") == choices("hybrid", "rule") == "uct"
    assert choices("mcts", "leaf") == "random"
    assert choices("alphazero", "rule") == "puct"
    register_all(compiled)
    assert choices("mcts", "rule") == "fewest|uct"
    assert choices("alphazero", "rule") == "fewest|puct"
    assert choices("mcts", "leaf") == "quarter|random"
    assert choices("minimax", "heuristic") == choices("hybrid", "heuristic") == "lean|powers|squares|windows"
    with pytest.raises(InvalidAgentError, match="hybrid has no key 'leaf'"):
        parse_agent("hybrid:leaf=quarter")


@pytest.mark.parametrize(
    ("text", "part", "message"),
    [
        ("minimax:heuristic=mine", "heuristic", "heuristic of minimax is 'mine'; it must be one of powers, "),
        ("mcts:rule=mine", "selection rule", "rule of mcts is 'mine'; it must be one of uct"),
        ("mcts:leaf=mine", "leaf evaluator", "leaf of mcts is 'mine'; it must be one of random"),
        ("alphazero:rule=mine", "selection rule", "rule of alphazero is 'mine'; it must be one of puct"),
    ],
)
def test_an_unknown_part_is_one_line_that_says_why_workers_lack_it(monkeypatch, text, part, message):
    with pytest.raises(InvalidAgentError, match=f"^{message}") as raised:
        make_agent(text)
    assert "worker" not in str(raised.value)
    monkeypatch.setattr(plugins, "_absent", {(part, "mine")})
    with pytest.raises(InvalidAgentError, match=f"^{message}.*; worker processes cannot import the {part} mine: "):
        make_agent(text)


def test_c_belongs_to_the_usual_rule():
    register_rule("fewest")(compiled.fewest)
    with pytest.raises(InvalidAgentError, match="mcts takes c with rule=uct only"):
        make_agent("mcts:rule=fewest,c=2")


def test_stored_games_of_built_in_parts_are_still_those_of_the_same_agent():
    assert AgentIdentity.parse("mcts").content_hash is None
    assert AgentIdentity.parse("mcts").parameters == (
        '{"simulations":"auto","seconds":"none","c":0.7071067811865475,"final":"visits","solve":true,"threads":1,'
        '"memory":64}'
    )
    assert AgentIdentity.parse("minimax:heuristic=powers").content_hash is None
    assert AgentIdentity.parse("hybrid").content_hash is None
    assert '"rule"' not in AgentIdentity.parse("hybrid").parameters
    assert '"rule"' not in AgentIdentity.parse("alphazero").parameters


def test_the_code_of_a_part_belongs_to_the_identity_of_an_agent():
    register_all(compiled)
    before = [AgentIdentity.parse(text) for text in AGENTS]
    assert None not in [identity.content_hash for identity in before]
    assert len({identity.content_hash for identity in before}) == 4
    register_all(registered)  # the same source
    assert [AgentIdentity.parse(text) for text in AGENTS] == before
    register_heuristic("lean")(lambda board: 0.0)
    register_rule("fewest")(lambda parent, child: 0.0)
    register_leaf("quarter")(lambda board, ply: 0.0)
    for identity, text in zip(before, AGENTS, strict=True):
        after = AgentIdentity.parse(text)
        assert (after.name, after.parameters) == (identity.name, identity.parameters)
        assert after.content_hash != identity.content_hash


def test_worker_processes_know_registered_parts():
    register_leaf("threats")(registered.threats)
    register_rule("fewest")(compiled.fewest)
    matches = [
        play_match("mcts:simulations=8,leaf=threats", "mcts:simulations=8,rule=fewest", TIC_TAC_TOE, games=4, workers=n)
        for n in (1, 2)
    ]
    alone, shared = (match.summary for match in matches)
    assert (alone.as_first, alone.as_second) == (shared.as_first, shared.as_second)


@pytest.mark.parametrize("text", [text for text in AGENTS if "gumbel" not in text])
def test_registered_parts_are_not_exported_to_kaggle(text):
    register_all(compiled)
    with pytest.raises(KaggleFileError, match="cannot be exported; "):
        parts_of(text, CONNECT_FOUR)


@pytest.mark.compiled
def test_a_leaf_evaluator_that_counts_threats_beats_random_games():
    register_leaf("threats")(compiled.threats)
    match = play_match("mcts:simulations=10,leaf=threats", "mcts:simulations=10", TIC_TAC_TOE, games=200, seed=1)
    assert match.summary.score_interval[0] > 0.5


def test_a_heuristic_serves_boards_of_several_words():
    register_heuristic("lean")(registered.lean)
    position = Position.start(GameSpec.parse("16x16x5"))
    assert make_agent("minimax:depth=1,heuristic=lean").decide(position).action in position.legal_actions
