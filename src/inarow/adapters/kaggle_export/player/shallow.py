"""Minimax as gupta-shah-2022 submitted it: lines are windows, and only the parent's bound cuts off."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from inarow.adapters.kaggle_export.player.base import Deadline, OutOfTimeError, Rules
from inarow.adapters.kaggle_export.player.minimax import WindowSum


class ShallowPlayer:
    """Looks `depth` plies ahead and draws among the best columns; if time is over, among those it has valued."""

    def __init__(self, depth: int, own: Sequence[int], other: Sequence[int]) -> None:
        self._depth, self._own, self._other = depth, own, other

    def choose(self, rules: Rules, own: int, both: int, deadline: Deadline) -> int:
        search = ShallowSearch(rules, WindowSum(rules, self._own, self._other), self._depth)
        values: dict[int, float] = {}
        legal = rules.legal_columns(both)
        try:
            for column in legal:
                bit = rules.landing_bit(both, column)
                bound = max(values.values(), default=-math.inf)
                values[column] = search.value_after(own | bit, both | bit, 1, bound, deadline)
        except OutOfTimeError:
            pass
        if not values:
            return random.choice(legal)
        best = max(values.values())
        return random.choice([column for column, value in values.items() if value == best])


class ShallowSearch:
    """Searches positions of one board."""

    def __init__(self, rules: Rules, heuristic: WindowSum, depth: int) -> None:
        self._rules, self._heuristic, self._depth = rules, heuristic, depth

    def value_after(self, mine: int, both: int, level: int, bound: float, deadline: Deadline) -> float:
        """The worth to the root's side after a move at `level`, 1 for that side; `mine` are the stones of the side that
        moved. Beyond `bound`, the parent's best value so far, it need not be exact.
        """
        deadline.check()
        rules, others, is_roots = self._rules, both ^ mine, level % 2 == 1
        if level == self._depth or both.bit_count() == rules.cells or rules.has_line(mine):
            return self._heuristic.evaluate(*((mine, others) if is_roots else (others, mine)))
        best = math.inf if is_roots else -math.inf
        for column in rules.legal_columns(both):
            bit = rules.landing_bit(both, column)
            value = self.value_after(others | bit, both | bit, level + 1, best, deadline)
            best = min(best, value) if is_roots else max(best, value)
            if best < bound if is_roots else best > bound:
                break
        return best
