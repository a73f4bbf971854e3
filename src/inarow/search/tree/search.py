"""Monte Carlo tree search of positions: `TreeSearch` with rollouts, `NetSearch` with a network.

Both keep the part of their trees below the current position. With threads, every thread grows its own tree from its
own random stream, and the results at the root are added up; so the same seed gives the same result on any machine.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Literal

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
from inarow.search.tree.config import USUAL_EXPLORATION, Progress, SearchConfig, TreeResult, Uct, search_rules
from inarow.search.tree.evaluation import Evaluate, checked_answers
from inarow.search.tree.parts import BoardLeaf
from inarow.search.tree.rollouts import InformedRollout, RandomRollout, RolloutContext, Rollouts, grow
from inarow.search.tree.simulation import advance, look, make_batch, new_search

Final = Literal["visits", "score"]

_FIRST_BATCH = 64
_SLICE = 256  # simulations with a network between two checks of the clock, if none of them needs the network
_FOREIGN_SLICE = 16  # the same with a user's rule, which may be plain Python
_UNLIMITED = 2**30


# --- Rollouts ---


class TreeSearch:
    """Searches positions of one board with rollouts."""

    def __init__(
        self,
        spec: GameSpec,
        rng: np.random.Generator,
        *,
        exploration: float = USUAL_EXPLORATION,
        final: Final = "visits",
        solve: bool = True,
        memory: int = 64 << 20,
        threads: int = 1,
        rollouts: Rollouts | BoardLeaf | Any = None,
        rule: Any = None,
        wide: bool | None = None,
    ) -> None:
        """`memory` is the size of all trees together in bytes. The final choice is the action with the most visits or
        points, by `final`. `solve` propagates proven results up the tree. `rollouts` may also be a leaf evaluator, and
        `rule` a selection rule, which replaces UCT and `exploration`: registered NamedTuples, see `plugged.py`.
        """
        rollouts = Rollouts() if rollouts is None else rollouts
        rule = Uct(float(exploration)) if rule is None else rule
        self.spec, self.memory, self._final = spec, memory, final
        layout = compiled_layout(spec, wide=wide)
        self._trees, self._searches = [], []
        for _ in range(threads):
            leaf = rollouts.leaf(spec, wide=wide) if isinstance(rollouts, (Rollouts, BoardLeaf)) else rollouts
            tree = arrays.make_rollout_tree(memory // threads, fractional=getattr(leaf, "is_fractional", False))
            self._trees.append(tree)
            self._searches.append(RolloutContext(layout, tree, rule, leaf, bool(solve)))
        # Parts that users may have registered, including the heuristic of informed rollouts.
        self._plugged = [rule, leaf, *([leaf.minimax.weights] if isinstance(leaf, InformedRollout) else [])]
        self._grow = kernel_for(grow, *(type(each) for each in self._plugged if isinstance(each, tuple)))
        # A single call of a user's function may take long.
        self._first_batch = _FIRST_BATCH if isinstance(leaf, RandomRollout) and part_of(rule) is None else 1
        self._streams = rng.spawn(threads)
        self._root: Position | None = None

    def search(self, position: Position, *, limits: Limits, watch: Watch[TreeResult] | None = None) -> TreeResult:
        """Runs simulations until a limit is reached; raises FinishedGameError, and InvalidAgentError if a user's
        function fails.

        `limits.simulations` counts in each thread, `limits.nodes` over all trees, kept nodes included. Stops early
        when the result is proven or a tree has MAX_VISITS. However tight the limits, it runs at least a few
        simulations, with informed rollouts one.
        """
        position.check_ongoing()
        for tree in self._trees:
            if not arrays.follow_game(tree, self._root, position):
                arrays.reset_tree(tree, 0)
        self._root = None  # restored at the end: an error may leave half a simulation in a tree
        threads, progress = len(self._trees), Progress(limits, watch)
        run = partial(self._run, position, limits, progress)
        if threads == 1:
            done = run(0)
        else:
            with ThreadPoolExecutor(threads - 1) as pool:
                others = [pool.submit(run, number) for number in range(1, threads)]
                try:
                    done = run(0)  # in this thread, so that `watch` can end the search
                except BaseException:
                    progress.is_stopped = True
                    raise
                done += sum(other.result() for other in others)
        self._root = position
        return self._result(position, done)

    def _run(self, position: Position, limits: Limits, progress: Progress, number: int) -> int:
        search, tree = self._searches[number], self._trees[number]
        stones, mask = bits_of(position, search.layout)
        limit = arrays.MAX_VISITS - int(tree.visits[0])
        if limits.simulations is not None:
            limit = min(limit, max(1, limits.simulations))
        nodes = arrays.MAX_NODES if limits.nodes is None else -(-limits.nodes // len(self._trees))
        done, batch = 0, self._first_batch
        if batch > 1:
            batch = max(batch, len(position.legal_actions))
        while done < limit:
            wanted = min(batch, limit - done, max(1, nodes - int(tree.counts[0, arrays.VISITED])))
            clock = time.perf_counter()
            with blaming(*self._plugged):
                run = self._grow(search, stones, mask, position.ply, self._streams[number], wanted)
            done += run
            if run < wanted or progress.must_stop() or tree.counts[0, arrays.VISITED] >= nodes:
                break
            if limits.nodes is not None and tree.counts[0, arrays.IS_FULL]:
                break
            if number == 0:
                progress.report(partial(self._result, position, done))
            batch = progress.next_batch(batch, time.perf_counter() - clock)
        return done

    def _result(self, position: Position, simulations: int) -> TreeResult:
        visits, points, proofs = _root_totals(self._trees, position)
        known = _position_proof(position, proofs)
        values: list[float | None] = [None] * self.spec.actions
        for each in position.legal_actions:
            if proofs[each] != arrays.UNKNOWN:
                values[each] = arrays.proven_value(int(proofs[each]))
            elif visits[each]:
                values[each] = float(points[each] / visits[each] - 1)
        total = max(1, int(visits.sum()))
        return TreeResult(
            action=_choice(position, visits, points, proofs, self._final),
            value=float(points.sum() / total - 1) if known is None else float(known),
            policy=tuple(count / total for count in visits.tolist()),
            priors=None,
            visits=tuple(visits.tolist()),
            values=tuple(values),
            proven=known,
            simulations=simulations,
            nodes=sum(int(tree.counts[0, arrays.VISITED]) for tree in self._trees),
            bytes=sum(map(arrays.rollout_bytes, self._trees)),
            is_full=any(bool(tree.counts[0, arrays.IS_FULL]) for tree in self._trees),
        )


def _root_totals(trees: Sequence[arrays.TreeArrays], position: Position) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Visits, points and proofs of all actions, over all trees; a proof of any tree counts."""
    visits, proofs = np.zeros((2, position.spec.actions), np.int64)
    points = np.zeros(position.spec.actions, np.result_type(np.int64, trees[0].total))
    for tree in trees:
        for child in range(int(tree.first[0]), int(tree.first[0] + tree.tried[0])):
            action = position.action_of(int(tree.cell[child]))
            visits[action] += tree.visits[child]
            points[action] += tree.total[child]
            if proofs[action] == arrays.UNKNOWN or tree.proof[child] > proofs[action]:
                proofs[action] = tree.proof[child] or proofs[action]
    return visits, points, proofs


def _choice(position: Position, visits: np.ndarray, points: np.ndarray, proofs: np.ndarray, final: Final) -> int:
    """Like `selection.best_child`, by visits or points; of equal actions the first."""
    legal = position.legal_actions
    best = max(legal, key=lambda action: proofs[action])
    if proofs[best] > arrays.DRAWN:
        return best
    hopeful = [action for action in legal if proofs[action] >= arrays.UNKNOWN]
    if not hopeful:
        return best
    most, then = (visits, points) if final == "visits" else (points, visits)
    return max(hopeful, key=lambda action: (most[action], then[action]))


def _position_proof(position: Position, proofs: np.ndarray) -> int | None:
    """1, 0 or -1 if the proofs of its actions settle a position; otherwise None."""
    known = [int(proofs[action]) for action in position.legal_actions]
    if max(known) > arrays.DRAWN:
        return 1
    return None if arrays.UNKNOWN in known else int(arrays.proven_value(max(known)))


# --- A network ---


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
