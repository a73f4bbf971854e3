"""One look at a position, against what the rules say move by move."""

from hypothesis import given

from inarow.games.bits import from_int, to_int
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position, cells_of
from inarow.games.spec import TIC_TAC_TOE
from inarow.search.tree.memory import DRAWN, SOONEST_WIN, UNKNOWN
from inarow.search.tree.tactics import look
from tests.strategies import ongoing_positions


def looked_at(position: Position, *, wide: bool | None = None) -> tuple[int, set[int]]:
    layout = compiled_layout(position.spec, wide=wide)
    stones, mask = from_int(position.stones, layout.board), from_int(position.mask, layout.board)
    proof, cells = look(layout, stones, mask, position.ply)
    return proof, set(cells_of(to_int(cells)))


def plain_look(position: Position) -> tuple[int, set[int]]:
    """The same by playing every move and every answer."""
    cells = {position.landing_cell(action): action for action in position.legal_actions}
    wins = {cell for cell, action in cells.items() if position.play(action).winner is not None}
    if wins:
        return -(SOONEST_WIN - position.ply - 1), wins
    safe = {cell for cell, action in cells.items() if not position.play(action).winning_actions()}
    if safe:
        return UNKNOWN, safe
    threats = {position.landing_cell(action) for action in position.winning_actions(of_opponent=True)}
    return SOONEST_WIN - position.ply - 2, threats or set(cells)


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
