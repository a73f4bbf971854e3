import pytest
from hypothesis import given

from inarow.errors import InvalidSpecError
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from tests.strategies import specs


def test_names_stand_for_boards():
    assert GameSpec.parse("connect4") == CONNECT_FOUR == GameSpec(6, 7, 4)
    assert GameSpec.parse("tictactoe") == TIC_TAC_TOE == GameSpec.parse("3x3x3/free")


@given(specs())
def test_a_board_string_and_a_repr_give_the_spec_back(spec):
    assert GameSpec.parse(str(spec)) == spec
    assert eval(repr(spec), {"GameSpec": GameSpec}) == spec


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0x7x4", "rows is 0"),
        ("6x17x4", "columns is 17"),
        ("6x7x1", "inarow is 1"),
        ("6x7x9", "no line of 9 fits"),
        ("6x7", "is not ROWSxCOLUMNSxINAROW"),
        ("", "is not ROWSxCOLUMNSxINAROW"),
        ("6x7x4/", "is not ROWSxCOLUMNSxINAROW"),
        ("6x7x4 ", "is not ROWSxCOLUMNSxINAROW"),
        ("٦x7x4", "is not ROWSxCOLUMNSxINAROW"),
        ("1" * 10_000, "is not ROWSxCOLUMNSxINAROW"),
        ("\udcff\x00", "is not ROWSxCOLUMNSxINAROW"),
    ],
)
def test_an_impossible_board_string_says_why(text, reason):
    with pytest.raises(InvalidSpecError, match=reason) as error:
        GameSpec.parse(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("wrong", [True, 6.0, "6", None])
def test_a_size_must_be_a_whole_number(wrong):
    with pytest.raises(InvalidSpecError, match="rows is"):
        GameSpec(wrong, 7, 4)
    with pytest.raises(InvalidSpecError, match="gravity"):
        GameSpec(6, 7, 4, gravity=1)


def test_a_line_may_fit_in_one_direction_only():
    assert GameSpec(1, 9, 9).inarow == 9
    assert GameSpec(9, 1, 9).inarow == 9


def test_seven_by_eight_is_the_largest_word_board_of_its_kind():
    assert GameSpec(7, 8, 4).fits_word
    assert not GameSpec(8, 8, 4).fits_word
