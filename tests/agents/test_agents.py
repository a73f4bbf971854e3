"""What every agent must do, and what the simple ones do."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from inarow.agents import solver
from inarow.agents.agent import check_board
from inarow.agents.registry import make_agent, registry
from inarow.arena.game import play_game
from inarow.errors import FinishedGameError, InarowError, InvalidAgentError, InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.solver.solution import Analysis
from tests.strategies import ongoing_positions

SIMPLE = ["random", "greedy", "winblock", "winblock:epsilon=0.5", "greedy:epsilon=1"]
SEARCHING = [
    "minimax:depth=2",
    "minimax:depth=2,heuristic=powers,tie=random",
    "mcts:simulations=20",
    "hybrid:simulations=4",
    "hybrid:simulations=20,place=selection",
    "hybrid:simulations=20,place=backup,depth=3",
]
COMPILED = [
    pytest.param(name, marks=pytest.mark.compiled)
    for name in (
        "solver",
        "solver:tie=random",
        "solver:level=3",
        "minimax:depth=3,prune=false,memory=1",
        "mcts:simulations=100,final=score,solve=false,threads=2,memory=1",
        "hybrid:simulations=20,informed=all,heuristic=windows",
        "gupta-shah-2022/minimax",
        "paranji-2025/minimax:depth=2",
        "paranji-2025/winblock",
        "paranji-2025/q:episodes=20",
    )
]
NAMES = [*SIMPLE, *SEARCHING, *COMPILED]
# tested where they are at home:
ON_SOME_BOARDS = {
    "alphazero",
    "dqn",
    "gupta-shah-2022/alphazero",
    "harman/mcts",
    "harman/q",
    "human",
    "kaggle",
    "kumbhakern-2025/window",
    "negamax",
    "q",
    "window",
}


def test_every_agent_is_covered_here():
    texts = [name if isinstance(name, str) else name.values[0] for name in NAMES]
    assert {text.split(":")[0] for text in texts} | ON_SOME_BOARDS == set(registry())


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_decisions_are_legal_and_follow_from_the_seed(name, data, seed):
    is_slow = name in ("solver", "solver:tie=random", "gupta-shah-2022/minimax") or "hybrid" in name
    position = data.draw(ongoing_positions(max_side=4 if is_slow else 9))
    decision = make_agent(name, seed=seed).decide(position)
    assert decision.action in position.legal_actions
    assert replace(decision, nodes=None) == replace(make_agent(name, seed=seed).decide(position), nodes=None)
    if decision.policy is not None:
        assert len(decision.policy) == position.spec.actions
        assert sum(decision.policy) == pytest.approx(1)
        assert decision.policy[decision.action] > 0
        assert all(position.legal_actions.count(action) for action, chance in enumerate(decision.policy) if chance)


@pytest.mark.parametrize("name", list(registry()))
def test_finished_games_are_refused(name, tmp_path):
    """A won game and a full board, whatever the agent needs to play the board."""
    if name == "kaggle":
        (tmp_path / "agent.py").write_text("def act(observation):\n    return 0\n")
        name = f"kaggle:file={tmp_path / 'agent.py'}"
    agent = make_agent(name, ask=lambda position: 0)
    for position in (Position.parse("1212121"), Position.parse("513746289", TIC_TAC_TOE)):
        with pytest.raises(FinishedGameError, match="is over after"):
            agent.decide(position)
        with pytest.raises(FinishedGameError, match="is over after"):
            agent.decide(position, watch=print)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["minimax:seconds=0.05", "mcts:seconds=0.05", "hybrid:seconds=0.05"])
def test_seconds_end_a_decision(name):
    position = Position.start(GameSpec.parse("9x9x5/free"))
    clock = time.perf_counter()
    decision = make_agent(name).decide(position)
    assert time.perf_counter() - clock < 60  # a hang would be forever
    assert decision.action in position.legal_actions
    assert decision.nodes > 0


@pytest.mark.parametrize("name", SIMPLE)
def test_choices_have_the_chances_of_the_policy(name):
    position = Position.parse("4455")  # both 3 and 6 win
    agent = make_agent(name, seed=5)
    decisions = [agent.decide(position) for _ in range(4000)]
    for action, chance in enumerate(decisions[0].policy):
        seen = sum(decision.action == action for decision in decisions)
        assert abs(seen - 4000 * chance) <= 5 * (4000 * chance * (1 - chance)) ** 0.5


@given(ongoing_positions(max_side=8), st.integers(0, 100))
def test_greedy_takes_a_win_and_only_sees_wins(position, seed):
    decision = make_agent("greedy", seed=seed).decide(position)
    wins = position.winning_actions()
    expected = wins or position.legal_actions
    assert {action for action, chance in enumerate(decision.policy) if chance} == set(expected)


@given(ongoing_positions(max_side=8), st.integers(0, 100))
def test_winblock_takes_the_first_win_else_the_first_block(position, seed):
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
def test_the_solver_wins_fast_and_loses_slowly():
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
def test_the_solver_looks_ahead_where_a_board_is_too_hard():
    decision = make_agent("solver").decide(Position.start(GameSpec.parse("13x13x5")))
    assert decision.score is None
    assert decision.details == {"exact": False}
    assert decision.depth > 2
    for moves, action in (("1d2d3d4", 4), ("7d1d2d3d4", 12)):  # it blocks; it wins instead of blocking
        assert make_agent("solver").decide(Position.parse(moves, GameSpec.parse("13x13x5"))).action == action


@pytest.mark.compiled
def test_the_solver_looks_ahead_where_no_book_helps_it(monkeypatch):
    monkeypatch.setattr(solver, "_FAST_NODES", 1000)
    agent, spec = make_agent("solver"), GameSpec.parse("7x7x4")
    guess = agent.decide(Position.start(spec))
    assert (guess.score, guess.details) == (None, {"exact": False})
    assert agent.decide(Position.parse("112233", spec)).score == (49 + 1 - 6) // 2  # a win at once takes no search
    assert solver.usual_nodes(CONNECT_FOUR) is None


@pytest.mark.compiled
def test_the_solver_looks_ahead_where_it_knows_the_score_but_no_move(monkeypatch):
    start = Position.start()
    scores = (None,) * start.spec.actions
    nothing = Analysis(score=1, bounds=(1, 1), plies=41, scores=scores, best=(), nodes=5, seconds=0.0)
    monkeypatch.setattr(solver.Solver, "analyse", lambda *arguments, **options: nothing)
    monkeypatch.setattr(solver, "FALLBACK_NODES", 1000)
    decision = make_agent("solver").decide(start)
    assert decision.action in start.legal_actions
    assert decision.score is None


@pytest.mark.compiled
def test_negamax_meets_the_published_rates_against_random_play():
    """4.36 % wins of a random first player in 15.05 plies a game, 2.32 % and 13.02 of a random second
    one, over 2,500 games each; five standard errors wide.
    """
    games, inverse = 1000, 1 / 2500 + 1 / 1000
    for random_side, wins, plies in ((1, 0.0436, 15.05), (2, 0.0232, 13.02)):
        records = []
        for game in range(games):
            agents = [make_agent("random", seed=2 * game), make_agent("negamax", seed=2 * game + 1)]
            records.append(play_game(*(agents if random_side == 1 else agents[::-1])))
        rate = sum(record.winner == random_side for record in records) / games
        lengths = [len(record.actions) for record in records]
        assert abs(rate - wins) < 5 * (wins * (1 - wins) * inverse) ** 0.5
        assert abs(np.mean(lengths) - plies) < 5 * np.std(lengths) * inverse**0.5


def test_negamax_draws_among_good_moves_only_when_nothing_is_at_stake():
    always = "negamax:omega=1"
    quiet, urgent = Position.parse("4"), Position.parse("112233")
    assert len({make_agent(always, seed=seed).decide(quiet).action for seed in range(40)}) > 1
    assert {make_agent(always, seed=seed).decide(urgent).action for seed in range(40)} == {3}
    assert len({make_agent("negamax:omega=0", seed=seed).decide(quiet).action for seed in range(10)}) == 1


def test_minimax_draws_ties_at_random_if_told_to():
    start = Position.start()
    agents = [make_agent("minimax:depth=1,heuristic=powers,tie=random", seed=seed) for seed in range(60)]
    assert {agent.decide(start).action for agent in agents} == set(range(7))
    assert make_agent("minimax:depth=1,heuristic=powers").decide(start).action == 0


@pytest.mark.compiled
def test_levels_draw_lots_below_the_top():
    start = Position.start()
    assert len({make_agent("solver:level=1", seed=seed).decide(start).action for seed in range(40)}) == 7
    assert {make_agent("solver:level=9", seed=seed).decide(start).action for seed in range(3)} == {3}
    assert make_agent("solver:level=10").name == "solver"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("minimax:depth=0", "depth of minimax is '0'; it must be a whole number from 1 to 256 or auto or none"),
        ("mcts:simulations=-5", "simulations of mcts is '-5'; it must be a whole number from 1 to 100000000 or auto"),
        ("mcts:simulations=5,seconds=1", "mcts takes either simulations or seconds"),
        ("hybrid:simulations=5,seconds=1", "hybrid takes either simulations or seconds"),
        ("mcts:seconds=nan", "seconds of mcts is 'nan'"),
        ("hybrid:depth=9", "depth of hybrid is '9'; it must be a whole number from 1 to 8"),
        ("minimax:heuristic=best", "it must be one of powers, squares, windows"),
        ("solver:level=11", "level of solver is '11'; it must be a whole number from 1 to 10"),
        ("solver:level=3,tie=random", "solver takes tie only at level 10"),
        ("solver:level=3,threads=2", "solver takes threads only at level 10"),
    ],
)
def test_bad_parameters_are_reported_in_one_line(text, reason):
    with pytest.raises(InvalidAgentError) as caught:
        make_agent(text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_heuristic_that_does_not_fit_is_reported_in_one_line():
    with pytest.raises(InvalidLimitError, match="the heuristic squares does not fit 3x5x4"):
        make_agent("negamax").decide(Position.start(GameSpec.parse("3x5x4")))


@pytest.mark.parametrize(
    ("name", "board"),
    [
        ("negamax", "3x5x4"),
        ("minimax:heuristic=squares", "3x5x4"),
        ("hybrid:heuristic=squares", "3x5x4"),
        ("q", "6x7x4"),
        ("window", "3x7x4"),
        ("dqn", "tictactoe"),
        ("dqn:net=santos-2025-first-quantum", "tictactoe"),
        ("harman/mcts", "tictactoe"),
        ("harman/q", "tictactoe"),
        ("kumbhakern-2025/window", "tictactoe"),
    ],
)
def test_a_board_is_refused_without_a_decision_as_with_one(name, board):
    agent, start = make_agent(name), Position.start(GameSpec.parse(board))
    with pytest.raises(InarowError) as told:
        check_board(agent, start.spec)
    with pytest.raises(type(told.value)) as caught:
        agent.decide(start)
    assert str(told.value) == str(caught.value)


@pytest.mark.parametrize("name", ["random", "negamax", "minimax", "mcts", "hybrid", "solver", "dqn", "harman/mcts"])
def test_a_board_that_fits_is_not_refused(name):
    check_board(make_agent(name), CONNECT_FOUR)
