"""Minimax in selection and in backpropagation: against a slow twin; what it proves, against the solver."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.agents.registry import make_agent
from inarow.errors import InvalidAgentError
from inarow.games.bits import count_cells
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.search.limits import Limits
from inarow.search.plugged import implements
from inarow.search.solver.api import analyse
from inarow.search.solver.solver import MIN_MEMORY, Solver
from inarow.search.tree.config import USUAL_EXPLORATION
from inarow.search.tree.memory import UNKNOWN
from inarow.search.tree.probes import Probes
from inarow.search.tree.search import TreeSearch, _root_totals
from tests.strategies import ongoing_positions
from tests.twins.hybrid import PlainHybrid


class CountingLeaf(NamedTuple):
    """A leaf evaluator without chance: `plain_leaf` of the twin."""


@implements(CountingLeaf)
def counted(leaf, layout, stones, mask, ply, heights, rng):
    return count_cells(stones & (stones >> 1)) % 3 - 1


@pytest.mark.parametrize("place", [None, "selection", "backup"])
@settings(max_examples=40)
@given(data=st.data())
def test_searches_are_those_of_the_twin(place, data):
    position = data.draw(ongoing_positions(max_side=5, max_inarow=4))
    simulations, depth = data.draw(st.integers(1, 120)), data.draw(st.integers(1, 3))
    visits = data.draw(st.integers(0, 3)) if place == "selection" else 0
    probes = None if place is None else Probes(place, depth, visits)
    search = TreeSearch(position.spec, np.random.default_rng(5), rollouts=CountingLeaf(), probes=probes)
    search.search(position, limits=Limits(simulations=simulations))
    twin = PlainHybrid(np.random.default_rng(5).spawn(1)[0], USUAL_EXPLORATION, place, depth, visits)
    root = twin.run(position, simulations)
    found_visits, found_points, found_proofs = _root_totals(search._trees, position)
    for child in root.children[: root.tried]:
        action = position.action_of(child.cell)
        assert (found_visits[action], found_points[action]) == (child.visits, child.total)
        assert found_proofs[action] == child.proof
    assert int(search._trees[0].proof[0]) == root.proof


@pytest.mark.parametrize("place", ["selection", "backup"])
@settings(max_examples=30)
@given(data=st.data())
def test_proofs_are_true(place, data):
    spec = data.draw(st.sampled_from([GameSpec(4, 4, 3), GameSpec(3, 5, 4), GameSpec(4, 4, 4)]))
    position = data.draw(ongoing_positions(spec, max_left=10))
    search = TreeSearch(spec, np.random.default_rng(1), probes=Probes(place, 4))
    found = search.search(position, limits=Limits(simulations=1000))
    exact = Solver(spec, memory=MIN_MEMORY).analyse(position)
    assert found.proven is None or found.proven == np.sign(exact.score)
    for action, proof in enumerate(_root_totals(search._trees, position)[2]):
        if proof != UNKNOWN:
            outcome = 0 if proof == 1 else np.sign(proof)
            assert outcome == np.sign(exact.scores[action])


@pytest.mark.compiled
@pytest.mark.parametrize("place", ["selection", "backup"])
def test_a_kept_tree_still_compares_the_moves_of_a_position_that_a_search_had_settled(place):
    """A node proven by minimax has no proven children; as the root it must be searched."""
    agent = make_agent(f"hybrid:place={place},depth=4,simulations=400", seed=3)
    other, rng = make_agent("winblock", seed=1), np.random.default_rng(2)
    position = Position.start()
    while not position.is_over:
        if position.ply % 2:
            position = position.play(other.decide(position).action if rng.random() < 0.7 else position.legal_actions[0])
            continue
        decision = agent.decide(position)
        if position.winning_actions():  # it may prefer a slower win that it proved first
            assert analyse(position).scores[decision.action] > 0
        assert sum(decision.visits) > 0 or decision.details["proven"] is not None
        position = position.play(decision.action)


def test_minimax_in_selection_sees_a_trap_that_few_simulations_miss():
    """Two open stones on the bottom row: three moves from now they are a double threat."""
    position = Position.parse("3141")  # the first side has 3 and 4, and is to move
    plain = make_agent("mcts:simulations=40", seed=2).decide(position)
    probing = make_agent("hybrid:place=selection,depth=4,simulations=40", seed=2).decide(position)
    assert plain.details["proven"] is None
    assert probing.details["proven"] == 1
    assert probing.action in (1, 4)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hybrid:place=selection,informed=2", "takes informed and heuristic with place=rollout only"),
        ("hybrid:place=backup,visits=2", "takes visits with place=selection only"),
        ("hybrid:visits=2", "takes visits with place=selection only"),
        ("hybrid:place=backup,solve=false", "needs solve=true for place=backup"),
    ],
)
def test_parameters_of_another_place_are_refused(text, reason):
    with pytest.raises(InvalidAgentError, match=reason):
        make_agent(text)


def test_threads_have_their_own_minimax():
    agents = [make_agent("hybrid:place=selection,depth=3,simulations=300,threads=2", seed=4) for _ in range(2)]
    first, second = (agent.decide(Position.start(CONNECT_FOUR)) for agent in agents)
    assert first == second
