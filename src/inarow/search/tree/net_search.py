"""Tree search with a network: `NetSearch`."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from inarow.errors import InvalidLimitError
from inarow.games import GameSpec, Position
from inarow.games.bits import store, to_int
from inarow.games.kernels import bits_of, compiled_layout
from inarow.games.position import cells_of
from inarow.search.limits import Limits, Watch
from inarow.search.plugged import blaming, kernel_for, part_of
from inarow.search.tree import memory as arrays
from inarow.search.tree import selection
from inarow.search.tree.config import Progress, SearchConfig, TreeResult, search_rules
from inarow.search.tree.evaluation import Evaluate, checked_answers
from inarow.search.tree.simulation import advance, look, make_batch, new_search

_SLICE = 256  # simulations with a network between two checks of the clock, if none of them needs the network
_FOREIGN_SLICE = 16  # the same with a user's rule, which may be plain Python
_UNLIMITED = 2**30


class NetSearch:
    """Searches positions of one board with a network: one game at a time, keeping its tree, or many games in step. Uses
    `memory` bytes for the trees of all games together and `cache_memory` for the answers of the network.
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
        rule: Any = None,
        wide: bool | None = None,
    ) -> None:
        """`rule` is a selection rule that replaces PUCT: a registered NamedTuple, see `plugged.py`."""
        self.spec, self._evaluate, self._considered = spec, evaluate, config.considered
        layout = compiled_layout(spec, wide=wide)
        slots = min(arrays.MAX_NODES // games, max(spec.actions + 1, memory // (games * arrays.NETWORK_SLOT_BYTES)))
        self._search = new_search(layout, games, slots, cache_memory, search_rules(config, rule=rule))
        self._batch = make_batch(games, layout)
        self._rule = self._search.rules.rule
        self._slice = _SLICE if part_of(self._rule) is None else _FOREIGN_SLICE
        self._advance = kernel_for(advance, type(self._rule))
        self._root: Position | None = None

    def search(self, position: Position, *, limits: Limits, watch: Watch[TreeResult] | None = None) -> TreeResult:
        """Searches a position until a limit is reached, it is proven, or the tree is full; raises FinishedGameError.

        Runs at least one simulation, which evaluates the root by the network. `limits.nodes` includes nodes kept from
        earlier searches. Sequential halving at the root needs `limits.simulations`; raises InvalidLimitError without
        it.
        """
        position.check_ongoing()
        if limits.simulations is None and self._search.rules.is_gumbel:
            raise InvalidLimitError("a search with root=gumbel needs a limit of simulations; set it")
        simulations = _UNLIMITED if limits.simulations is None else max(1, limits.simulations)
        self._make_plan(simulations)
        # Sequential halving needs an unvisited root.
        if self._search.rules.is_gumbel or not arrays.follow_game(self._search.tree, self._root, position):
            arrays.reset_tree(self._search.tree, 0)
        self._root = None  # restored at the end, as above
        self._place(position, 0)
        self._run([position], simulations, limits.nodes, Progress(limits, watch))
        self._root = position
        return self._result(position, 0)

    def search_many(self, positions: Sequence[Position], simulations: int) -> list[TreeResult]:
        """Searches positions that are not over, each in a new tree, as many at a time as there are games."""
        self._root = None
        simulations = max(1, simulations)
        self._make_plan(simulations)
        games = len(self._batch.waiting)
        results = []
        for start in range(0, len(positions), games):
            group = positions[start : start + games]
            for game, position in enumerate(group):
                arrays.reset_tree(self._search.tree, game)
                self._place(position, game)
            self._run(group, simulations, None, None)
            results += [self._result(position, game) for game, position in enumerate(group)]
        return results

    def _make_plan(self, simulations: int) -> None:
        search = self._search
        if search.rules.is_gumbel and search.plan.shape[1] != simulations:
            if simulations > selection.MAX_PLANNED_SIMULATIONS:
                raise InvalidLimitError(f"root=gumbel allows at most {selection.MAX_PLANNED_SIMULATIONS} simulations")
            self._search = search._replace(plan=selection.halving_plan(self._considered, simulations))

    def _place(self, position: Position, game: int) -> None:
        state, (stones, mask) = self._search.state, bits_of(position, self._search.layout)
        store(state.stones, game, stones)
        store(state.mask, game, mask)
        state.ply[game] = position.ply
        arrays.reset_search(state, game)

    def _run(self, positions: Sequence[Position], limit: int, nodes: int | None, progress: Progress | None) -> None:
        """Runs `limit` simulations in each tree; fewer if it is full, proven, or stopped by `progress` (one position
        only).
        """
        games = len(positions)
        done, wanted = self._search.state.done[:games], self._search.state.wanted[:games]
        batch = self._batch._replace(waiting=self._batch.waiting[:games])
        while True:
            before = int(done.sum())
            left = _UNLIMITED if nodes is None else nodes - int(self._search.tree.counts[0, arrays.USED])
            is_late = progress is not None and before > 0 and (progress.must_stop() or left <= 0)
            if is_late or progress is None:
                wanted[:] = 0 if is_late else limit
            else:
                wanted[:] = min(limit, before + max(1, min(self._slice, left // self.spec.actions)))
            with blaming(self._rule):
                asked = self._advance(self._search, batch)
            if asked:
                planes = batch.planes[:asked]
                logits, values = checked_answers(planes, *self._evaluate(planes))
            else:
                logits, values = self._batch.logits, self._batch.values
                if is_late or progress is None or int(done.sum()) == before:
                    return
            batch = batch._replace(logits=logits, values=values)
            if progress is not None and done[0]:
                progress.report(partial(self._result, positions[0], 0))

    def _result(self, position: Position, game: int) -> TreeResult:
        tree, state, rules = self._search.tree, self._search.state, self._search.rules
        counts = tree.counts[game]
        root, actions = int(counts[arrays.ROOT]), self.spec.actions
        policy, priors, visits = np.zeros(actions), np.zeros(actions), np.zeros(actions, np.int64)
        values: list[float | None] = [None] * actions
        proof, size = int(tree.proof[root]), int(tree.size[root])
        proven = None if proof == arrays.UNKNOWN else -int(arrays.proven_value(proof))
        if size == 0:  # proven without a simulation
            # A winning cell; in a lost position a cell that blocks a threat, or any cell, near the centre.
            layout = self._search.layout
            cells = cells_of(to_int(look(*bits_of(position, layout), position.ply, layout)[1]))
            action = position.action_of(cells[len(cells) // 2])
        else:
            children = np.arange(tree.first[root], tree.first[root] + size)
            of_child = [position.action_of(int(cell)) for cell in tree.cell[children]]
            visits[of_child], priors[of_child] = tree.visits[children], self._plain_priors(children)
            for each, child in zip(of_child, children.tolist(), strict=True):
                if tree.visits[child] or tree.proof[child] != arrays.UNKNOWN:
                    values[each] = float(selection.mean_value(tree, child, 0.0))
            best = selection.best_child(tree, root, state.noise, game, rules)
            action = position.action_of(int(tree.cell[best]))
            if proven is None:
                policy[of_child] = self._policy(root, game, children)
        if proven is not None:
            policy[action] = 1.0
        count = int(tree.visits[root])
        return TreeResult(
            action=action,
            value=float(-tree.total[root] / max(1, count)) if proven is None else float(proven),
            policy=tuple((policy / policy.sum()).tolist()),
            priors=tuple(priors.tolist()),
            visits=tuple(visits.tolist()),
            values=tuple(values),
            proven=proven,
            simulations=int(state.done[game]),
            nodes=int(counts[arrays.USED]),
            bytes=int(counts[arrays.USED]) * arrays.NETWORK_SLOT_BYTES,
            is_full=bool(counts[arrays.USED] + actions > counts[arrays.SLOTS]),
        )

    def _policy(self, root: int, game: int, children: np.ndarray) -> np.ndarray:
        """The policy over the children of a root that is not proven."""
        tree, rules = self._search.tree, self._search.rules
        if rules.is_gumbel:
            policy = np.zeros(len(children))
            selection.improve_policy(tree, root, float(self._search.state.value[game]), rules, policy)
            return policy
        visits = np.where(tree.proof[children] < arrays.UNKNOWN, 0, tree.visits[children]).astype(np.float64)
        return visits if visits.any() else self._plain_priors(children)

    def _plain_priors(self, children: np.ndarray) -> np.ndarray:
        """The original policy of the network: priors without softness."""
        powers = self._search.tree.prior[children].astype(np.float64) ** self._search.rules.softness
        return np.asarray(powers / powers.sum())
