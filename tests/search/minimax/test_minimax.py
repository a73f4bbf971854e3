"""Heuristics and minimax against their slow twins."""

import time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inarow.errors import FinishedGameError, InvalidLimitError
from inarow.games.bits import from_int
from inarow.games.kernels import compiled_layout, kernel
from inarow.games.layout import layout_of
from inarow.games.position import Position
from inarow.games.spec import TIC_TAC_TOE, GameSpec
from inarow.search.limits import Limits
from inarow.search.minimax import heuristics
from inarow.search.minimax.heuristics import (
    evaluate,
    heuristic_names,
    make_heuristic,
    register_heuristic,
    window_heuristic,
    window_weights,
)
from inarow.search.minimax.minimax import Minimax, forced_end
from tests.strategies import ongoing_positions
from tests.twins import reference

BOARDS = ("6x7x4", "tictactoe", "4x4x3", "3x5x3/free", "5x6x4")
evaluate_kernel = kernel(evaluate)


def heuristic_value(name, position, *, wide=None):
    """The heuristic for the side to move, by the kernel."""
    heuristic = make_heuristic(name, position.spec, wide=wide)
    layout = compiled_layout(position.spec, wide=wide)
    own = from_int(position.stones, layout.board)
    other = from_int(position.mask ^ position.stones, layout.board)
    return evaluate_kernel(own, other, heuristic.starts, heuristic.weights, layout) / heuristic.unit


def random_position(spec, rng):
    """An unfinished position of a random game."""
    while True:
        position = Position.start(spec)
        for _ in range(int(rng.integers(spec.cells))):
            if position.is_over:
                break
            legal = position.legal_actions
            position = position.play(legal[int(rng.integers(len(legal)))])
        if not position.is_over:
            return position


@pytest.mark.parametrize("name", heuristic_names())
@pytest.mark.parametrize("board", [*BOARDS, "9x9x4", "7x8x4/free"])
@settings(max_examples=15)
@given(data=st.data())
def test_heuristics_agree_with_the_slow_twin(name, board, data):
    position = data.draw(ongoing_positions(GameSpec.parse(board)))
    expected = reference.heuristic(name, position.to_array().tolist(), position.side_to_move, position.spec)
    for wide in (None, True):
        assert heuristic_value(name, position, wide=wide) == pytest.approx(expected)


@settings(max_examples=60)
@given(ongoing_positions(max_inarow=5), st.sampled_from(heuristic_names()))
def test_heuristics_serve_every_board(position, name):
    spec = position.spec
    assume(name != "squares" or spec.inarow <= min(spec.rows, spec.columns))
    expected = reference.heuristic(name, position.to_array().tolist(), position.side_to_move, spec)
    assert heuristic_value(name, position) == pytest.approx(expected)


def scattered(spec, share, rng):
    """Stones as no game leaves them: so large a share of one side that long windows stay open, few of the other."""
    layout = layout_of(spec)
    sides = [0, 0]
    for row in range(spec.rows):
        for column in range(spec.columns):
            chance = rng.random()
            if chance < share + 0.03:
                sides[chance >= share] |= 1 << layout.cell(row, column)
    return [Position(spec, own, sides[0] | sides[1], (), None, layout) for own in sides]


@pytest.mark.parametrize("name", heuristic_names())
@pytest.mark.parametrize("board", ["6x8x6", "9x7x7", "8x8x8/free", "10x9x9", "12x16x12/free", "15x15x15", "16x16x16"])
def test_heuristics_of_long_lines_agree_with_the_slow_twin(name, board):
    spec = GameSpec.parse(board)
    rng = np.random.default_rng(6)
    for share in (0.2, 0.5, 0.8, 0.95):
        for position in scattered(spec, share, rng):
            expected = reference.heuristic(name, position.to_array().tolist(), position.side_to_move, spec)
            assert heuristic_value(name, position) == pytest.approx(expected)


