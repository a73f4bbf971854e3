"""What every agent must do, and what the simple ones do."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inarow.agents.registry import REGISTRY, make_agent
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from tests.strategies import positions

SIMPLE = ["random", "greedy", "winblock", "winblock:epsilon=0.5", "greedy:epsilon=1"]
SOLVERS = [pytest.param(name, marks=pytest.mark.compiled) for name in ("solver", "solver:tie=random")]
NAMES = [*SIMPLE, *SOLVERS]


def test_every_agent_is_covered_here():
    assert {name.split(":")[0] for name in SIMPLE} | {"solver", "human"} == set(REGISTRY)


@pytest.mark.parametrize("name", NAMES)
@given(position=positions(max_side=9), seed=st.integers(0, 2**32))
def test_decisions_are_legal_and_follow_from_the_seed(name, position, seed):
    assume(not position.is_over)
    assume("solver" not in name or position.spec.cells - position.ply <= 16)
    decision = make_agent(name, seed=seed).decide(position)
    assert decision.action in position.legal_actions
    decision = replace(decision, nodes=None)  # a solver remembers
    assert decision == replace(make_agent(name, seed=seed).decide(position), nodes=None)
    if decision.policy is not None:
        assert len(decision.policy) == position.spec.actions
        assert sum(decision.policy) == pytest.approx(1)
        assert decision.policy[decision.action] > 0
        assert all(position.legal_actions.count(action) for action, chance in enumerate(decision.policy) if chance)


@pytest.mark.parametrize("name", SIMPLE)
def test_choices_have_the_chances_of_the_policy(name):
    position = Position.parse("4455")  # both the win 3 and the win 6 are there
    agent = make_agent(name, seed=5)
    decisions = [agent.decide(position) for _ in range(4000)]
    for action, chance in enumerate(decisions[0].policy):
        seen = sum(decision.action == action for decision in decisions)
        assert abs(seen - 4000 * chance) <= 5 * (4000 * chance * (1 - chance)) ** 0.5


@given(positions(max_side=8), st.integers(0, 100))
def test_greedy_takes_a_win_and_only_sees_wins(position, seed):
    assume(not position.is_over)
    decision = make_agent("greedy", seed=seed).decide(position)
    wins = position.winning_actions()
    expected = wins or position.legal_actions
    assert {action for action, chance in enumerate(decision.policy) if chance} == set(expected)


@given(positions(max_side=8), st.integers(0, 100))
def test_winblock_takes_the_first_win_else_the_first_block(position, seed):
    assume(not position.is_over)
    decision = make_agent("winblock", seed=seed).decide(position)
    wins, blocks = position.winning_actions(), position.winning_actions(of_opponent=True)
    if wins or blocks:
        assert decision.action == (wins or blocks)[0]
    else:
        assert set(decision.policy) <= {0.0, 1 / len(position.legal_actions)}


def test_both_sides_are_played_alike():
    """Win and block for the first and for the second side, with gravity and without."""
    for moves, board, action in (
        ("121212", "6x7x4", 0),
        ("1212126", "6x7x4", 1),
        ("1212127", "6x7x4", 1),
        ("1425", "tictactoe", 2),
        ("14259", "tictactoe", 5),
    ):
        position = Position.parse(moves, GameSpec.parse(board))
        assert make_agent("winblock").decide(position).action == action


@pytest.mark.compiled
def test_the_solver_wins_quickly_and_loses_slowly():
    agent = make_agent("solver")
    for moves, action in (("4455", {2, 5}), ("121212", {0})):
        decision = agent.decide(Position.parse(moves))
        assert decision.action in action
        assert decision.score == 18
        assert decision.value == 1.0
    near_end = Position.parse("44455554221")
    assert agent.decide(near_end).action == 3  # every move loses at once: the centre


@pytest.mark.compiled
def test_the_solver_draws_ties_at_random_if_told_to():
    position = Position.parse("44455554221")
    actions = {make_agent("solver:tie=random", seed=seed).decide(position).action for seed in range(60)}
    assert actions == set(position.legal_actions)


@pytest.mark.compiled
def test_the_solver_says_when_a_board_is_too_hard(monkeypatch):
    monkeypatch.setattr("inarow.search.solver.UNSURE_NODES", 1000)
    decision = make_agent("solver").decide(Position.start(GameSpec.parse("13x13x5")))
    assert decision.score is None
    assert decision.details == {"exact": False}
    assert decision.action == 6
