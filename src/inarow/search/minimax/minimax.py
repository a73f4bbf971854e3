"""Minimax with limits: the Python interface to `alphabeta.py`."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inarow.games import GameSpec, Position
from inarow.games.kernels import bits_of, compiled_layout, new_record
from inarow.search.limits import NO_LIMITS, Limits, Watch
from inarow.search.minimax.alphabeta import ENTRY, MinimaxContext, WalkRecord, advance, begin_walk
from inarow.search.minimax.heuristics import Heuristic
from inarow.search.plugged import blaming, kernel_for
from inarow.search.solver.geometry import lines_through_cells

_POLL_NODES = 20_000  # nodes between two checks of the limits: a few milliseconds with a built-in heuristic
_POLL_SECONDS = 0.005  # time between two checks with other heuristics
_HIGHEST_EXPONENT = 1000


@dataclass(frozen=True, slots=True)
class MinimaxResult:
    """The result of a search, for the side to move. A win by stone number n has the value 2^(1000 - n), a loss its
    negative.
    """

    action: int  # the first of the best actions
    best: tuple[int, ...]  # all best actions if `all_best` was set, otherwise only `action`
    value: float
    values: tuple[float | None, ...]  # of each action: None if it is illegal or was cut off
    nodes: int
    depth: int  # plies looked ahead


def forced_end(value: float) -> int | None:
    """The number of the stone that ends the game if the value is a forced win or loss; otherwise None."""
    exponent = math.frexp(value)[1] - 1
    return _HIGHEST_EXPONENT - exponent if exponent > _HIGHEST_EXPONENT // 2 else None


def centre_first(spec: GameSpec) -> np.ndarray:
    """The actions of a board, sorted by the number of lines through their cells, most first."""
    lines = lines_through_cells(spec).reshape(spec.columns, spec.rows + 1)
    worth = lines.sum(1) if spec.gravity else lines[:, spec.rows - 1 :: -1].T.ravel()
    return np.argsort(-worth, kind="stable")


class Minimax:
    """Searches positions of one board. Not thread-safe."""

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
        """`memory` is the size of the transposition table in bytes; 0 searches without one. Moves are tried in
        `order`, by default centre first; `wins` are the values of a line by the number of the stone that completes it.
        Neither the values nor the move found depend on memory, order or pruning.
        """
        self.spec = spec
        heuristic = heuristic.own_copy()
        self._unit, self._is_foreign = heuristic.unit, heuristic.part is not None
        self._advance = kernel_for(advance, heuristic.part.kind) if heuristic.part is not None else advance
        slots = memory // ENTRY.itemsize
        table: Any = np.zeros(1 << slots.bit_length() - 1 if slots else 0, ENTRY).view(np.recarray)
        walk = new_record(WalkRecord)
        walk.prune, walk.all_best, walk.actions = prune, all_best, spec.actions
        start, order = Position.start(spec), centre_first(spec) if order is None else order
        walk.order[: spec.actions] = [start.landing_cell(int(action)) for action in order]
        quick_wins = np.ldexp(1.0, _HIGHEST_EXPONENT - np.arange(spec.cells + 1))  # above any heuristic
        walk.wins[: spec.cells + 1] = quick_wins if wins is None else wins
        layout = compiled_layout(spec, wide=wide)
        self.context = MinimaxContext(layout, heuristic.starts, heuristic.weights, walk, table)

    def search(
        self, position: Position, limits: Limits = NO_LIMITS, *, watch: Watch[MinimaxResult] | None = None
    ) -> MinimaxResult:
        """The result of looking `limits.depth` plies ahead (None: to the end of the game); raises FinishedGameError.

        With another limit or a watcher, it uses iterative deepening and returns the last finished search. The search of
        depth 1 always finishes, except that with a user's heuristic, which may be slow, it ends at a limit once a move
        has a value. It also ends when the result of the game is forced. The watcher receives the last finished search
        with the nodes of all searches. Raises InvalidAgentError if the user's heuristic fails.
        """
        position.check_ongoing()
        left = self.spec.cells - position.ply
        depth = left if limits.depth is None else min(limits.depth, left)
        is_single = watch is None and limits.nodes is limits.seconds is None and limits.cancelled is None
        clock = time.perf_counter()
        if is_single:
            return self._search(position, depth, None) or self._result(depth)

        def is_at_limit(nodes: int) -> bool:
            return limits.is_reached(nodes, time.perf_counter() - clock)

        def must_end(nodes: int) -> bool:
            return self._is_foreign and int(self.context.walk.best_action) >= 0 and is_at_limit(nodes)

        found = self._search(position, 1, must_end, limits.nodes) or self._result(1)
        spent = found.nodes

        def is_over(nodes: int) -> bool:
            if watch is not None:
                watch(replace(found, nodes=spent + nodes))
            return is_at_limit(spent + nodes)

        for plies in range(2, depth + 1):
            if forced_end(found.value) is not None:
                break
            result = self._search(position, plies, is_over, None if limits.nodes is None else limits.nodes - spent)
            spent += int(self.context.walk.nodes)
            if result is None:
                break
            found = result
        return replace(found, nodes=spent)

    def _search(
        self, position: Position, depth: int, is_over: Callable[[int], bool] | None, nodes: int | None = None
    ) -> MinimaxResult | None:
        """None if `is_over`, called every few milliseconds with the nodes of this search, returned True before its end.
        With a user's heuristic it is called at `nodes`, so that the search ends at the same node at any speed.
        """
        walk = self.context.walk
        begin_walk(walk, *bits_of(position, self.context.layout), position.ply, depth)
        for action in reversed(position.winning_actions()):  # nothing is better than an immediate win
            walk.best_action, walk.is_done = action, True
            walk.best[0] = walk.values[action] = walk.wins[position.ply + 1]
        batch = 1
        while not walk.is_done:
            if is_over is not None and is_over(int(walk.nodes)):
                return None
            if self._is_foreign:
                left = _POLL_NODES if nodes is None else nodes - int(walk.nodes)
                batch = self._advance_carefully(batch, left)
            else:
                advance(self.context, _POLL_NODES)
        return self._result(depth)

    def _advance_carefully(self, batch: int, left: int) -> int:
        """Searches a batch of the remaining nodes with a user's heuristic, which may fail or be slow; returns the next
        batch size.
        """
        wanted = max(1, min(batch, left))
        clock = time.perf_counter()
        with blaming(self.context.weights):
            self._advance(self.context, wanted)
        seconds = time.perf_counter() - clock
        return max(1, min(2 * batch, int(wanted * _POLL_SECONDS / max(seconds, 1e-9)), _POLL_NODES))

    def _result(self, depth: int) -> MinimaxResult:
        walk, unit = self.context.walk, self._unit
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


def _in_units(value: float, unit: float) -> float:
    return value if forced_end(value) is not None else value / unit
