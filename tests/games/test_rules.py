"""Python integers, machine words and five-word numbers must say the same, and what lists of lists say."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inarow.games import rules
from inarow.games.bits import Wide, from_int, to_int
from inarow.games.kernels import compiled_layout
from inarow.games.layout import layout_of
from inarow.games.position import Position, cells_of
from inarow.games.spec import GameSpec
from tests.games.probe import (
    probe_facts,
    probe_hash,
    probe_landing,
    probe_places,
    probe_sets,
    probe_shifts,
    probe_single,
)
from tests.strategies import positions, specs
from tests.twins import reference

WHOLE_WORD = GameSpec(7, 8, 4)
numbers = st.integers(0, 2**320 - 1)


def kinds(spec):
    """Which of the two compiled representations can hold a board."""
    return (False, True) if spec.fits_word else (True,)


@given(positions())
@example(Position.parse("8888888", WHOLE_WORD))
@example(Position.parse("7777777" + "8888888" + "1", WHOLE_WORD))
def test_compiled_rules_equal_the_plain_ones(position):
    plain = layout_of(position.spec)
    stones, mask = position.mask ^ position.stones, position.mask
    for wide in kinds(position.spec):
        layout = compiled_layout(position.spec, wide=wide)
        like = layout.board
        got = probe_sets(layout, from_int(stones, like), from_int(mask, like))
        assert [to_int(cells) for cells in got] == [
            rules.playable(mask, plain),
            rules.winning_cells(stones, mask, plain),
            rules.mirror(stones, plain),
            rules.gravity_key(stones, mask, plain),
        ]
        if position.actions:
            cell = _last_cell(position)
            facts = probe_facts(layout, from_int(stones, like), from_int(mask, like), cell)
            line = position.winner is not None
            assert tuple(facts) == (line, line, line, True, True, stones.bit_count(), cells_of(mask)[0])


def _last_cell(position):
    *_, before, _ = position.line()
    return before.landing_cell(position.actions[-1])


@given(positions(max_side=7))
def test_the_rules_equal_the_reference(position):
    spec, layout = position.spec, position.layout
    cells = position.to_array().tolist()
    assert list(position.legal_actions) == reference.legal_actions(cells, spec)
    for side in (1, 2):
        stones = position.stones if side == position.side_to_move else position.mask ^ position.stones
        assert rules.has_line(stones, layout) == reference.has_line(cells, side, spec)
        assert rules.has_line(stones, layout) == (position.winner == side)
        found = rules.winning_cells(stones, position.mask, layout)
        assert {layout.row_and_column(cell) for cell in cells_of(found)} == reference.winning_cells(cells, side, spec)


@pytest.mark.parametrize("board", ["6x7x4", "3x5x3/free", "16x3x4", "15x15x5/free"])
def test_cells_have_a_place_and_an_action(board):
    spec = GameSpec.parse(board)
    layout, compiled, start = layout_of(spec), compiled_layout(spec), Position.start(spec)
    places = [(row, column) for row in range(spec.rows) for column in range(spec.columns)]
    for number, (row, column) in enumerate(places):
        cell = layout.cell(row, column)
        action = column if spec.gravity else number
        assert tuple(probe_places(compiled, cell)) == (row, column, cell, action)
        assert (layout.row_and_column(cell), start.action_of(cell)) == ((row, column), action)


@pytest.mark.parametrize("board", ["4x4x4", "6x7x4", "4x5x3/free", "12x11x5"])
@pytest.mark.parametrize("window", ["4x4x4", "3x2x2", "1x4x2"])
@given(data=st.data())
def test_a_window_is_a_part_of_the_board(board, window, data):
    spec, part = GameSpec.parse(board), GameSpec.parse(window)
    position = data.draw(positions(spec=spec))
    left = data.draw(st.integers(0, spec.columns - part.columns))
    base = data.draw(st.integers(0, spec.rows - part.rows))
    seen = rules.window(position.mask, left, base, layout_of(part), position.layout)
    top = spec.rows - base - part.rows
    expected = position.to_array()[top : top + part.rows, left : left + part.columns] != 0
    cells = [layout_of(part).cell(int(row), int(column)) for row, column in np.argwhere(expected)]
    assert cells_of(seen) == sorted(cells)


@given(positions(max_side=7))
def test_stones_land_where_positions_put_them(position):
    layout = layout_of(position.spec)
    open_actions = {
        action for action in range(position.spec.actions) if not position.mask >> position._entry(action) & 1
    }
    for action in range(rules.action_count(layout)):
        expected = position.landing_cell(action) if action in open_actions else -1
        assert rules.landing_cell(position.mask, action, layout) == expected
        for wide in kinds(position.spec):
            compiled = compiled_layout(position.spec, wide=wide)
            assert probe_landing(compiled, from_int(position.mask, compiled.board), action) == expected
    assert rules.action_count(layout) == position.spec.actions


@pytest.mark.parametrize("inarow", range(2, 17))
def test_lines_of_every_length_are_seen_and_shorter_ones_are_not(inarow):
    layout = layout_of(GameSpec(16, 16, inarow))
    far = 16 - inarow
    for row_step, column_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
        row, column = far // 2, (far // 2 if column_step >= 0 else 15 - far // 2)
        cells = [layout.cell(row + row_step * each, column + column_step * each) for each in range(inarow)]
        stones = sum(1 << cell for cell in cells)
        assert rules.has_line(stones, layout)
        assert all(rules.has_line_through(stones, cell, layout) for cell in cells)
        for cell in cells:
            left = stones ^ 1 << cell
            assert not rules.has_line(left, layout)
            assert not any(rules.has_line_through(left, other, layout) for other in cells if other != cell)
            assert rules.winning_cells(left, left, layout) >> cell & 1


@pytest.mark.parametrize("spec", [WHOLE_WORD, GameSpec(16, 16, 5), GameSpec(1, 16, 16), GameSpec(16, 1, 2)], ids=str)
@pytest.mark.parametrize("corner", [0, -1])
def test_a_stone_in_a_corner_is_seen(spec, corner):
    layout = layout_of(spec)
    cell = [layout.cell(spec.rows - 1, 0), layout.cell(0, spec.columns - 1)][corner]
    for wide in kinds(spec):
        like = compiled_layout(spec, wide=wide).board
        assert to_int(probe_single(cell, like)) == 1 << cell


@given(numbers, numbers, st.integers(0, 319))
@example(2**320 - 1, 2**319, 64)
@example(2**320 - 1, 1, 0)
@example(2**320 - 1, 1, 63)
def test_a_wide_number_computes_like_an_integer(left, right, distance):
    keep = 2**320 - 1
    got = probe_shifts(Wide.from_int(left), Wide.from_int(right), distance)
    expected = left & right, left | right, left ^ right, ~left & keep, left << distance & keep, left >> distance
    assert tuple(Wide(*words).to_int() for words in got) == expected


@given(st.data(), specs(max_side=8).filter(lambda spec: spec.fits_word))
def test_the_hash_key_of_a_word_distinguishes_positions(data, spec):
    one, other = data.draw(positions(spec=spec)), data.draw(positions(spec=spec))
    layout = compiled_layout(spec)
    first, second = (probe_hash(layout, np.uint64(each.stones), np.uint64(each.mask)) for each in (one, other))
    assert (first == second) == (one == other)
    if spec.gravity:
        assert (int(first), int(second)) == (one.key, other.key)


@given(st.lists(positions(spec=GameSpec(9, 9, 5, gravity=False)), min_size=2, max_size=8))
def test_the_hash_key_of_a_wide_board_distinguishes_positions(some):
    layout = compiled_layout(GameSpec(9, 9, 5, gravity=False))
    hashes = {
        int(probe_hash(layout, Wide.from_int(position.stones), Wide.from_int(position.mask))) for position in some
    }
    assert len(hashes) == len(set(some))
