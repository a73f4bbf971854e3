"""The players inside exported files: they play as the agents do."""

import random
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inarow.adapters.kaggle_export.exporters import parts_of
from inarow.adapters.kaggle_export.player import base, mcts, minimax, q_table
from inarow.agents.registry import make_agent, parse_agent
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.solver.api import solve
from tests.adapters.kaggle_export.files import agent_of_file, choice
from tests.strategies import ongoing_positions, positions


def with_gravity(strategy):
    return strategy.filter(lambda position: position.spec.gravity)


@given(with_gravity(positions(max_side=10)))
def test_rules_are_those_of_positions(position):
    spec = position.spec
    board = base.Rules(spec.rows, spec.columns, spec.inarow)
    own, both = base.read_stones(position.to_kaggle(), position.side_to_move, board)
    assert (own, both) == (position.stones, position.mask)
    assert board.has_line(both ^ own) == (position.winner is not None)
    if not position.is_over:
        assert tuple(board.legal_columns(both)) == position.legal_actions
        assert tuple(board.winning_columns(own, both)) == position.winning_actions()
        assert tuple(board.winning_columns(both ^ own, both)) == position.winning_actions(of_opponent=True)
        for column in position.legal_actions:
            assert board.landing_bit(both, column) == 1 << position.landing_cell(column)


@pytest.mark.compiled
@settings(max_examples=40)
@given(
    with_gravity(ongoing_positions(max_side=7, max_inarow=5)),
    st.integers(1, 4),
    st.sampled_from(["windows", "powers"]),
)
def test_exported_minimax_plays_the_same_moves(position, depth, heuristic):
    agent = f"minimax:depth={depth},heuristic={heuristic}"
    assert choice(agent_of_file(agent, position.spec), position) == make_agent(agent).decide(position).action


@pytest.mark.compiled
@settings(max_examples=20)
@given(with_gravity(ongoing_positions(max_side=6, max_inarow=5)), st.integers(0, 99))
def test_the_published_minimax_draws_among_the_same_moves(position, seed):
    agent = "gupta-shah-2022/minimax"
    random.seed(seed)
    best = {make_agent(agent, seed=each).decide(position).action for each in range(40)}
    assert choice(agent_of_file(agent, position.spec), position) in best


@pytest.mark.compiled
@settings(max_examples=20)
@given(with_gravity(ongoing_positions(max_side=6, max_inarow=5)), st.integers(0, 99))
def test_ties_are_drawn_among_the_same_moves(position, seed):
    agent = "minimax:depth=2,tie=random"
    random.seed(seed)
    best = {make_agent(agent, seed=each).decide(position).action for each in range(40)}
    assert choice(agent_of_file(agent, position.spec), position) in best


@pytest.mark.compiled
@settings(max_examples=15)
@given(with_gravity(ongoing_positions(max_side=6, max_left=7, max_inarow=5)), st.booleans())
def test_proofs_of_exported_mcts_are_true(position, by_points):
    assume(position.spec.cells - position.ply <= 9)
    spec = position.spec
    board = base.Rules(spec.rows, spec.columns, spec.inarow)
    tree = mcts.Tree(board, position.stones, position.mask, 0.7, True, mcts.random_playout(board))
    deadline = base.Deadline(time.perf_counter(), 60)
    for _ in range(3000):
        if tree.root.proof != mcts.UNKNOWN:
            break
        tree.simulate(deadline)
    proof = tree.root.proof
    assume(proof != mcts.UNKNOWN)  # it comes soon, as a rule
    outcome = 0 if proof == mcts.DRAWN else -1 if proof > 0 else 1  # of the side to move at the root
    assert outcome == solve(position, book=None).outcome
    agent = "mcts:simulations=3000,final=score" if by_points else "mcts:simulations=3000"
    after = position.play(choice(agent_of_file(agent, spec), position))
    if outcome >= 0:
        kept = -solve(after, book=None).outcome if not after.is_over else (0 if after.winner is None else 1)
        assert kept == outcome


@pytest.mark.parametrize("agent", ["mcts:simulations=400", "mcts:simulations=400,final=score", "hybrid:simulations=30"])
@pytest.mark.parametrize(("moves", "column"), [("121212", 0), ("1212123", 1), ("4444441111", None)])
def test_exported_tree_searches_win_and_block(agent, moves, column):
    random.seed(1)
    position = Position.parse(moves)
    action = choice(agent_of_file(agent, position.spec), position)
    assert action in position.legal_actions
    assert column is None or action == column


@pytest.mark.parametrize("agent", ["random", "greedy", "winblock", "winblock:epsilon=0.5"])
@settings(max_examples=30)
@given(position=with_gravity(ongoing_positions(max_side=7)), seed=st.integers(0, 999))
def test_simple_players_choose_what_their_agents_may(agent, position, seed):
    random.seed(seed)
    policy = make_agent(agent).decide(position).policy
    assert policy[choice(agent_of_file(agent, position.spec), position)] > 0


@pytest.mark.compiled
def test_exported_tables_choose_what_their_agents_may():
    spec = GameSpec.parse("3x5x4")
    player, agent = agent_of_file("q", spec), make_agent("q")
    chance = random.Random(3)
    seen = 0
    for _ in range(60):
        position = Position.start(spec)
        while not position.is_over:
            decision = agent.decide(position)
            random.seed(chance.random())
            assert decision.policy[choice(player, position)] > 0
            seen += decision.details is None
            position = position.play(chance.choice(position.legal_actions))
    assert seen > 200  # positions that the table knows
    with pytest.raises(ValueError, match="the table is for 3x5x4"):
        choice(player, Position.start())


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50))
def test_packed_numbers_are_unpacked(numbers):
    assert q_table.unpacked(q_table.packed(numbers)) == numbers


@pytest.mark.parametrize(
    "agent", ["minimax:depth=none", "mcts:seconds=5", "hybrid:simulations=100000", "gupta-shah-2022/minimax"]
)
def test_time_ends_a_search_with_a_legal_move(agent):
    position = Position.parse("4453")
    assert choice(agent_of_file(agent, position.spec), position, seconds=0.05) in position.legal_actions
    assert choice(agent_of_file(agent, position.spec), position, seconds=-1.0) in position.legal_actions


def test_time_ends_a_search_that_judges_no_position():
    """Looking ahead to the last cell, minimax meets lines and full boards only."""
    board = base.Rules(3, 4, 4)
    search = minimax.Minimax(board, minimax.WindowSum(board, own=(0, 1, 2, 3), other=(0, 1, 2, 3)))
    with pytest.raises(base.OutOfTimeError):
        search.best_columns(0, 0, board.cells, base.Deadline(time.perf_counter(), 0))


def test_parameters_reach_the_player():
    assert parse_agent("mcts:c=0.25")[1].c == 0.25
    assert "exploration=0.25" in parts_of("mcts:c=0.25", GameSpec.parse("6x7x4")).player
    assert "depth=1000000000" in parts_of("minimax:seconds=1", GameSpec.parse("6x7x4")).player
    assert "draws=True" in parts_of("minimax:tie=random", GameSpec.parse("6x7x4")).player
