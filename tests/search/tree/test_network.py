"""Searching with a network: against a slow twin, and where proofs end against the exact solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.errors import InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.limits import Limits
from inarow.search.solver.solver import MIN_MEMORY, Solver
from inarow.search.tree.config import SearchConfig
from inarow.search.tree.evaluation import planes_of, uniform_evaluator
from inarow.search.tree.search import NetSearch
from inarow.search.tree.selection import halving_plan
from tests.strategies import ongoing_positions
from tests.twins.alphazero import PlainSearch, made_up_net, plain_planes

CONFIGS = {root: SearchConfig(root=root) for root in ("gumbel", "puct")}
PUBLISHED = SearchConfig(root="puct", tactics=False, unvisited="zero", exploration=1.0, softness=1.0)
SEARCHES = {**CONFIGS, "published": PUBLISHED}


def small_search(spec: GameSpec, root: str = "puct", **settings) -> NetSearch:
    return NetSearch(spec, made_up_net, SEARCHES[root], memory=1 << 20, cache_memory=1 << 16, **settings)


@given(ongoing_positions(max_side=9))
def test_planes_are_those_of_the_twin(position):
    assert np.array_equal(planes_of(position), plain_planes(position))


@pytest.mark.parametrize("root", SEARCHES)
@settings(max_examples=25)
@given(data=st.data())
def test_searches_are_those_of_the_twin(root, data):
    position = data.draw(ongoing_positions(max_side=6))
    simulations = data.draw(st.integers(1, 40))
    found = small_search(position.spec, root).search(position, limits=Limits(simulations=simulations))
    twin = PlainSearch(position, SEARCHES[root])
    twin.run(simulations)
    actions = [position.action_of(child.cell) for child in twin.root.children]
    assert [found.visits[action] for action in actions] == [child.visits for child in twin.root.children]
    assert sum(found.visits) == sum(child.visits for child in twin.root.children)
    if twin.root.proof:
        assert found.proven == (0 if twin.root.proof == 1 else -np.sign(twin.root.proof))
        return
    assert found.proven is None
    assert found.simulations == simulations
    assert found.value == pytest.approx(-twin.root.total / twin.root.visits, abs=1e-6)
    assert [found.priors[action] for action in actions] == pytest.approx(twin.plain_priors(), abs=1e-5)
    if root == "gumbel":
        assert [found.policy[action] for action in actions] == pytest.approx(twin.policy(), abs=1e-5)


def test_without_tactics_a_search_knows_finished_games_only():
    lost = Position.parse("1122334")  # four stones on the bottom row: over
    assert lost.is_over
    won = Position.parse("112233")
    found = small_search(CONNECT_FOUR, "published").search(won, limits=Limits(simulations=200))
    assert found.proven is None
    assert (found.simulations, found.action) == (200, 3)
    assert found.values[3] == 1.0
    with pytest.raises(ValueError, match="tactics=false needs"):
        SearchConfig(tactics=False)


@pytest.mark.parametrize("root", CONFIGS)
@settings(max_examples=30)
@given(data=st.data())
def test_proofs_are_true(root, data):
    spec = data.draw(st.sampled_from([TIC_TAC_TOE, GameSpec(4, 4, 3), GameSpec(3, 5, 4), GameSpec(4, 4, 4)]))
    position = data.draw(ongoing_positions(spec, max_left=10))
    found = NetSearch(spec, uniform_evaluator, CONFIGS[root]).search(position, limits=Limits(simulations=2000))
    exact = Solver(spec, memory=MIN_MEMORY).analyse(position)
    if found.proven is None:  # a proof may take a look at almost everything
        assert spec.cells - position.ply > 5
        return
    assert found.proven == found.value == np.sign(exact.score)
    assert np.sign(exact.scores[found.action]) == found.proven


@settings(max_examples=20)
@given(ongoing_positions(max_side=7))
def test_one_word_and_five_find_the_same(position):
    found = [
        small_search(position.spec, wide=wide).search(position, limits=Limits(simulations=20)) for wide in (None, True)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("root", CONFIGS)
def test_many_in_step_find_what_each_finds_alone(root):
    rng = np.random.default_rng(3)
    positions = [Position.start()]
    while len(positions) < 11:
        position = positions[-1].play(rng.choice(positions[-1].legal_actions))
        positions.append(Position.start() if position.is_over else position)
    alone = [small_search(CONNECT_FOUR, root).search(position, limits=Limits(simulations=30)) for position in positions]
    search = NetSearch(CONNECT_FOUR, made_up_net, CONFIGS[root], games=4, memory=4 << 20)
    assert search.search_many(positions, 30) == alone
    assert search.search_many(positions[::-1], 30) == alone[::-1]  # now with everything in the cache


def test_a_game_continues_with_its_tree():
    position = Position.parse("44")
    search = small_search(CONNECT_FOUR)
    first = search.search(position, limits=Limits(simulations=200))
    after = position.play(first.action)
    fresh = small_search(CONNECT_FOUR).search(after, limits=Limits(simulations=50))
    kept = search.search(after, limits=Limits(simulations=50))
    assert kept.simulations == fresh.simulations == 50
    assert sum(kept.visits) == sum(fresh.visits) + first.visits[first.action]
    other = search.search(Position.parse("1234"), limits=Limits(simulations=50))
    assert other == small_search(CONNECT_FOUR).search(Position.parse("1234"), limits=Limits(simulations=50))


def test_a_full_tree_ends_a_search():
    search = NetSearch(CONNECT_FOUR, made_up_net, CONFIGS["puct"], memory=1000)
    found = search.search(Position.start(), limits=Limits(simulations=500))
    assert found.is_full
    assert 1 <= found.simulations < 50
    assert found.action in range(7)


def test_seconds_end_a_search():
    search = small_search(CONNECT_FOUR)
    found = search.search(Position.start(), limits=Limits(seconds=0.01))
    assert found.simulations >= 1
    assert sum(found.visits) == found.simulations - 1
    assert search.search(Position.parse("1"), limits=Limits(seconds=1e-9)).simulations >= 1


@given(st.integers(2, 16), st.integers(1, 200))
def test_sequential_halving_spends_all_and_narrows_down(considered, simulations):
    row = halving_plan(considered, simulations)[considered].tolist()
    visits = [0] * considered
    for planned in row:  # some child must have the planned number of visits
        visits[visits.index(planned)] += 1
    assert sum(visits) == simulations
    if simulations >= considered:
        assert min(visits) >= 1
    assert sorted(visits, reverse=True)[0] - sorted(visits, reverse=True)[1] <= 1


def test_sequential_halving_visits_every_move_before_any_twice():
    found = small_search(CONNECT_FOUR, "gumbel").search(Position.start(), limits=Limits(simulations=8))
    assert found.visits == (1,) * 7


def test_a_single_simulation_asks_for_the_policy_only():
    for root in CONFIGS:
        found = small_search(CONNECT_FOUR, root).search(Position.start(), limits=Limits(simulations=0))
        assert found.simulations == 1
        assert found.action == int(np.argmax(found.priors))
        assert found.policy == pytest.approx(found.priors)


@pytest.mark.parametrize("root", CONFIGS)
@settings(max_examples=15)
@given(data=st.data())
def test_watching_changes_nothing(root, data):
    position = data.draw(ongoing_positions(max_side=6))
    limits = Limits(simulations=data.draw(st.integers(1, 600)))
    told = []
    watched = small_search(position.spec, root).search(position, limits=limits, watch=told.append)
    assert watched == small_search(position.spec, root).search(position, limits=limits)
    assert all(each.action in position.legal_actions for each in told)


def test_a_search_is_watched_and_an_error_of_the_watch_ends_it():
    told = []

    def watch(result):
        told.append(result)
        if len(told) == 3:
            raise KeyError("enough")

    search = small_search(CONNECT_FOUR)
    with pytest.raises(KeyError, match="enough"):
        search.search(Position.start(), limits=Limits(simulations=10**6), watch=watch)
    assert 0 < told[0].simulations < told[-1].simulations < 10**6
    assert search.search(Position.parse("4"), limits=Limits(simulations=20)).simulations == 20


@pytest.mark.parametrize("root", CONFIGS)
def test_a_cancelled_search_has_the_best_so_far(root):
    polls = []

    def cancelled():
        polls.append(1)
        return len(polls) > 20

    limits = Limits(simulations=5000, cancelled=cancelled)
    found = small_search(CONNECT_FOUR, root).search(Position.start(), limits=limits)
    assert 1 <= found.simulations < 1000
    assert found.visits[found.action] == max(found.visits)
    assert sum(found.policy) == pytest.approx(1)


@settings(max_examples=20)
@given(st.integers(0, 300))
def test_nodes_limit_a_search_and_repeat(nodes):
    results = [small_search(CONNECT_FOUR).search(Position.start(), limits=Limits(nodes=nodes)) for _ in range(2)]
    assert results[0] == results[1]
    assert results[0].nodes >= nodes
    assert results[0].nodes <= max(nodes, 8) + CONNECT_FOUR.cells  # one simulation may add a chain of forced moves


def test_sequential_halving_needs_simulations_to_plan():
    search = small_search(CONNECT_FOUR, "gumbel")
    with pytest.raises(InvalidLimitError, match="needs a limit of simulations"):
        search.search(Position.start(), limits=Limits(seconds=1))
    with pytest.raises(InvalidLimitError, match="at most 100000"):
        search.search(Position.start(), limits=Limits(simulations=100_001))
