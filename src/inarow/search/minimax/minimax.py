"""Minimax: how deep, how long, and what came of it. A shell around `alphabeta.py`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inarow.errors import InvalidLimitError
from inarow.games.bits import from_int
from inarow.games.kernels import compiled_layout
from inarow.games.layout import layout_of
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.minimax.alphabeta import ENTRY, WALK, advance, begin_walk
from inarow.search.minimax.heuristics import Heuristic
from inarow.search.solver.geometry import lines_through_cells

_PATIENCE = 20_000
"""Nodes between two looks at the clock: a few milliseconds."""
_HIGHEST_EXPONENT = 1000

Cancelled = Callable[[], bool]
Watch = Callable[["MinimaxResult"], None]


@dataclass(frozen=True, slots=True)
class MinimaxResult:
    """What a search found, for the side to move. Values are as the heuristic gives them; a forced
    win that ends with stone number n is 2^(1000 - n), a forced loss its negative.
    """

    action: int
    """The first of the best actions."""
    best: tuple[int, ...]
    """All best actions if the search was asked for them, else `action` alone."""
    value: float
    values: tuple[float | None, ...]
    """Of each action: None if it is illegal or was cut off."""
    nodes: int
    depth: int
    """Plies looked ahead."""


def quick_wins(spec: GameSpec) -> np.ndarray:
    """What a line is worth by the stone that made it: more than any heuristic, and the sooner the more."""
    return np.ldexp(1.0, _HIGHEST_EXPONENT - np.arange(spec.cells + 1))


def forced_end(value: float) -> int | None:
    """The stone number with which a value says the game ends by force; None if it says no such thing."""
    exponent = math.frexp(value)[1] - 1
    return _HIGHEST_EXPONENT - exponent if exponent > _HIGHEST_EXPONENT // 2 else None


def centre_first(spec: GameSpec) -> np.ndarray:
    """The actions of a board, those with the most lines through their cells first."""
    lines = lines_through_cells(spec)
    stride = spec.rows + 1
    if spec.gravity:
        worth = [int(lines[column * stride : (column + 1) * stride].sum()) for column in range(spec.columns)]
    else:
        worth = [
            int(lines[column * stride + spec.rows - 1 - row])
            for row in range(spec.rows)
            for column in range(spec.columns)
        ]
    return np.array(sorted(range(spec.actions), key=lambda action: -worth[action]), np.int64)


class Minimax:
    """Searches positions of one board; not for two threads at once."""

    def __init__(
        self,
        spec: GameSpec,
        heuristic: Heuristic,
        *,
        prune: bool = True,
        all_best: bool = False,
        memory: int = 0,
        order: np.ndarray | None = None,
        wins: np.ndarray | None = None,
        wide: bool | None = None,
    ) -> None:
        """`memory` is the size of the transposition table in bytes; 0 does without. `order` is that
        in which moves are tried, by default centre first; `wins` the worth of a line by the stone
        that made it. Neither the values nor the move found depend on memory, order or pruning.
        """
        self.spec = spec
        self._heuristic = heuristic
        self._layout = compiled_layout(spec, wide=wide)
        self._walks = make_walk(spec, prune=prune, all_best=all_best, order=order, wins=wins)
        slots = memory // ENTRY.itemsize
        self._table: Any = np.zeros(1 << slots.bit_length() - 1 if slots else 0, ENTRY).view(np.recarray)

    def search(self, position: Position, depth: int | None) -> MinimaxResult:
        """Looks `depth` plies ahead, at least 1 (None: to the end of the game); raises FinishedGameError."""
        position.check_ongoing()
        result = self._search(position, self._plies(position, depth), lambda: False)
        assert result is not None
        return result

    def deepen(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        cancelled: Cancelled | None = None,
        watch: Watch | None = None,
    ) -> MinimaxResult:
        """Searches one ply deeper again and again, and gives the last search that was finished.

        Ends after `seconds`, after about `nodes`, at `depth`, when `cancelled` says so, or when the
        end of the game is forced. The first ply is always finished. `watch` is told every few
        milliseconds what the last finished search found, with all nodes so far; that changes no
        result, but an exception out of it ends the search.
        """
        end = None if seconds is None else time.perf_counter() + seconds
        result = self.search(position, 1)
        spent = result.nodes

        def is_over() -> bool:
            if watch is not None:
                watch(replace(result, nodes=spent + int(self._walks[0].nodes)))
            return (
                (end is not None and time.perf_counter() >= end)
                or (nodes is not None and spent + self._walks[0].nodes >= nodes)
                or (cancelled is not None and cancelled())
            )

        for plies in range(2, self._plies(position, depth) + 1):
            if forced_end(result.value) is not None:
                break
            deeper = self._search(position, plies, is_over)
            spent += int(self._walks[0].nodes)
            if deeper is None:
                break
            result = deeper
        return replace(result, nodes=spent)

    def _plies(self, position: Position, depth: int | None) -> int:
        left = self.spec.cells - position.ply
        if depth is not None and depth < 1:
            raise InvalidLimitError(f"depth is {depth}; it must be at least 1")
        return left if depth is None else min(depth, left)

    def _search(self, position: Position, depth: int, is_over: Callable[[], bool]) -> MinimaxResult | None:
        """None if `is_over` said so before the end; it is asked every few milliseconds."""
        walk, like = self._walks[0], self._layout.board
        begin_walk(walk, from_int(position.stones, like), from_int(position.mask, like), position.ply, depth)
        for action in reversed(position.winning_actions()):  # nothing is better than a win at once
            walk.best_action, walk.is_done = action, True
            walk.best[0] = walk.values[action] = walk.wins[position.ply + 1]
        while not walk.is_done:
            if is_over():
                return None
            advance(self._layout, self._heuristic.starts, self._heuristic.weights[0], walk, self._table, _PATIENCE)
        return self._result(depth)

    def _result(self, depth: int) -> MinimaxResult:
        walk, unit = self._walks[0], self._heuristic.unit
        value = float(walk.best[0])
        found = walk.values[: self.spec.actions]
        best = np.flatnonzero(found == value).tolist() if walk.all_best else [int(walk.best_action)]
        known = best if walk.prune else np.flatnonzero(~np.isnan(found)).tolist()
        values: list[float | None] = [None] * self.spec.actions
        for action in known:
            values[action] = _in_units(float(found[action]), unit)
        return MinimaxResult(
            int(walk.best_action), tuple(best), _in_units(value, unit), tuple(values), int(walk.nodes), depth
        )


def make_walk(
    spec: GameSpec, *, prune: bool, all_best: bool, order: np.ndarray | None = None, wins: np.ndarray | None = None
) -> Any:
    """A `WALK` for one board, as a record array of length 1, with the defaults of `Minimax`."""
    order = centre_first(spec) if order is None else order
    walks: Any = np.zeros(1, WALK).view(np.recarray)
    walk = walks[0]
    walk.prune, walk.all_best, walk.actions = prune, all_best, spec.actions
    walk.order[: spec.actions] = [_lowest_cell(int(action), spec) for action in order]
    walk.wins[: spec.cells + 1] = quick_wins(spec) if wins is None else wins
    return walks


def _lowest_cell(action: int, spec: GameSpec) -> int:
    """The lowest cell that an action may fill."""
    return layout_of(spec).cell(spec.rows - 1, action) if spec.gravity else Position.start(spec).landing_cell(action)


def _in_units(value: float, unit: float) -> float:
    return value if forced_end(value) is not None else value / unit
