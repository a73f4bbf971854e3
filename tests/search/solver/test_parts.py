"""The parts of the fast search."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inarow.games import rules
from inarow.games.kernels import kernel
from inarow.games.position import Position, cells_of
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.search.solver.engines import FastEngine, PlainEngine
from inarow.search.solver.geometry import (
    GEOMETRY,
    ConstantGeometry,
    has_line,
    lines_through_cells,
    make_geometry,
    winning_cells,
)
from inarow.search.solver.lanes import bit_length, four_gaps, has_four
from inarow.search.solver.solution import win_score
from inarow.search.solver.solver import NullWindowSearch
from inarow.search.solver.table import HIGHEST, LOWEST, lower_of, probe, scramble, store, upper_of
from tests.strategies import ongoing_positions, positions, specs

words = st.integers(0, 2**64 - 1)


@kernel
def probe_lanes(stones, stride, number):
    return four_gaps(stones, stride), has_four(stones, stride), bit_length(number)


@kernel
def probe_geometry(stones, free, geometry):
    return winning_cells(stones, free, geometry), has_line(stones, geometry)


@kernel
def probe_table(table, bucket, tag, lower, upper, nodes):
    store(table, bucket, tag, lower, upper, nodes)
    word = probe(table, bucket, tag)
    return lower_of(word), upper_of(word)


@kernel
def probe_scramble(key, key_bits, key_mask):
    return scramble(key, key_bits, key_mask)


@given(words, st.integers(5, 16), st.integers(0, 2**40))
def test_vector_instructions_mean_what_the_plain_code_says(stones, stride, number):
    steps = (1, stride - 1, stride, stride + 1)
    gaps, line, length = probe_lanes(np.uint64(stones), np.uint64(stride), number)
    keep = 2**64 - 1
    expected = 0
    for step in steps:
        expected |= rules.line_gaps(stones, step, 4) & keep
    # The vector form also reports stones that complete a full line themselves, which is harmless
    # where only empty cells are asked for.
    assert int(gaps) & ~stones & keep == expected & ~stones & keep
    assert line == any(rules.line_starts(stones, step, 4) for step in steps)
    assert length == number.bit_length()


@given(positions(max_side=8))
def test_winning_cells_and_lines_equal_the_rules(position):
    spec = position.spec
    assume(spec.gravity and spec.fits_word)
    geometry = make_geometry(spec)
    free = position.layout.board & ~position.mask
    for stones in (position.stones, position.mask ^ position.stones):
        cells, line = probe_geometry(np.uint64(stones), np.uint64(free), geometry)
        assert int(cells) == rules.winning_cells(stones, position.mask, position.layout)
        assert line == rules.has_line(stones, position.layout)


@given(specs())
def test_every_line_is_counted_at_each_of_its_cells(spec):
    rows, columns, inarow = spec.rows, spec.columns, spec.inarow
    straight = rows * max(0, columns - inarow + 1) + columns * max(0, rows - inarow + 1)
    diagonal = 2 * max(0, rows - inarow + 1) * max(0, columns - inarow + 1)
    assert lines_through_cells(spec).sum() == inarow * (straight + diagonal)


def test_connect_four_has_69_lines():
    assert lines_through_cells(CONNECT_FOUR).sum() == 69 * 4


@given(st.integers(4, 64), st.lists(words, min_size=2, max_size=50, unique=True))
def test_scrambling_is_a_bijection(key_bits, numbers):
    mask = 2**key_bits - 1
    keys = {number & mask for number in numbers}
    scrambled = {int(probe_scramble(np.uint64(key), np.uint64(key_bits), np.uint64(mask))) for key in keys}
    assert len(scrambled) == len(keys)
    assert max(scrambled) <= mask


def test_scrambling_is_a_bijection_of_all_small_keys():
    scrambled = {int(probe_scramble(np.uint64(key), np.uint64(12), np.uint64(4095))) for key in range(4096)}
    assert scrambled == set(range(4096))


@given(st.lists(st.tuples(st.integers(-30, 30), st.integers(0, 2), st.booleans()), min_size=1, max_size=30))
def test_an_entry_keeps_the_sharpest_bounds(answers):
    """Bounds around a score of 0 to 2, in any order, never contradict each other."""
    table = np.zeros(4, np.uint64)
    low, high = LOWEST, HIGHEST
    for distance, _, is_lower in answers:
        lower, upper = (-abs(distance), HIGHEST) if is_lower else (LOWEST, abs(distance))
        low, high = max(low, lower), min(high, upper)
        assert probe_table(table, np.uint64(2), np.uint64(77), lower, upper, 5) == (low, high)
    assert (table[:2] == 0).all()


def test_a_bucket_replaces_its_cheaper_entry():
    table = np.zeros(2, np.uint64)
    for tag, nodes in ((1, 1000), (2, 10), (3, 100)):
        probe_table(table, np.uint64(0), np.uint64(tag), -1, 1, nodes)
    assert sorted(int(word) >> 16 for word in table) == [1, 3]


@pytest.mark.parametrize("board", ["6x7x4", "7x8x4", "5x6x4"])
def test_odd_and_even_rows_share_the_board(board):
    spec = GameSpec.parse(board)
    geometry = make_geometry(spec)
    odd, even = int(geometry.odd_rows), int(geometry.even_rows)
    assert odd & even == 0
    assert odd | even == int(geometry.cells)
    assert {cell % (spec.rows + 1) % 2 for cell in cells_of(odd)} == {0}


@pytest.mark.parametrize(
    ("board", "moves", "score", "fast_nodes", "plain_nodes"),
    [
        ("3x4x3", "44411", 2, 2, 8),
        ("4x4x4", "213144441", 3, 1, 3),
        ("4x4x4", "141441423", 0, 6, 35),
        ("4x4x4", "322431412", 0, 11, 38),
        ("3x4x3/free", "89a74", -2, None, 6),
    ],
)
def test_the_search_is_the_same_compiled_and_interpreted(board, moves, score, fast_nodes, plain_nodes):
    """Run with and without NUMBA_DISABLE_JIT=1, these counts are the same."""
    spec = GameSpec.parse(board)
    position = Position.parse(moves, spec)
    for engine, nodes in ((FastEngine, fast_nodes), (PlainEngine, plain_nodes)):
        if nodes is not None:
            worker = engine(spec, 1 << 20).open_worker()
            solution = NullWindowSearch(position, -win_score(position, 2), win_score(position, 1), [worker]).run()
            assert (solution.score, solution.nodes) == (score, nodes)


@pytest.mark.compiled
@settings(max_examples=30)
@given(ongoing_positions(CONNECT_FOUR))
def test_constants_change_nothing_but_the_speed(position):
    workers = [FastEngine(CONNECT_FOUR, 1 << 22, constant=constant).open_worker() for constant in (False, True)]
    for beta in (0, 1):
        assert len({worker.search(position, beta, nodes=20_000) for worker in workers}) == 1
    assert len({worker.nodes for worker in workers}) == 1


@pytest.mark.parametrize("field", GEOMETRY.names)
def test_constants_are_the_fields_of_the_record(field):
    """In Python; the compiled search of the test above reads them all."""
    assert np.array_equal(getattr(ConstantGeometry(CONNECT_FOUR), field), make_geometry(CONNECT_FOUR)[field])
