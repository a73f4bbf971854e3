"""Exact values of windows against a slow twin, against the solver, and their limits."""

import numpy as np
import pytest
from hypothesis import given

from inarow.errors import InvalidLimitError
from inarow.games.spec import GameSpec
from inarow.learning.windows.exact import ExactWindows, check_window_count, solve_windows, window_count, window_index
from inarow.search.solver.api import solver_for
from tests.strategies import ongoing_positions
from tests.twins import reference
from tests.twins.windows import after, all_windows, best_result, bits

WINDOW = GameSpec(4, 4, 4)


@pytest.mark.parametrize("board", ["3x3x3", "2x3x2", "3x2x3", "2x4x3"])
def test_all_windows_are_those_of_the_twin(board):
    spec = GameSpec.parse(board)
    windows, scores = all_windows(spec), solve_windows(spec)
    assert len(windows) == len(scores) == window_count(spec)
    assert {window_index(*bits(cells, spec), spec) for cells in windows} == set(range(len(windows)))
    for cells in windows:
        if reference.has_line([list(row) for row in cells], 1, spec):
            continue  # no play leads here
        result, moves = best_result(cells, spec)
        expected = result * (spec.cells + 1 - moves) if result else 0
        assert scores[window_index(*bits(cells, spec), spec)] == expected, cells


def test_values_of_moves_are_discounted_results():
    spec = GameSpec(3, 3, 3)
    exact = ExactWindows(spec, gamma=0.5)
    for cells in all_windows(spec)[::7]:
        board = [list(row) for row in cells]
        if any(reference.has_line(board, side, spec) for side in (1, 2)):
            continue
        values = exact.values_of(*bits(cells, spec))
        for action, value in enumerate(values.tolist()):
            if board[0][action]:
                assert value == -np.inf
            else:
                result, moves = after(reference.play(board, action, 1, spec), spec)
                assert value == result * 0.5 ** (moves - 1)


@given(ongoing_positions(WINDOW))
def test_on_its_own_board_it_plays_perfectly(position):
    values = ExactWindows(WINDOW).values_of(position.stones, position.mask)
    truth = solver_for(WINDOW).analyse(position)
    assert np.sign(values.max()) == np.sign(truth.score)
    for action in position.legal_actions:
        assert np.sign(values[action]) == np.sign(truth.scores[action])


@pytest.mark.compiled
def test_there_are_923_521_windows_of_4x4_and_they_agree_with_their_mirror_images():
    scores = solve_windows(WINDOW)
    assert len(scores) == 923_521 == 31**4
    digits = np.arange(len(scores)).reshape(31, 31, 31, 31)
    assert (scores[digits] == scores[digits.transpose(3, 2, 1, 0)]).all()
    with pytest.raises(ValueError, match="read-only"):
        scores[0] = 1


def test_too_many_windows_are_refused():
    with pytest.raises(InvalidLimitError, match=r"there are 5\.3e\+14 windows of 6x7, more than the 1,073,741,824"):
        check_window_count(GameSpec(6, 7, 4))
    with pytest.raises(InvalidLimitError, match="need gravity"):
        solve_windows(GameSpec(3, 3, 3, gravity=False))
