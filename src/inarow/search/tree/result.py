"""What all tree searches share: the result, following a game, and polling limits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from inarow.games.position import Position
from inarow.search.limits import Limits, Watch
from inarow.search.tree.memory import TreeArrays, descend

REPORT_SECONDS = 0.01
"""Approximate time between two checks of the clock, and between two reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeResult:
    """What a search found, for the side to move. Tuples have an entry per action."""

    action: int
    value: float
    """In [-1, 1]: the mean result, or the proven one."""
    policy: tuple[float, ...]
    """What the search prefers; sums to 1."""
    priors: tuple[float, ...] | None
    """What the network prefers among the moves searched, zeros if none had to be; None without a network."""
    visits: tuple[int, ...]
    values: tuple[float | None, ...]
    """Mean results in [-1, 1], 1, 0 or -1 where proven; None for actions without a visit."""
    ends: tuple[int | None, ...]
    """For actions with a proven win or loss, the number of the stone that ends the game."""
    proven: int | None
    """1, 0 or -1 if the result of the position is proven."""
    simulations: int
    """Run for this decision, by all threads."""
    nodes: int
    """Positions in the trees."""
    bytes: int
    """Of the trees in use."""
    is_full: bool
    """Whether a tree has no room for more nodes."""


def moves_between(before: Position, after: Position) -> list[int] | None:
    """The cells of the moves that lead from a position to a later one of the same game, else None."""
    plies = len(before.actions)
    if before.spec != after.spec or after.actions[:plies] != before.actions or len(after.actions) == plies:
        return None
    cells = []
    for action in after.actions[plies:]:
        cells.append(before.landing_cell(action))
        before = before.play(action)
    return cells


class Progress:
    """Polls the limits of one search, all but nodes and simulations, and reports to its watch."""

    def __init__(self, limits: Limits, watch: Watch[TreeResult] | None) -> None:
        self._limits, self._watch = Limits(seconds=limits.seconds, cancelled=limits.cancelled), watch
        self._start = time.perf_counter()
        self._reported = -math.inf
        self.is_stopped = False

    def must_stop(self) -> bool:
        return self.is_stopped or self._limits.is_reached(0, time.perf_counter() - self._start)

    def report(self, result: Callable[[], TreeResult]) -> None:
        if self._watch is not None and time.perf_counter() - self._reported >= REPORT_SECONDS:
            self._reported = time.perf_counter()
            self._watch(result())


def follow_game(tree: TreeArrays, root: Position | None, position: Position) -> bool:
    """Whether a tree could be cut down to a later position of the game of its root."""
    played = None if root is None else moves_between(root, position)
    return played is not None and all(descend(tree, cell) for cell in played)
