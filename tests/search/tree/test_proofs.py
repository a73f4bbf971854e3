"""One look at a position, against what the rules say move by move."""

from hypothesis import given

from inarow.games.bits import from_int, to_int
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position, cells_of
from inarow.games.spec import TIC_TAC_TOE
from inarow.search.tree.memory import DRAWN
from inarow.search.tree.simulation import look
from tests.strategies import ongoing_positions
from tests.twins.tactics import plain_look


def looked_at(position: Position, *, wide: bool | None = None) -> tuple[int, set[int]]:
    layout = compiled_layout(position.spec, wide=wide)
    stones, mask = from_int(position.stones, layout.board), from_int(position.mask, layout.board)
    proof, cells = look(stones, mask, position.ply, layout)
    return proof, set(cells_of(to_int(cells)))


@given(ongoing_positions(max_side=9))
def test_one_look_finds_what_playing_every_move_and_answer_finds(position):
    assert looked_at(position) == plain_look(position)


@given(ongoing_positions(max_side=7))
def test_one_word_and_five_say_the_same(position):
    assert looked_at(position, wide=True) == looked_at(position)


def test_a_full_board_is_drawn():
    position = Position.parse("159287364", TIC_TAC_TOE)
    assert position.is_over
    assert position.winner is None
    assert looked_at(position) == (DRAWN, set())
