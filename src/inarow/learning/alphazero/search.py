"""Searching positions with a network: one game at a time with a tree that is kept, or many in step."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inarow.games.bits import from_int, store, to_int
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position, cells_of
from inarow.games.spec import GameSpec
from inarow.learning.alphazero.cache import make_cache
from inarow.learning.alphazero.evaluator import Evaluate
from inarow.learning.alphazero.forest import (
    SLOT_BYTES,
    Forest,
    Searches,
    descend,
    make_forest,
    make_searches,
    plant,
)
from inarow.learning.alphazero.planes import PLANES
from inarow.learning.alphazero.search_config import SearchConfig, search_rules
from inarow.learning.alphazero.selection import best_child, halving_plan, improve_policy
from inarow.learning.alphazero.simulation import advance, proven_value
from inarow.search.tree.mcts import moves_between
from inarow.search.tree.memory import MAX_NODES, UNKNOWN
from inarow.search.tree.tactics import look

_NO_LIMIT = 2**30
_STRETCH = 256
"""Simulations between two looks at the clock, if none of them asks the network."""


@dataclass(frozen=True, slots=True)
class NetResult:
    """What a search found, for the side to move. Tuples have an entry per action."""

    action: int
    value: float
    """In [-1, 1]: the mean over simulations, or the proven result."""
    policy: tuple[float, ...]
    """What the search prefers; sums to 1."""
    priors: tuple[float, ...]
    """What the network prefers among the moves that were searched; zero if none had to be."""
    visits: tuple[int, ...]
    proven: int | None
    """1, 0 or -1 if the result of the position is proven."""
    simulations: int
    """Run for this decision."""
    nodes: int
    """Slots of the tree in use."""
    is_full: bool
    """Whether the tree had no more room."""


class NetSearch:
    """Searches positions of one board. All its memory is allocated here: `memory` bytes for the trees of
    all games together, `cache_memory` for what the network said.
    """

    def __init__(
        self,
        spec: GameSpec,
        evaluate: Evaluate,
        config: SearchConfig,
        *,
        games: int = 1,
        memory: int = 16 << 20,
        cache_memory: int = 16 << 20,
        wide: bool | None = None,
    ) -> None:
        self.spec = spec
        self._evaluate = evaluate
        self._layout = compiled_layout(spec, wide=wide)
        self._rules: Any = search_rules(config)
        self._slots = min(MAX_NODES // games, max(spec.actions + 1, memory // (games * SLOT_BYTES)))
        self._forest = make_forest(games, self._slots)
        self._searches = make_searches(games, self._layout)
        self._cache = make_cache(cache_memory, spec.actions)
        self._planes = np.zeros((games, PLANES, spec.rows, spec.columns), np.float32)
        self._waiting = np.zeros(games, np.int64)
        self._plan = halving_plan(config.considered, 1)
        self._is_kept = config.root == "puct"  # sequential halving plans from the first visit on
        self._root: Position | None = None

    def search(self, position: Position, *, simulations: int | None = None, seconds: float | None = None) -> NetResult:
        """Searches a position that is not over, in the first tree: so many simulations, or with root `puct`
        so long. At least one, which asks the network for no more than its policy and value.
        """
        self._go_to(position)
        end = None if seconds is None else time.perf_counter() + seconds
        limit = _NO_LIMIT if simulations is None else max(1, simulations)
        if simulations is not None:
            self._make_plan(limit)
        self._run(1, limit, end)
        return self._result(position, 0)

    def search_many(self, positions: Sequence[Position], simulations: int) -> list[NetResult]:
        """Searches positions that are not over, each in a new tree, as many at a time as there are games."""
        self._root = None
        self._make_plan(max(1, simulations))
        games = len(self._waiting)
        results = []
        for start in range(0, len(positions), games):
            group = positions[start : start + games]
            for game, position in enumerate(group):
                self._plant(position, game)
            self._run(len(group), max(1, simulations), None)
            results += [self._result(position, game) for game, position in enumerate(group)]
        return results

    def _make_plan(self, simulations: int) -> None:
        if self._rules[0].is_gumbel and self._plan.shape[1] != simulations:
            self._plan = halving_plan(len(self._plan) - 1, simulations)

    def _go_to(self, position: Position) -> None:
        """Makes `position` the root: of what is left of the tree if the game went on from its last root."""
        played = None if self._root is None or not self._is_kept else moves_between(self._root, position)
        if played is None or not all(descend(self._forest, self._searches, cell) for cell in played):
            self._plant(position, 0)
        else:
            self._place(position, 0)
        self._root = position

    def _plant(self, position: Position, game: int) -> None:
        plant(self._forest, self._searches, game, self._slots)
        self._place(position, game)

    def _place(self, position: Position, game: int) -> None:
        like = self._layout.board
        store(self._searches.stones, game, from_int(position.stones, like))
        store(self._searches.mask, game, from_int(position.mask, like))
        self._searches.ply[game] = position.ply

    def _run(self, games: int, limit: int, end: float | None) -> None:
        """Searches in the first trees until all have run `limit` simulations or can do no more, or the
        clock shows `end`. Nothing is left waiting for the network.
        """
        searches, waiting = self._searches, self._waiting[:games]
        asked, logits, values = 0, np.zeros((0, 0, 0), np.float32), np.zeros(0, np.float32)
        while True:
            done = searches.done[:games]
            before = int(done.sum())
            is_late = end is not None and before > 0 and time.perf_counter() >= end
            if is_late:
                searches.wanted[:games] = 0
            else:
                searches.wanted[:games] = limit if end is None else np.minimum(limit, done + _STRETCH)
            asked = advance(
                self._layout,
                self._forest,
                searches,
                self._cache,
                self._rules[0],
                self._plan,
                self._planes,
                waiting,
                asked,
                logits,
                values,
                self._slots,
            )
            if asked:
                logits, values = self._evaluate(self._planes[:asked])
            elif is_late or end is None or int(done.sum()) == before:
                return

    def _result(self, position: Position, game: int) -> NetResult:
        forest, searches, root = self._forest, self._searches, game * self._slots
        actions = self.spec.actions
        policy, priors, visits = np.zeros(actions), np.zeros(actions), np.zeros(actions, np.int64)
        proof = int(forest.proof[root])
        proven = None if proof == UNKNOWN else -int(proven_value(proof))
        size = int(forest.size[root])
        if size == 0:  # one look was enough
            action = position.action_of(self._obvious_cell(position))
        else:
            children = np.arange(forest.first[root], forest.first[root] + size)
            of_child = [position.action_of(int(cell)) for cell in forest.cell[children]]
            visits[of_child] = forest.visits[children]
            priors[of_child] = self._plain_priors(children)
            best = best_child(forest, root, searches.noise, game, self._rules[0])
            action = position.action_of(int(forest.cell[best]))
            if proven is None:
                policy[of_child] = self._policy(root, game, children)
        if proven is not None:
            policy[action] = 1.0
        count = int(forest.visits[root])
        return NetResult(
            action=action,
            value=float(-forest.total[root] / max(1, count)) if proven is None else float(proven),
            policy=tuple((policy / policy.sum()).tolist()),
            priors=tuple(priors.tolist()),
            visits=tuple(visits.tolist()),
            proven=proven,
            simulations=int(searches.done[game]),
            nodes=int(searches.used[game]),
            is_full=bool(searches.used[game] + actions > self._slots),
        )

    def _policy(self, root: int, game: int, children: np.ndarray) -> np.ndarray:
        """Of the children of a root that is not proven."""
        forest = self._forest
        if self._rules[0].is_gumbel:
            policy = np.zeros(len(children))
            improve_policy(forest, root, float(self._searches.value[game]), self._rules[0], policy)
            return policy
        visits = np.where(forest.proof[children] < UNKNOWN, 0, forest.visits[children]).astype(np.float64)
        return visits if visits.any() else self._plain_priors(children)

    def _plain_priors(self, children: np.ndarray) -> np.ndarray:
        """The network's own policy: priors without softness."""
        powers = self._forest.prior[children].astype(np.float64) ** float(self._rules[0].softness)
        plain: np.ndarray = powers / powers.sum()
        return plain

    def _obvious_cell(self, position: Position) -> int:
        """A cell that wins at once; in a lost position one that meets a threat, or any, near the centre."""
        like = self._layout.board
        _, found = look(self._layout, from_int(position.stones, like), from_int(position.mask, like), position.ply)
        cells = cells_of(to_int(found))
        return cells[len(cells) // 2]


def forest_bytes(forest: Forest, searches: Searches) -> int:
    """The memory of trees and searches."""
    return sum(array.nbytes for array in (*forest, *searches))
