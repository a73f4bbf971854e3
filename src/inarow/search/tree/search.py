"""Monte Carlo tree search of positions: `TreeSearch` with rollouts; `NetSearch` with a network is in `net_search.py`.

Both keep the part of their trees below the current position. With threads, every thread grows its own tree from its
own random stream, and the results at the root are added up; so the same seed gives the same result on any machine.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Literal

import numpy as np

from inarow.games import GameSpec, Position
from inarow.games.kernels import bits_of, compiled_layout
from inarow.search.limits import Limits, Watch
from inarow.search.plugged import blaming, kernel_for, part_of
from inarow.search.tree import memory as arrays
from inarow.search.tree.config import USUAL_EXPLORATION, Progress, TreeResult, Uct
from inarow.search.tree.net_search import NetSearch as NetSearch
from inarow.search.tree.parts import BoardLeaf
from inarow.search.tree.probes import NoProbe, Probes
from inarow.search.tree.rollouts import InformedRollout, RandomRollout, RolloutContext, Rollouts, grow

Final = Literal["visits", "score"]

_FIRST_BATCH = 64


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
        probes: Probes | None = None,
        wide: bool | None = None,
    ) -> None:
        """`memory` is the size of all trees together in bytes. The final choice is the action with the most visits or
        points, by `final`. `solve` propagates proven results up the tree. `rollouts` may also be a leaf evaluator, and
        `rule` a selection rule, which replaces UCT and `exploration`: registered NamedTuples, see `plugged.py`.
        `probes` are minimax searches inside the tree; they need `solve`.
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
            probe = NoProbe() if probes is None else probes.probe(spec, wide=wide)
            self._searches.append(RolloutContext(layout, tree, rule, leaf, bool(solve), probe))
        # Parts that users may have registered, including the heuristic of informed rollouts.
        self._plugged = [rule, leaf, *([leaf.minimax.weights] if isinstance(leaf, InformedRollout) else [])]
        self._grow = kernel_for(grow, *(type(each) for each in self._plugged if isinstance(each, tuple)))
        # A single call of a user's function may take long.
        is_quick = isinstance(leaf, RandomRollout) and part_of(rule) is None and probes is None
        self._first_batch = _FIRST_BATCH if is_quick else 1
        self._has_probes = probes is not None
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
            elif self._has_probes:
                arrays.forget_root_proof(tree)
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
