"""Monte Carlo tree search: what it finds, what it keeps, what it costs."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.errors import FinishedGameError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.limits import Limits
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.solver.api import analyse
from inarow.search.tree.memory import (
    DRAWN,
    MAX_VISITS,
    ROLLOUT_SLOT_BYTES,
    SOONEST_WIN,
    USED,
    VISITED,
    bytes_for_game,
    descend,
)
from inarow.search.tree.rollouts import Rollouts
from inarow.search.tree.search import TreeSearch, _root_totals
from tests.strategies import ongoing_positions


def searcher(spec=CONNECT_FOUR, seed=1, **options):
    return TreeSearch(spec, np.random.default_rng(seed), **options)


def ends(search, position):
    """For the actions with a proven win or loss after a search, the number of the stone that ends the game."""
    proofs = _root_totals(search._trees, position)[2]
    return {action: SOONEST_WIN - abs(int(proof)) for action, proof in enumerate(proofs) if abs(proof) > DRAWN}


def suite(spec, score_of_win, count, seed=7):
    """Positions that the side to move wins with its `score_of_win`-th move, by exhaustive search, half of
    them for each side, and their best actions.
    """
    rng = np.random.default_rng(seed)
    found = {1: [], 2: []}
    while any(len(each) < count // 2 for each in found.values()):
        position = Position.start(spec)
        for _ in range(int(rng.integers(12, spec.cells - 8))):
            if position.is_over:
                break
            legal = position.legal_actions
            position = position.play(legal[int(rng.integers(len(legal)))])
        if position.is_over or len(found[position.side_to_move]) >= count // 2:
            continue
        analysis = analyse(position)
        if analysis.plies == 2 * score_of_win - 1 and analysis.score > 0:
            found[position.side_to_move].append((position, analysis.best))
    return found[1] + found[2]


@pytest.mark.compiled
@pytest.mark.parametrize("solve", [True, False])
def test_wins_at_once_are_taken_and_losses_at_once_blocked(solve):
    for position, best in suite(CONNECT_FOUR, 1, 60):
        assert searcher(solve=solve).search(position, limits=Limits(simulations=2000)).action in best
        attacked = position.play(next(a for a in position.legal_actions if a not in best))
        if attacked.is_over or attacked.winning_actions() or len(attacked.winning_actions(of_opponent=True)) != 1:
            continue
        blocks = attacked.winning_actions(of_opponent=True)
        if solve or analyse(attacked).score >= 0:  # without proofs all moves of a lost position look alike
            assert searcher(solve=solve).search(attacked, limits=Limits(simulations=2000)).action in blocks


@pytest.mark.compiled
def test_wins_in_three_are_found_for_both_sides():
    found = suite(CONNECT_FOUR, 2, 30)
    for position, best in found:
        search = searcher()
        result = search.search(position, limits=Limits(simulations=2000))
        assert result.action in best
        assert result.proven == 1
        assert ends(search, position)[result.action] == position.ply + 3


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("board", "solve", "simulations"),
    [
        ("tictactoe", True, 30_000),
        ("tictactoe", False, 30_000),
        ("4x4x3", True, 30_000),
        ("4x4x3", False, 30_000),
        ("4x4x4", True, 200_000),  # a few of its drawn positions have replies that only proofs tell apart soon
    ],
)
def test_enough_simulations_agree_with_exhaustive_truth(board, solve, simulations):
    """The move keeps the outcome, from both sides, and what is proven is true."""
    spec = GameSpec.parse(board)
    rng = np.random.default_rng(3)
    for _ in range(25):
        position = Position.start(spec)
        for _ in range(int(rng.integers(0, spec.cells - 3))):
            if not position.is_over:
                legal = position.legal_actions
                position = position.play(legal[int(rng.integers(len(legal)))])
        if position.is_over:
            continue
        truth = analyse(position)
        result = searcher(spec, solve=solve).search(position, limits=Limits(simulations=simulations))
        outcome = np.sign(truth.score)
        assert np.sign(truth.scores[result.action]) == outcome, repr(position)
        if result.proven is not None:
            assert result.proven == outcome == result.value


@pytest.mark.compiled
def test_proofs_are_true_and_prefer_short_wins_and_long_losses():
    spec = GameSpec.parse("4x5x4")
    rng = np.random.default_rng(8)
    proven = 0
    for _ in range(60):
        position = Position.start(spec)
        for _ in range(int(rng.integers(6, 16))):
            if not position.is_over:
                legal = position.legal_actions
                position = position.play(legal[int(rng.integers(len(legal)))])
        if position.is_over:
            continue
        search = searcher(spec)
        result = search.search(position, limits=Limits(simulations=3000))
        truth = analyse(position)
        for action, sure_end in ends(search, position).items():
            proven += 1
            assert np.sign(truth.scores[action]) == result.values[action]
            assert sure_end >= position.ply + 1
    assert proven > 50


@pytest.mark.parametrize("moves", ["14253", "513746289"])
def test_a_finished_game_is_not_searched(moves):
    with pytest.raises(FinishedGameError, match="is over after"):
        searcher(TIC_TAC_TOE).search(Position.parse(moves, TIC_TAC_TOE), limits=Limits(simulations=10))


@settings(max_examples=30)
@given(ongoing_positions(max_side=10), st.integers(0, 2**32))
def test_counts_add_up_on_every_board(position, seed):
    search = searcher(position.spec, seed, solve=False, memory=1 << 20)
    result = search.search(position, limits=Limits(simulations=50))
    assert sum(result.visits) == 50 == result.simulations
    assert result.action in position.legal_actions
    assert all((visits > 0) == (value is not None) for visits, value in zip(result.visits, result.values, strict=True))
    assert -1 <= result.value <= 1
    tree = search._trees[0]
    assert int((tree.visits[: tree.counts[0, USED]] > 0).sum()) == tree.counts[0, VISITED] + 1  # and the root
    for node in range(int(tree.counts[0, USED])):
        children = range(int(tree.first[node]), int(tree.first[node] + tree.size[node]))
        inner = sum(int(tree.visits[child]) for child in children)
        assert inner <= tree.visits[node]
        if len(children):
            own_points = sum(2 * int(tree.visits[child]) - int(tree.total[child]) for child in children)
            own_visits = int(tree.visits[node]) - inner
            assert 0 <= tree.total[node] - own_points <= 2 * own_visits


def test_the_tree_is_kept_within_a_game_and_dropped_between_games():
    search = searcher(solve=False)
    start = Position.start()
    first = search.search(start, limits=Limits(simulations=300))
    reply = max(range(7), key=lambda action: first.visits[action])
    before = search._trees[0]
    child = next(c for c in range(before.first[0], before.first[0] + 7) if before.cell[c] == start.landing_cell(reply))
    kept = int(before.visits[child])
    after_move = start.play(reply)
    second = search.search(after_move, limits=Limits(simulations=100))
    assert sum(second.visits) == 100 + kept - 1  # one visit of the child was its own rollout
    anew = search.search(Position.parse("17"), limits=Limits(simulations=100))
    assert sum(anew.visits) == 100


def test_cutting_down_keeps_the_subtree():
    search = searcher(solve=False)
    start = Position.start()
    search.search(start, limits=Limits(simulations=500))
    tree = search._trees[0]

    def picture(node):
        children = range(int(tree.first[node]), int(tree.first[node] + tree.size[node]))
        below = [picture(child) for child in children] if tree.size[node] else []
        return int(tree.visits[node]), int(tree.total[node]), int(tree.cell[node]), int(tree.tried[node]), below

    child = next(c for c in range(tree.first[0], tree.first[0] + 7) if tree.cell[c] == start.landing_cell(3))
    before = picture(child)
    assert descend(tree, start.landing_cell(3))
    assert picture(0) == before
    assert not descend(tree, 63)


@pytest.mark.compiled
def test_a_full_tree_continues_within_its_budget():
    result = searcher(memory=20_000).search(Position.start(), limits=Limits(simulations=5000))
    assert result.bytes <= 20_000
    assert result.is_full
    assert result.simulations == 5000
    assert sum(result.visits) == 5000
    assert result.action == 3


@pytest.mark.parametrize("spec", [CONNECT_FOUR, TIC_TAC_TOE, GameSpec.parse("5x4x5")], ids=str)
def test_a_tree_that_is_just_large_enough_for_a_game_is_never_full(spec):
    simulations = 60
    small, large = (searcher(spec, memory=memory) for memory in (bytes_for_game(spec, simulations), 16 << 20))
    position = Position.start(spec)
    while not position.is_over:
        result = small.search(position, limits=Limits(simulations=simulations))
        assert not result.is_full
        assert result == large.search(position, limits=Limits(simulations=simulations))
        position = position.play(result.action)
        if not position.is_over:
            position = position.play(position.legal_actions[-1])


@pytest.mark.compiled
def test_a_node_costs_at_most_64_bytes():
    for simulations in (1000, 100_000):
        result = searcher(solve=False).search(Position.start(), limits=Limits(simulations=simulations))
        assert result.bytes / result.nodes <= 64
    assert sum(array.itemsize for array in searcher()._trees[0][:-1] if len(array)) == ROLLOUT_SLOT_BYTES


@pytest.mark.compiled
def test_threads_add_up_and_repeat():
    one = searcher(threads=3).search(Position.parse("444"), limits=Limits(simulations=500))
    assert one.simulations == 1500
    assert one == searcher(threads=3).search(Position.parse("444"), limits=Limits(simulations=500))


def test_informed_rollouts_find_what_minimax_sees():
    """On a board where the next move decides, informed rollouts never miss it."""
    position = Position.parse("1122")
    informed = Rollouts(99, 2, make_heuristic("powers", CONNECT_FOUR))
    result = searcher(rollouts=informed, solve=False).search(position, limits=Limits(simulations=20))
    assert result.simulations == 20
    for seed in range(3):
        spec = TIC_TAC_TOE
        rollouts = Rollouts(99, 9, make_heuristic("windows", spec))
        drawn = searcher(spec, seed, rollouts=rollouts, solve=False).search(
            Position.parse("5", spec), limits=Limits(simulations=9)
        )
        assert max(value for value in drawn.values if value is not None) == 0  # perfect rollouts after a corner draw


@pytest.mark.compiled
def test_time_and_cancel_end_a_search():
    spec = GameSpec.parse("12x12x5")
    assert searcher(spec).search(Position.start(spec), limits=Limits(seconds=0.05)).simulations >= 64
    asked = []

    def cancelled():
        asked.append(1)
        return len(asked) > 3

    result = searcher(spec).search(Position.start(spec), limits=Limits(simulations=10**8, cancelled=cancelled))
    assert result.simulations < 10**7


def test_an_informed_search_looks_at_its_limits_after_the_first_simulation():
    """Its rollouts may take long, so that a batch of them would be late."""
    spec = GameSpec.parse("5x6x4")
    informed = searcher(spec, rollouts=Rollouts(2, 1, make_heuristic("powers", spec)))
    result = informed.search(Position.start(spec), limits=Limits(seconds=3600, cancelled=lambda: True))
    assert result.simulations == 1
    assert result.action in range(6)


@pytest.mark.compiled
def test_time_ends_an_informed_search():
    spec = GameSpec.parse("12x12x5/free")
    informed = searcher(spec, rollouts=Rollouts(20, 2, make_heuristic("powers", spec)))
    clock = time.perf_counter()
    assert 1 <= informed.search(Position.start(spec), limits=Limits(seconds=0.05)).simulations < 144
    assert time.perf_counter() - clock < 60  # a hang would be forever


def test_a_tree_stops_before_its_counts_overflow():
    search, start = searcher(solve=False), Position.start()
    search.search(start, limits=Limits(simulations=300))
    tree = search._trees[0]
    child = next(c for c in range(tree.first[0], tree.first[0] + 7) if tree.cell[c] == start.landing_cell(3))
    tree.visits[child] = MAX_VISITS - 5
    after = start.play(3)
    assert search.search(after, limits=Limits(simulations=100)).simulations == 5
    assert tree.visits[0] == MAX_VISITS
    assert np.iinfo(tree.total.dtype).max >= 2 * MAX_VISITS
    assert search.search(Position.start(), limits=Limits(simulations=100)).simulations == 100  # a new tree


@pytest.mark.parametrize("threads", [1, 2])
def test_nodes_limit_a_search_exactly(threads):
    for nodes in (1, 64, 100, 333):
        result = searcher(threads=threads).search(Position.start(), limits=Limits(nodes=nodes * threads))
        assert result.nodes == nodes * threads
    full = searcher(memory=2400).search(Position.start(), limits=Limits(nodes=10**6))  # more than fit
    assert full.is_full
    assert full.simulations < 10**5
