"""Minimax with alpha-beta pruning, deepened ply by ply while there is time.

Its heuristic counts open windows by their stones. A window is a place for a line, open while only one side has stones
in it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from inarow.adapters.kaggle_export.player.base import Deadline, OutOfTimeError, Rules

WIN_BITS = 1000  # A line made with stone n is worth 2^(WIN_BITS - n): more than any position, and the sooner the more


class WindowSum:
    """The worth of a position to one side: `own[i]` for an open window with i stones of it, `other[i]` for one of the
    other side. Whole numbers.
    """

    def __init__(self, rules: Rules, own: Sequence[int], other: Sequence[int]) -> None:
        self._own = [(stones, worth) for stones, worth in enumerate(own[: rules.inarow + 1]) if worth]
        self._other = [(stones, worth) for stones, worth in enumerate(other[: rules.inarow + 1]) if worth]
        self._directions = []
        for number, step in enumerate(rules.steps):
            if step in rules.steps[:number]:  # a board of one row or column has fewer directions
                continue
            starts = rules.board
            for place in range(1, rules.inarow):
                starts &= rules.board >> step * place
            shifts = [step * place for place in range(rules.inarow)]
            if starts:
                self._directions.append((starts, shifts))

    def evaluate(self, own: int, other: int) -> int:
        total = 0
        for starts, shifts in self._directions:
            touched = touched_by_other = 0
            for shift in shifts:
                touched |= own >> shift
                touched_by_other |= other >> shift
            own_open = starts & touched & ~touched_by_other
            if own_open:
                total += _worth(own, own_open, shifts, self._own)
            other_open = starts & touched_by_other & ~touched
            if other_open:
                total += _worth(other, other_open, shifts, self._other)
        return total


def _worth(stones: int, windows: int, shifts: Sequence[int], worths: Sequence[tuple[int, int]]) -> int:
    """Sums the worth of windows by their stones, counted for all at once: at_least[i] are those with more than i."""
    at_least = [0] * len(shifts)
    for number, shift in enumerate(shifts):
        more = (stones >> shift) & windows
        for count in range(number + 1):
            at_least[count], more = at_least[count] | more, at_least[count] & more
            if not more:
                break
    at_least.append(0)
    return sum(worth * (at_least[count - 1] ^ at_least[count]).bit_count() for count, worth in worths)


class Minimax:
    """Searches positions of one board."""

    def __init__(self, rules: Rules, heuristic: WindowSum) -> None:
        self._rules = rules
        self._heuristic = heuristic
        centre = (rules.columns - 1) / 2
        self._order = sorted(range(rules.columns), key=lambda column: abs(column - centre))

    def best_columns(self, own: int, both: int, depth: int, deadline: Deadline) -> tuple[list[int], int]:
        """(All columns of the best value, ascending; that value), `depth` plies ahead of an unfinished position."""
        wins = self._rules.winning_columns(own, both)
        if wins:
            return wins, 1 << WIN_BITS - both.bit_count() - 1
        best: list[int] = []
        highest = -(1 << WIN_BITS + 1)
        for column in self._order:
            bit = self._rules.landing_bit(both, column)
            if not bit:
                continue
            # An equal value matters, too: the window is one wider than it need be.
            value = self._after(own | bit, both | bit, depth - 1, highest - 1, 1 << WIN_BITS + 1, True, deadline)
            if value > highest:
                best, highest = [], value
            if value == highest:
                best.append(column)
        return sorted(best), highest

    def _after(
        self, mine: int, both: int, depth: int, alpha: int, beta: int, is_root_side: bool, deadline: Deadline
    ) -> int:
        """The worth to the side that has just moved, with the stones `mine`, within a window."""
        deadline.check()
        rules = self._rules
        stones = both.bit_count()
        if rules.has_line(mine):
            return 1 << WIN_BITS - stones
        if stones == rules.cells:
            return 0
        if depth == 0:
            others = both ^ mine
            # Always evaluated for the side to move at the root: the heuristic may be asymmetric.
            if is_root_side:
                return self._heuristic.evaluate(mine, others)
            return -self._heuristic.evaluate(others, mine)
        others, highest = both ^ mine, -(1 << WIN_BITS + 1)
        low, high = -beta, -alpha
        for column in self._order:
            bit = rules.landing_bit(both, column)
            if bit:
                value = self._after(
                    others | bit, both | bit, depth - 1, max(low, highest), high, not is_root_side, deadline
                )
                if value > highest:
                    highest = value
                    if highest >= high:
                        break
        return -highest


class MinimaxPlayer:
    """Looks `depth` plies ahead, or as deep as time allows; `draws` chooses randomly among the best."""

    def __init__(self, depth: int, own: Sequence[int], other: Sequence[int], draws: bool) -> None:
        self._depth, self._own, self._other, self._draws = depth, own, other, draws

    def choose(self, rules: Rules, own: int, both: int, deadline: Deadline) -> int:
        search = Minimax(rules, WindowSum(rules, self._own, self._other))
        best = rules.legal_columns(both)
        try:
            for depth in range(1, min(self._depth, rules.cells - both.bit_count()) + 1):
                best, value = search.best_columns(own, both, depth, deadline)
                if abs(value) > 1 << WIN_BITS // 2:  # the end is forced
                    break
        except OutOfTimeError:
            pass
        return random.choice(best) if self._draws else best[0]
