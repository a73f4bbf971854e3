import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given

from inarow.errors import FinishedGameError, IllegalMoveError, NotationError, UnreachablePositionError
from inarow.games.notation import parse_move
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.games.symmetry import canonical, canonical_key, symmetries
from tests.strategies import positions
from tests.twins import reference


def test_a_line_on_the_last_free_cell_wins():
    position = Position.parse("211131416572345677654327654322345677654321")
    assert position.ply == 42
    assert position.winner == 2
    assert position.is_over
    assert position.winning_line == ((0, 0), (1, 0), (2, 0), (3, 0))


@given(positions())
def test_a_move_string_and_a_repr_give_the_position_back(position):
    assert Position.parse(position.moves, position.spec) == position
    assert eval(repr(position), {"Position": Position, "GameSpec": GameSpec}) == position


@given(positions())
def test_a_diagram_and_an_array_give_the_position_back(position):
    for back in (
        Position.from_diagram(str(position), position.spec),
        Position.from_array(position.to_array(), position.spec),
        Position.from_array(position.to_kaggle(), position.spec),
    ):
        assert back == position
        assert (back.winner, back.is_over, back.side_to_move) == (
            position.winner,
            position.is_over,
            position.side_to_move,
        )
        assert Position.parse(back.moves, back.spec) == position


@given(positions())
def test_mirror_is_an_involution_that_keeps_the_result(position):
    mirrored = position.mirror()
    assert mirrored.mirror() == position
    assert (mirrored.winner, mirrored.is_over) == (position.winner, position.is_over)
    assert (mirrored.to_array() == position.to_array()[:, ::-1]).all()
    assert Position.parse(mirrored.moves, mirrored.spec) == mirrored


@given(positions(spec=GameSpec(3, 3, 3)), positions(spec=GameSpec(3, 3, 3)))
def test_keys_are_equal_exactly_when_positions_are(one, other):
    assert (one.key == other.key) == (one == other) == bool((one.to_array() == other.to_array()).all())
    if one == other:
        assert hash(one) == hash(other)


@pytest.mark.parametrize(
    "spec", [GameSpec(3, 3, 3), GameSpec(4, 3, 3), TIC_TAC_TOE, GameSpec(2, 4, 3, gravity=False)], ids=str
)
def test_every_position_of_a_small_board_has_its_own_key(spec):
    board_of = {}
    todo = [Position.start(spec)]
    while todo:
        position = todo.pop()
        board = position.to_array().tobytes()
        if position.key in board_of:
            assert board_of[position.key] == board
            continue
        board_of[position.key] = board
        todo += [position.play(action) for action in position.legal_actions]
    assert len(set(board_of.values())) == len(board_of)


def test_transpositions_are_equal_and_remember_their_games():
    one, other = Position.parse("1213"), Position.parse("1312")
    assert one == other
    assert hash(one) == hash(other)
    assert (one.moves, other.moves) == ("1213", "1312")


@given(positions(max_side=6))
def test_playing_equals_the_reference(position):
    if position.is_over:
        assert position.legal_actions == ()
        return
    for action in position.legal_actions:
        cells = reference.play(position.to_array().tolist(), action, position.side_to_move, position.spec)
        assert position.play(action).to_array().tolist() == cells


@given(positions(max_side=7) | positions(spec=CONNECT_FOUR) | positions(spec=GameSpec(5, 5, 4, gravity=False)))
def test_winning_actions_are_those_that_win(position):
    wins = [action for action in position.legal_actions if position.play(action).winner is not None]
    assert list(position.winning_actions()) == wins
    cells, other = position.to_array().tolist(), 3 - position.side_to_move
    threats = [
        action
        for action in position.legal_actions
        if reference.has_line(reference.play(cells, action, other, position.spec), other, position.spec)
    ]
    assert list(position.winning_actions(of_opponent=True)) == threats


@given(positions(max_side=8))
def test_the_winning_line_is_a_line_of_the_winner(position):
    if position.winner is None:
        assert position.winning_line == ()
    else:
        array = position.to_array()
        assert len(position.winning_line) >= position.spec.inarow
        assert {int(array[cell]) for cell in position.winning_line} == {position.winner}


@given(positions())
def test_symmetric_positions_share_one_canonical_key(position):
    images = [symmetry.apply(position) for symmetry in symmetries(position.spec)]
    assert images[0] == position
    for image in images:
        assert canonical_key(image) == canonical_key(position)
        assert (image.winner, image.is_over) == (position.winner, position.is_over)
        assert Position.parse(image.moves, image.spec) == image
    assert canonical(position) in images
    mirrored = symmetries(position.spec)[1]
    assert mirrored.apply(position) == position.mirror()


@pytest.mark.parametrize(
    ("spec", "count"),
    [(CONNECT_FOUR, 2), (TIC_TAC_TOE, 8), (GameSpec(3, 4, 3, gravity=False), 4), (GameSpec(5, 5, 4), 2)],
    ids=str,
)
def test_a_board_has_its_symmetries(spec, count):
    found = symmetries(spec)
    assert len({symmetry.cells for symmetry in found}) == len(found) == count


