"""The tactical look at a position, slowly: every move and every reply is played."""

from inarow.games.position import Position
from inarow.search.tree.memory import SOONEST_WIN, UNKNOWN


def plain_look(position: Position) -> tuple[int, set[int]]:
    """The same as `proofs.look`: the proof, and the cells that are worth a try."""
    cells = {position.landing_cell(action): action for action in position.legal_actions}
    wins = {cell for cell, action in cells.items() if position.play(action).winner is not None}
    if wins:
        return -(SOONEST_WIN - position.ply - 1), wins
    safe = {cell for cell, action in cells.items() if not position.play(action).winning_actions()}
    if safe:
        return UNKNOWN, safe
    threats = {position.landing_cell(action) for action in position.winning_actions(of_opponent=True)}
    return SOONEST_WIN - position.ply - 2, threats or set(cells)
