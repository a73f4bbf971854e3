import random

import numpy as np
import pytest

from inarow.errors import NotationError, UnreachablePositionError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec


def diagram(*rows: str, above: int = 0) -> str:
    return "\n".join(["." * len(rows[0])] * above + list(rows))


def test_a_diagram_shows_the_top_row_first():
    assert str(Position.parse("4453")).splitlines()[-2:] == [". . . O . . .", ". . O X X . ."]


def test_blanks_and_small_letters_are_read():
    text = "\n\n ...\n" + ".x.\n" + "o.x \n\n"
    assert Position.from_diagram(text, TIC_TAC_TOE).to_array().tolist() == [[0, 0, 0], [0, 1, 0], [2, 0, 1]]


@pytest.mark.parametrize(
    ("text", "spec", "reason"),
    [
        (diagram("X......", ".......", above=4), CONNECT_FOUR, "the stone in row 5, column 1 is above an empty cell"),
        (diagram("X.X....", above=5), CONNECT_FOUR, "has 2 stones and the second 0"),
        (diagram("O......", above=5), CONNECT_FOUR, "has 0 stones and the second 1"),
        (diagram("OOOO...", "XXXX...", above=4), CONNECT_FOUR, "both sides have a line"),
        (diagram("XXX", "OO.", "..O"), TIC_TAC_TOE, "side 1 has a line, but side 2 made the last move"),
        (diagram("XXXX", "OOOO", "XXXX", "OOO."), GameSpec(4, 4, 4, gravity=False), "both sides have a line"),
        (diagram("XXXX..", "OO.O.O", "XXXX..", "O.O.O.", "......"), GameSpec(5, 6, 4, gravity=False), "one last move"),
        (diagram("X......", "O......", above=4), CONNECT_FOUR, "no order of alternating moves"),
        (diagram("...", "..."), TIC_TAC_TOE, "has 2 rows; 3x3x3/free has 3"),
        (diagram("...", "....", "..."), TIC_TAC_TOE, "row 2 of the diagram has 4 cells"),
        (diagram("...", ".#.", "..."), TIC_TAC_TOE, "row 2 of the diagram has '#'"),
        ("", TIC_TAC_TOE, "has 0 rows"),
        ("\x00\udcff" * 5_000, TIC_TAC_TOE, "has 1 rows"),
    ],
)
def test_a_diagram_that_no_game_reaches_is_refused_with_the_reason(text, spec, reason):
    with pytest.raises(NotationError, match=reason) as error:
        Position.from_diagram(text, spec)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "cells", [[0] * 41, [[0] * 6] * 7, [0.0] * 42, [3] + [0] * 41, ["X"] * 42, [[]], [None] * 42, [2**70] + [0] * 41]
)
def test_an_array_of_another_shape_or_kind_is_refused(cells):
    with pytest.raises(UnreachablePositionError):
        Position.from_array(cells)


def test_exactly_the_reachable_fillings_of_a_small_board_are_accepted():
    """Every filling of 2x3x3 and of 3x3x3, gravity or not, against all positions of the game."""
    for spec in (GameSpec(2, 3, 3), GameSpec(3, 3, 3), GameSpec(2, 3, 3, gravity=False), TIC_TAC_TOE):
        reachable = set()
        todo = [Position.start(spec)]
        while todo:
            position = todo.pop()
            if position.key not in reachable:
                reachable.add(position.key)
                todo += [position.play(action) for action in position.legal_actions]
        accepted = set()
        for number in range(3**spec.cells):
            cells = [number // 3**cell % 3 for cell in range(spec.cells)]
            try:
                accepted.add(Position.from_array(cells, spec).key)
            except UnreachablePositionError:
                continue
        assert accepted == reachable


def test_random_columns_are_decided_fast():
    """Full columns in random order, most of which no game builds: an answer, never a hang."""
    choice = random.Random(5)
    accepted = 0
    for _ in range(60):
        rows, columns = choice.randint(4, 16), choice.randint(4, 16)
        spec = GameSpec(rows, columns, max(rows, columns))
        stones = [1, 2] * (spec.cells // 2) + [1] * (spec.cells % 2)
        choice.shuffle(stones)
        try:
            position = Position.from_array(np.array(stones).reshape(spec.rows, spec.columns), spec)
            assert position.ply == spec.cells
            accepted += 1
        except UnreachablePositionError:
            continue
    assert 0 < accepted < 60
