"""Agents that tell what they know while they think."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.agents.agent import decide_watched
from inarow.agents.registry import make_agent
from inarow.games.position import Position
from tests.strategies import ongoing_positions

WATCHED = [
    "minimax:depth=3",
    "minimax:depth=4,heuristic=powers,tie=random,memory=1",
    "minimax:depth=2,prune=false",
    "mcts:simulations=300",
    "mcts:simulations=100,threads=2",
    "hybrid:simulations=8",
    "solver:level=2",
]


class EnoughError(Exception):
    pass


@pytest.mark.compiled
@pytest.mark.parametrize("name", WATCHED)
@settings(max_examples=20)
@given(position=ongoing_positions(max_side=6), seed=st.integers(0, 1000))
def test_being_watched_changes_no_action(name, position, seed):
    told = []
    watched = decide_watched(make_agent(name, seed=seed), position, told.append)
    assert watched.action == make_agent(name, seed=seed).decide(position).action
    assert {decision.action for decision in told} <= set(position.legal_actions)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["minimax:depth=none", "mcts:simulations=100000000", "mcts:seconds=3600,threads=2"])
def test_whoever_watches_may_end_the_search(name):
    told = []

    def watch(decision):
        told.append(decision)
        if len(told) == 5:
            raise EnoughError

    agent = make_agent(name, seed=1)
    with pytest.raises(EnoughError):
        decide_watched(agent, Position.start(), watch)
    assert told[-1].nodes >= told[0].nodes > 0
    told.clear()  # and it can be asked again
    with pytest.raises(EnoughError):
        decide_watched(agent, Position.parse("44"), watch)
    assert len(told) == 5


def test_an_agent_that_cannot_be_watched_decides_as_ever():
    start = Position.start()
    assert decide_watched(make_agent("random", seed=3), start, print) == make_agent("random", seed=3).decide(start)


@pytest.mark.compiled
def test_who_watches_the_solver_learns_every_score():
    position = Position.parse("44444522562617")
    told = []
    decision = decide_watched(make_agent("solver"), position, told.append)
    alone = make_agent("solver").decide(position)
    assert (decision.action, decision.score, told[0].score) == (alone.action, alone.score, alone.score)
    assert decision.scores is not None
    assert decision.scores[decision.action] == max(decision.scores) == decision.score
