import string
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.errors import InarowError, NotationError
from inarow.games.pgn import from_pgn, split_games, to_pgn
from inarow.games.record import GameRecord, Ply, from_json_line, to_json_line
from tests.strategies import records


@given(records())
def test_a_record_survives_both_texts(record):
    assert from_json_line(to_json_line(record)) == record
    silent = all(ply == Ply() for ply in record.plies)
    back = from_pgn(to_pgn(record))
    assert back == record or (silent and back.plies == ())
    assert to_pgn(back) == to_pgn(record)
    assert "\n" not in to_json_line(record)


def test_pgn_is_readable():
    record = GameRecord(
        board="6x7x4",
        first="winblock",
        second="random",
        moves="44533",
        winner=None,
        termination="unfinished",
        opening=1,
        plies=(Ply(score=18, depth=12, seconds=0.01), Ply(), Ply(value=-0.5, nodes=7), Ply(score=0)),
        tags={"Event": 'a "test"'},
    )
    text = to_pgn(record)
    assert '[Event "a \\"test\\""]' in text
    assert '[Position "4"]' in text
    assert text.endswith("\n\n1... 4 {+18 d12 0.01s} 2. 5 3 {v-0.5 n7} 3. 3 {0} *\n")
    assert from_pgn(text) == record


def test_several_games_are_distinguished():
    game = to_pgn(GameRecord(board="tictactoe", first="a", second="b", moves="14253", winner=1).check())
    assert [from_pgn(text).winner for text in split_games(game + "\n" + game)] == [1, 1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"winner": 2}, "the moves end 1-0"),
        ({"winner": None}, "the moves end 1-0"),
        ({"moves": "1425"}, "the game is not over"),
        ({"moves": "1421"}, "move 4: cell 1 is taken"),
        ({"opening": 6}, "an opening of 6 moves"),
        ({"plies": (Ply(),)}, "1 comments for 5 decided moves"),
        ({"board": "2x2x3"}, "no line of 3 fits"),
        ({"tags": {"Colour": "red"}}, "known tags are"),
        ({"winner": 3, "moves": "1", "termination": "crash"}, "the winner is"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(change, reason):
    good = {"board": "tictactoe", "first": "a", "second": "b", "moves": "14253", "winner": 1}
    GameRecord(**good).check()
    bad = GameRecord(**(good | change))
    with pytest.raises(InarowError, match=reason):
        bad.check()
    with pytest.raises(InarowError, match=reason):
        from_json_line(to_json_line(bad))


def test_lines_of_moves_are_as_long_as_they_may_be():
    moves = "21113141657234567765432765432234567765432"
    text = to_pgn(GameRecord(board="6x7x4", first="a", second="b", moves=moves, winner=None, termination="unfinished"))
    lines = text.split("\n\n")[1].splitlines()
    assert len(lines) > 1
    for line, following in pairwise(lines):
        assert len(line) <= 80 < len(line) + 1 + len(following.split()[0])


@pytest.mark.parametrize(
    "line", ["", "{}", "[]", "nonsense", '{"board": 3}', "\udcff", "[" * 100_000, '{"board":"6x7x4"', "null"]
)
def test_a_line_that_is_no_record_is_refused(line):
    with pytest.raises(NotationError, match="not a game record in JSON"):
        from_json_line(line)


GOOD = to_pgn(GameRecord(board="tictactoe", first="a", second="b", moves="14253", winner=1))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('[Rows "3"]\n', "", "no Rows tag"),
        ('[Rows "3"]', '[Rows "x"]', "is not ROWSxCOLUMNSxINAROW"),
        ('[Rows "3"]', "[Rows 3]", "line 9 is not a tag"),
        ('[Gravity "0"]', '[Gravity "no"]', "must be 0 or 1"),
        ("1-0\n", "", "no moves|end with"),
        ("1-0\n", "0-1\n", "the moves end with 0-1"),
        ("1. 1", "2. 1", "is not a move"),
        ("1. 1", "{+3} 1. 1", "does not follow a move"),
        ("1. 1", "1. 1 {+3} {+4}", "does not follow a move"),
        ("1. 1", "1. 1 {what}", "is not of the form"),
        ("1. 1", "1. 1 {d1 d2}", "is not of the form"),
        ("1. 1", "1. 1 {", "cannot be read"),
        ('[Termination "normal"]', '[Termination "boredom"]', "not one of normal"),
        ("1-0\n", "1-0 1\n", "cannot be read"),
        ("1. 1 4", "1. 1 1", "cell 1 is taken"),
    ],
)
def test_a_pgn_that_cannot_be_read_says_why(old, new, reason):
    assert old in GOOD
    with pytest.raises(InarowError, match=reason) as error:
        from_pgn(GOOD.replace(old, new))
    assert "\n" not in str(error.value)


@given(st.text(max_size=200) | st.text(string.printable, max_size=200))
def test_garbage_is_rejected_or_read_as_a_valid_game(text):
    for read in (from_pgn, from_json_line, lambda text: from_pgn(GOOD[:-20] + text)):
        try:
            record = read(text)
        except InarowError:
            continue
        assert from_json_line(to_json_line(record)) == record