@pytest.mark.parametrize("inarow", range(2, 17))
def test_every_number_of_stones_in_a_window_is_counted(inarow):
    """On a board that is one window, worth as much as it has stones."""
    spec, rng = GameSpec(1, inarow, inarow), np.random.default_rng(inarow)
    worths = np.arange(inarow + 1)
    for wide in (None, True):
        layout = compiled_layout(spec, wide=wide)
        heuristic = window_heuristic(spec, worths, -worths, 1.0, wide=wide)
        nothing = from_int(0, layout.board)
        for stones in range(inarow + 1):
            columns = rng.choice(inarow, stones, replace=False).tolist()
            some = from_int(sum(1 << layout_of(spec).cell(0, column) for column in columns), layout.board)
            for own, other, worth in ((some, nothing, stones), (nothing, some, -stones)):
                assert evaluate_kernel(own, other, heuristic.starts, heuristic.weights, layout) == worth


def test_window_weights_are_the_published_ones_and_grow():
    assert window_weights(3) == [20, 60]
    assert window_weights(4) == [10, 30, 80]
    for inarow in range(2, 17):
        assert len(window_weights(inarow)) == inarow - 1
        assert window_weights(inarow) == sorted(window_weights(inarow))


def test_squares_need_a_square():
    with pytest.raises(InvalidLimitError, match="squares does not fit 3x5x4: it has no square of 4x4"):
        make_heuristic("squares", GameSpec.parse("3x5x4"))


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", heuristic_names())
def test_minimax_agrees_with_the_slow_twin(board, name):
    spec = GameSpec.parse(board)
    rng = np.random.default_rng(5)
    search = Minimax(spec, make_heuristic(name, spec), prune=False)
    for _ in range(12):
        position = random_position(spec, rng)
        depth = int(rng.integers(1, 4))
        result = search.search(position, Limits(depth=depth))
        cells, side = position.to_array().tolist(), position.side_to_move
        kind, number = reference.minimax(name, cells, side, result.depth, spec, side, position.ply)
        if kind == "open":
            assert result.value == pytest.approx(number)
        else:
            assert forced_end(result.value) == number
            assert (result.value > 0) == (kind == "win")


@pytest.mark.compiled
@pytest.mark.parametrize("board", BOARDS)
def test_pruning_memory_and_order_change_neither_value_nor_move(board):
    """2,000 positions on each of five boards; on Tic Tac Toe and 4x4x3 to the end of the game."""
    spec = GameSpec.parse(board)
    rng = np.random.default_rng(11)
    heuristics = [make_heuristic(name, spec) for name in heuristic_names()]
    plain = [Minimax(spec, heuristic, prune=False) for heuristic in heuristics]
    natural = np.arange(spec.actions)
    others = [
        [
            Minimax(spec, heuristic),
            Minimax(spec, heuristic, order=natural),
            Minimax(spec, heuristic, memory=1 << 16),
            Minimax(spec, heuristic, prune=False, memory=1 << 16),
        ]
        for heuristic in heuristics
    ]
    ties = [Minimax(spec, heuristic, all_best=True) for heuristic in heuristics]
    for number in range(2000):
        position = random_position(spec, rng)
        which = number % 3
        depth = None if spec.cells - position.ply <= 8 else int(rng.integers(1, 5))
        expected = plain[which].search(position, Limits(depth=depth))
        for search in others[which]:
            found = search.search(position, Limits(depth=depth))
            assert (found.value, found.action) == (expected.value, expected.action), repr(position)
            assert found.nodes <= expected.nodes
        best = [action for action, value in enumerate(expected.values) if value == expected.value]
        if None not in [expected.values[action] for action in position.legal_actions]:
            assert list(ties[which].search(position, Limits(depth=depth)).best) == best


def test_boards_of_five_words_give_the_same():
    spec = GameSpec.parse("6x7x4")
    rng = np.random.default_rng(3)
    for name in heuristic_names():
        word, wide = (Minimax(spec, make_heuristic(name, spec, wide=wide), wide=wide) for wide in (False, True))
        for _ in range(5):
            position = random_position(spec, rng)
            assert word.search(position, Limits(depth=3)) == wide.search(position, Limits(depth=3))


def test_a_fast_win_is_preferred_and_a_loss_put_off():
    search = Minimax(GameSpec.parse("6x7x4"), make_heuristic("windows", GameSpec.parse("6x7x4")))
    now = search.search(Position.parse("445566"), Limits(depth=5))
    assert now.action in (2, 6)
    assert forced_end(now.value) == 7
    later = search.search(Position.parse("45"), Limits(depth=7))
    assert later.value < now.value
    lost = search.search(Position.parse("44455554221"), Limits(depth=6))
    assert forced_end(lost.value) == 13
    assert lost.value < 0


