"""Positions on which training networks are graded: right, the same each time, and on boards of every size."""

import numpy as np
import pytest

from inarow.arena.curve_positions import curve_suite, description
from inarow.arena.grading import curve_grader
from inarow.arena.suite import ILLEGAL, find_suite
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.learning.alphazero.run import AlphaZeroRun
from inarow.learning.learner import Services
from inarow.search.solver.solver import Solver
from inarow.search.tree.evaluation import uniform_evaluator
from tests.learning.alphazero.tiny_runs import TINY, tiny

pytestmark = pytest.mark.compiled
GRAVITY, FREE = GameSpec.parse("8x9x5"), GameSpec.parse("9x9x5/free")


def outcomes(suite, number):
    return {action: int(score) for action, score in enumerate(suite.scores[number]) if score != ILLEGAL}


def is_quiet(position: Position) -> bool:
    return not position.winning_actions() and not position.winning_actions(of_opponent=True)


def wins_with_the_next_stone(position: Position, action: int) -> bool:
    """Whether the opponent, without a winning move, cannot prevent it: every reply is tried."""
    after = position.play(action)
    if after.is_over or after.winning_actions():
        return False
    replies = [after.play(reply) for reply in after.legal_actions]
    return all(not reply.is_over and bool(reply.winning_actions()) for reply in replies)


def test_endgames_are_quiet_and_critical_and_their_outcomes_are_those_of_the_solver():
    suite, solver = curve_suite(GRAVITY), Solver(GRAVITY)
    assert suite.name == "endgames"
    assert 100 <= len({position.key for position in suite.positions}) <= len(suite) <= 250
    for number in range(0, len(suite), 24):
        position, row = suite.positions[number], outcomes(suite, number)
        assert is_quiet(position)
        assert min(row.values()) < max(row.values())
        scores = solver.analyse(position).scores
        assert row == {action: int(np.sign(scores[action])) for action in position.legal_actions}


@pytest.mark.parametrize("board", ["9x9x5/free", "10x10x4"])
def test_a_double_threat_is_the_one_move_that_wins_with_the_next_stone(board):
    suite = curve_suite(GameSpec.parse(board))
    assert suite.name == "double threats"
    assert len(suite) >= 50
    for number in range(0, len(suite), 12):
        position, row = suite.positions[number], outcomes(suite, number)
        assert is_quiet(position)
        assert tuple(row) == position.legal_actions
        wins = [action for action in row if wins_with_the_next_stone(position, action)]
        assert [action for action, outcome in row.items() if outcome == 1] == wins
        assert len(wins) == 1


def test_positions_are_the_same_each_time():
    assert curve_suite.__wrapped__(GRAVITY).checksum == curve_suite(GRAVITY).checksum


@pytest.mark.parametrize("spec", [CONNECT_FOUR, TIC_TAC_TOE, GameSpec.parse("4x4x4")])
def test_boards_with_a_suite_keep_it(spec):
    suite, whole = curve_suite(spec), find_suite(None, spec)
    rows = {position: tuple(row) for position, row in zip(whole.positions, whole.scores.tolist(), strict=True)}
    assert suite.name == whole.name
    assert 50 <= len(suite) <= 250
    for position, row in zip(suite.positions, suite.scores.tolist(), strict=True):
        assert rows[position] == tuple(row)
        legal = np.sign([score for score in row if score != ILLEGAL])
        assert legal.min() < legal.max()
    assert description(suite) == f"{len(suite)} critical positions of the {whole.name} suite of {spec}"


@pytest.mark.parametrize(("spec", "about"), [(GRAVITY, "endgames on 8x9x5"), (FREE, "double threats on 9x9x5/free")])
def test_every_board_has_a_curve_with_numbers(spec, about):
    grade = curve_grader([spec])
    raw, searched = grade(uniform_evaluator, 32)
    assert 0 <= raw < searched <= 1
    assert grade.description.endswith(about)


def test_many_boards_are_graded_on_connect_four_or_on_the_first():
    assert curve_grader([TIC_TAC_TOE, CONNECT_FOUR]).description.endswith("standard suite of 6x7x4")
    assert curve_grader([TIC_TAC_TOE, FREE]).description.endswith("exhaustive suite of 3x3x3/free")


@pytest.mark.parametrize("board", ["1x2x2", "16x16x16/free"])
def test_where_all_moves_are_alike_there_is_no_accuracy(board):
    assert curve_grader([GameSpec.parse(board)]) is None


def test_a_run_says_what_it_was_graded_on(tmp_path):
    selfplay = {**TINY["selfplay"], "games": 8}
    config = tiny(board="8x9x5", iterations=1, iteration_games=8, selfplay=selfplay, graded_simulations=4)
    run = AlphaZeroRun.start(config, tmp_path, Services(make_grade=curve_grader))
    run.train()
    assert 0 <= run.curve[-1].raw_accuracy <= 1
    assert 0 <= run.curve[-1].search_accuracy <= 1
    told = f"raw and searched: accuracy on {len(curve_suite(GRAVITY))} endgames on 8x9x5"
    assert told in run.log
    assert told in AlphaZeroRun.resume(tmp_path).table().caption
    assert run.report().details["graded_on"].endswith("endgames on 8x9x5")
