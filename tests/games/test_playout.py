import numpy as np
import pytest

from inarow.games.playout import random_playouts
from inarow.games.position import Position
from inarow.games.spec import TIC_TAC_TOE, GameSpec


def playouts(position, games, seed=0, *, wide=None):
    return random_playouts(position, games, np.random.default_rng(seed), wide=wide)


@pytest.mark.compiled
def test_tic_tac_toe_results_have_their_exact_chances():
    """Random play: first wins 737/1260, draws 8/63, second wins 121/420 (count over all 9! orders)."""
    games = 200_000
    counts = playouts(Position.start(TIC_TAC_TOE), games)
    for number, chance in ((counts.wins, 737 / 1260), (counts.draws, 8 / 63), (counts.losses, 121 / 420)):
        assert abs(number - games * chance) < 5 * (games * chance * (1 - chance)) ** 0.5


@pytest.mark.parametrize("board", ["6x7x4", "12x12x5", "7x8x4", "9x9x5/free", "3x3x3/free", "1x5x5", "2x5x5"])
def test_every_game_ends_with_one_result(board):
    spec = GameSpec.parse(board)
    counts = playouts(Position.start(spec), 20)
    assert counts.wins + counts.draws + counts.losses == 20
    assert 20 * (2 * spec.inarow - 1) <= counts.plies + 20 * spec.cells * (counts.draws > 0)
    assert counts.plies <= 20 * spec.cells
    if counts.draws == 20:
        assert counts.plies == 20 * spec.cells


def test_results_are_for_the_side_to_move():
    one_left = Position.parse("21113141657234567765432765432234567765432")  # the last cell wins for the second side
    assert playouts(one_left, 5) == (5, 0, 0, 5)
    two_left = Position.parse("2111314165723456776543276543223456776543")
    assert two_left.legal_actions == (0, 1)
    assert playouts(two_left, 5).draws + playouts(two_left, 5).losses == 5


def test_the_same_seed_gives_the_same_games_and_both_kinds_agree():
    start = Position.parse("4453")
    assert playouts(start, 50, 3) == playouts(start, 50, 3)
    assert playouts(start, 50, 3) == playouts(start, 50, 3, wide=True)
    assert playouts(start, 50, 3) != playouts(start, 50, 4)