def test_nodes_are_positions_entered():
    """Without cut-offs and without an early end: 7 + 49 + 343 for three plies of the empty board."""
    spec = GameSpec.parse("6x7x4")
    search = Minimax(spec, make_heuristic("windows", spec), prune=False)
    assert [search.search(Position.start(spec), Limits(depth=depth)).nodes for depth in (1, 2, 3)] == [7, 56, 399]


def test_deepening_ends_at_its_limits():
    spec = GameSpec.parse("6x7x4")
    search = Minimax(spec, make_heuristic("windows", spec))
    start = Position.start(spec)
    fixed = search.search(start, Limits(depth=4))
    deepened = search.search(start, Limits(depth=4, cancelled=lambda: False))
    assert (deepened.action, deepened.depth, fixed.depth) == (fixed.action, 4, 4)
    assert deepened.nodes > fixed.nodes
    assert search.search(start, Limits(nodes=1)).depth == 1
    assert search.search(start, Limits(cancelled=lambda: True)).depth == 1
    assert search.search(Position.parse("445566"), Limits(seconds=60)).depth == 1  # a forced end


def test_a_watched_search_reports_what_it_finished():
    spec = GameSpec.parse("6x7x4")
    seen = []
    found = Minimax(spec, make_heuristic("windows", spec)).search(
        Position.start(spec), Limits(depth=4), watch=seen.append
    )
    assert [known.depth for known in seen] == sorted(known.depth for known in seen)
    assert {known.depth for known in seen} == {1, 2, 3}
    assert seen[-1].nodes < found.nodes


@pytest.mark.compiled
def test_time_ends_a_deepening_search():
    spec = GameSpec.parse("12x12x5")
    clock = time.perf_counter()
    result = Minimax(spec, make_heuristic("windows", spec)).search(Position.start(spec), Limits(seconds=0.1))
    assert time.perf_counter() - clock < 60  # a hang would be forever
    assert 1 <= result.depth < spec.cells
    assert result.action in range(12)


@pytest.mark.parametrize("moves", ["14253", "513746289"])
def test_a_finished_game_is_not_searched(moves):
    finished = Position.parse(moves, TIC_TAC_TOE)
    search = Minimax(TIC_TAC_TOE, make_heuristic("windows", TIC_TAC_TOE))
    for limits in (Limits(depth=2), Limits(), Limits(seconds=1)):
        with pytest.raises(FinishedGameError, match="is over after"):
            search.search(finished, limits)


@pytest.mark.compiled
def test_tic_tac_toe_is_never_lost():
    """Against every play of the opponent, on both sides, with every heuristic's search to the end."""
    search = Minimax(TIC_TAC_TOE, make_heuristic("windows", TIC_TAC_TOE))
    for side in (1, 2):
        front = [Position.start(TIC_TAC_TOE)]
        while front:
            position = front.pop()
            if position.is_over:
                assert position.winner in (None, side)
            elif position.side_to_move == side:
                front.append(position.play(search.search(position).action))
            else:
                front += [position.play(action) for action in position.legal_actions]


def test_a_registered_heuristic_is_found_by_its_name(monkeypatch):
    monkeypatch.setattr(heuristics, "_FACTORIES", dict(heuristics._FACTORIES))
    with pytest.raises(
        InvalidLimitError, match="there is no heuristic 'pairs'; heuristics are windows, powers, squares"
    ):
        make_heuristic("pairs", TIC_TAC_TOE)
    register_heuristic("pairs", lambda spec, wide: window_heuristic(spec, (0, 0, 1), (0, 0, -1), 1.0, wide=wide))
    assert heuristic_names() == ("windows", "powers", "squares", "pairs")
    search = Minimax(TIC_TAC_TOE, make_heuristic("pairs", TIC_TAC_TOE))
    assert search.search(Position.parse("19", TIC_TAC_TOE), Limits(depth=1)).value == 1.0


@pytest.mark.parametrize(("name", "reason"), [("windows", "the name is taken"), ("a,b", "letters"), ("", "letters")])
def test_a_bad_name_of_a_heuristic_is_refused(name, reason):
    with pytest.raises(InvalidLimitError, match=reason):
        register_heuristic(name, heuristics._FACTORIES["powers"])
