"""What a position looks like worth: open windows, counted by their stones.

A window is a place for a line, open while only one side has stones in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from inarow.adapters.kaggle_export.player.rules import Rules


class WindowSum:
    """The worth of a position to one side: `own[i]` for an open window with i stones of it, `other[i]` for one of the
    other side. Whole numbers.
    """

    def __init__(self, rules: Rules, own: Sequence[int], other: Sequence[int]) -> None:
        self._own = [(stones, worth) for stones, worth in enumerate(own[: rules.inarow]) if worth]
        self._other = [(stones, worth) for stones, worth in enumerate(other[: rules.inarow]) if worth]
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
