"""What one look at a position proves, and which moves are worth a search."""

from __future__ import annotations

from inarow.adapters.kaggle_export.player.mcts import DRAWN, SOONEST_WIN, UNKNOWN
from inarow.adapters.kaggle_export.player.rules import Rules


def winning_cells(stones: int, both: int, rules: Rules) -> int:
    """The empty cells on which one more stone of this side makes a line, reachable now or later."""
    found = 0
    for step in rules.steps:
        before = -1  # cells with `ahead` stones directly before them
        for ahead in range(rules.inarow):
            gaps = before
            for distance in range(1, rules.inarow - ahead):
                gaps &= stones >> step * distance
            found |= gaps
            before = (before & stones) << step
    return found & rules.board & ~both


def examine(own: int, both: int, rules: Rules) -> tuple[int, int]:
    """(Proof for the side that moved here, cells) of a position in which nobody has a line.

    Without a proof the cells are the safe ones; all others lose at once. A side to move that has won or
    lost gets the cells that win, or that meet a threat, or all that are free.
    """
    stones = both.bit_count()
    if stones == rules.cells:
        return DRAWN, 0
    free = (both + rules.bottom) & rules.board
    wins = winning_cells(own, both, rules) & free
    if wins:
        return stones + 1 - SOONEST_WIN, wins
    other_wins = winning_cells(both ^ own, both, rules)
    threats = other_wins & free
    if threats & (threats - 1):
        return SOONEST_WIN - stones - 2, threats
    candidates = threats or free
    safe = candidates & ~(other_wins >> 1)
    return (UNKNOWN, safe) if safe else (SOONEST_WIN - stones - 2, candidates)


def single_cells(cells: int) -> list[int]:
    """The cells of a set one by one, from the left and from below."""
    found = []
    while cells:
        found.append(cells & -cells)
        cells &= cells - 1
    return found