def test_tic_tac_toe_has_765_positions_up_to_symmetry():
    seen = set()
    todo = [Position.start(TIC_TAC_TOE)]
    while todo:
        position = canonical(todo.pop())
        if position.key not in seen:
            seen.add(position.key)
            todo += [position.play(action) for action in position.legal_actions]
    assert len(seen) == 765


@pytest.mark.parametrize("cells", [[[0, 1], [0]], [[0] * 7] * 5 + [[0] * 6], [0, [1]]])
def test_rows_of_unequal_length_are_refused(cells):
    with pytest.raises(NotationError, match="not in rows of one length; 6x7x4 has 6 x 7"):
        Position.from_array(cells)


def test_a_finished_game_has_nothing_to_decide():
    Position.parse("121212").check_ongoing()
    Position.parse("51374628", TIC_TAC_TOE).check_ongoing()
    with pytest.raises(FinishedGameError, match="the game on 6x7x4 is over after '1212121'"):
        Position.parse("1212121").check_ongoing()
    with pytest.raises(FinishedGameError, match="is over after '513746289'"):
        Position.parse("513746289", TIC_TAC_TOE).check_ongoing()


def test_a_position_cannot_be_changed():
    position = Position.start()
    with pytest.raises(dataclasses.FrozenInstanceError):
        position.stones = 1


def test_numpy_integers_are_actions():
    assert Position.start().play(np.int64(3)) == Position.parse("4")
    assert type(Position.start().play(np.int64(3)).actions[0]) is int


@pytest.mark.parametrize(
    ("moves", "board", "reason"),
    [
        ("8", "6x7x4", "move 1: '8' is not a move on 6x7x4; columns are 1 to 7"),
        ("4444444", "6x7x4", "move 7: column 4 is full"),
        ("12121213", "6x7x4", "move 8: column 3 .*the game is over; legal: none"),
        ("55", "tictactoe", "move 2: cell 5 is taken"),
        ("abc", "6x7x4", "move 1: 'a' is not a move"),
        ("4 4", "6x7x4", "move 2: ' ' is not a move"),
        ("4,4", "6x7x4", "move 2: ',' is not a move"),
        ("0", "6x7x4", "move 1: '0' is not a move"),
        ("1" * 10_000, "6x7x4", "10000 moves do not fit on 6x7x4, which has 42 cells"),
        ("\x00\udcff", "6x7x4", "move 1: '.x00' is not a move"),
        ("1,,2", "15x15x5/free", "move 2: '' is not a move"),
        ("226", "15x15x5/free", "move 1: '226' is not a move"),
        ("1,²", "15x15x5/free", "move 2: "),
    ],
)
def test_a_bad_move_string_names_the_move(moves, board, reason):
    with pytest.raises((NotationError, IllegalMoveError), match=reason) as error:
        Position.parse(moves, GameSpec.parse(board))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("action", [-1, 7, 100])
def test_an_action_that_does_not_exist_is_refused(action):
    with pytest.raises(
        IllegalMoveError, match=rf"action {action} does not exist .* actions 0 to 6; legal moves at the start: 1234567"
    ):
        Position.start().play(action)


@pytest.mark.parametrize("action", ["3", 3.0, None])
def test_an_action_must_be_an_integer(action):
    with pytest.raises(TypeError):
        Position.start().play(action)


def test_large_action_sets_write_numbers():
    spec = GameSpec.parse("15x15x5/free")
    position = Position.parse("113,1,225", spec)
    assert position.actions == (112, 0, 224)
    assert position.moves == "113,1,225"
    assert parse_move("113", spec) == 112
    assert Position.parse("", spec) == Position.start(spec)
    assert Position.parse("ag", GameSpec(4, 16, 4)).actions == (9, 15)


def test_line_yields_every_position_of_the_game():
    position = Position.parse("4453")
    assert [each.moves for each in position.line()] == ["", "4", "44", "445", "4453"]
    assert list(Position.start().line()) == [Position.start()]
    assert Position.from_actions(position.actions) == position
    with pytest.raises(IllegalMoveError):
        Position.from_actions([0] * 7)


@given(positions(max_side=8))
def test_the_last_cell_and_the_heights_are_those_of_the_stones(position):
    stones = position.to_array() != 0
    assert list(position.column_heights) == stones.sum(axis=0).tolist()
    if not position.actions:
        assert position.last_cell is None
    else:
        *_, before, _ = position.line()
        added = np.argwhere(stones != (before.to_array() != 0))
        assert [position.last_cell] == [tuple(cell) for cell in added.tolist()]


@given(positions(max_side=8))
def test_a_key_leads_back_to_its_position(position):
    assume(position.spec.gravity and position.winner is None)
    assert Position.from_key(position.key, position.spec) == position


def test_a_key_that_no_game_reaches_is_rejected():
    start = Position.start(GameSpec(3, 3, 3))
    two_stones_of_one_side = start.key + 0b011  # in the first column, the marker moves up by two
    with pytest.raises(UnreachablePositionError, match="no order of alternating moves"):
        Position.from_key(two_stones_of_one_side, start.spec)
