"""Published counts, and counts by other means."""

import pytest

from inarow.errors import InvalidLimitError
from inarow.games.perft import count_positions, count_sequences
from inarow.games.position import Position
from inarow.games.spec import TIC_TAC_TOE, GameSpec
from tests.twins import reference

# Connect Four, sequences by depth (no play after a win) and distinct positions by ply (OEIS A212693).
SEQUENCES = [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572]
POSITIONS = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275]


@pytest.mark.compiled
def test_connect_four_sequences():
    assert count_sequences(Position.start(), 9) == SEQUENCES


@pytest.mark.compiled
@pytest.mark.parametrize("wide", [False, True])
def test_connect_four_positions(wide):
    counts = count_positions(Position.start(), 8, wide=wide)
    assert counts.positions == POSITIONS
    assert counts.sequences == SEQUENCES[:9]


@pytest.mark.parametrize("wide", [False, True])
def test_tic_tac_toe_is_counted_to_its_end(wide):
    start = Position.start(TIC_TAC_TOE)
    counts = count_positions(start, 9, wide=wide)
    assert counts.positions == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert sum(counts.positions) == 5478
    assert sum(counts.terminal) == 958
    assert sum(counts.games) == 255_168
    assert counts.sequences == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert count_sequences(start, 6, wide=wide) == counts.sequences[:7]


@pytest.mark.compiled
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(("board", "reachable", "terminal"), [("4x4x4", 161_029, 26_740), ("3x5x4", 158_911, 11_348)])
def test_small_boards_are_counted_to_their_end(board, reachable, terminal, wide):
    spec = GameSpec.parse(board)
    counts = count_positions(Position.start(spec), spec.cells, wide=wide)
    assert sum(counts.positions) == reachable
    assert sum(counts.terminal) == terminal


@pytest.mark.parametrize("board", ["3x3x3", "2x5x3", "4x2x2", "1x6x3", "6x1x3", "3x3x2/free", "2x3x3/free", "7x8x4"])
def test_counts_equal_the_reference(board):
    spec = GameSpec.parse(board)
    depth = min(spec.cells, 4)
    expected = [reference.count_sequences(spec, plies) for plies in range(depth + 1)]
    for wide in (False, True):
        assert count_sequences(Position.start(spec), depth, wide=wide) == expected
        assert count_positions(Position.start(spec), depth, wide=wide).sequences == expected


@pytest.mark.compiled
@pytest.mark.parametrize("board", ["6x7x4", "4x4x3", "5x6x4", "7x8x4", "4x12x4", "8x10x5", "12x12x5", "3x9x3"])
def test_sequences_agree_with_openspiel(board):
    pyspiel = pytest.importorskip("pyspiel")
    spec = GameSpec.parse(board)
    game = pyspiel.load_game(f"connect_four(rows={spec.rows},columns={spec.columns},x_in_row={spec.inarow})")
    depth = 5 if spec.columns <= 8 else 4

    def count(state, plies):
        if plies == 0:
            return 1
        return 0 if state.is_terminal() else sum(count(state.child(a), plies - 1) for a in state.legal_actions())

    expected = [count(game.new_initial_state(), plies) for plies in range(depth + 1)]
    assert count_sequences(Position.start(spec), depth) == expected


def test_counting_starts_anywhere():
    near_end = Position.parse("121212")
    assert count_sequences(near_end, 2) == [1, 7, 42]
    assert count_positions(near_end, 1).terminal == [0, 1]
    over = near_end.play(0)
    assert count_sequences(over, 2) == [1, 0, 0]
    assert count_positions(over, 2).positions == [1, 0, 0]


def test_progress_is_reported(monkeypatch):
    monkeypatch.setattr("inarow.games.perft._CHUNK_SEQUENCES", 50)
    calls = []
    assert count_sequences(Position.start(), 4, progress=lambda *call: calls.append(call)) == SEQUENCES[:5]
    assert calls[-1] == (49, 49)


@pytest.mark.parametrize(
    ("board", "wide", "bytes_a_child"), [("6x7x4", False, 64), ("6x7x4", True, 192), ("tictactoe", False, 80)]
)
def test_a_ply_that_does_not_fit_the_memory_is_refused(board, wide, bytes_a_child):
    """Of a child: stones, mask and key, the key once more, and four numbers beside; without gravity keys are twice as
    long.
    """
    spec = GameSpec.parse(board)
    needed = bytes_a_child * spec.actions * spec.actions  # for the second ply
    start = Position.start(spec)
    assert len(count_positions(start, 2, wide=wide, memory=needed).positions) == 3
    with pytest.raises(InvalidLimitError, match="the next ply needs about 0 MB; the limit is 0 MB"):
        count_positions(start, 2, wide=wide, memory=needed - 1)
