"""Monte Carlo tree search: trees that are kept from move to move, threads, and what they found.

A shell around `uct.py`. Every thread grows a tree of its own from its own random stream, and the
results at the root are added up; so the same seed gives the same result on any machine.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from inarow.games.bits import from_int
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.minimax.heuristics import Heuristic, make_heuristic
from inarow.search.minimax.minimax import make_walk
from inarow.search.tree.memory import (
    DRAWN,
    EXHAUSTED,
    MAX_VISITS,
    SLOT_BYTES,
    SOONEST_WIN,
    UNKNOWN,
    USED,
    VISITED,
    Tree,
    descend,
    make_tree,
    plant,
)
from inarow.search.tree.uct import PLAN, grow

Final = Literal["visits", "score"]
Cancelled = Callable[[], bool]

USUAL_EXPLORATION = 1 / math.sqrt(2)
"""For results between 0 and 1; the same as sqrt 2 where losses count -1."""

_PATIENCE = 0.01
"""Seconds between two looks at the clock, about."""
_FIRST_BATCH = 64


@dataclass(frozen=True, slots=True)
class Rollouts:
    """How games are played from a leaf: the first `informed` moves by a minimax of `depth` plies with
    the heuristic, which draws among equals, all others at random.
    """

    informed: int = 0
    depth: int = 2
    heuristic: Heuristic | None = None


@dataclass(frozen=True, slots=True)
class TreeResult:
    """What a search found, for the side to move. Lists have an entry per action."""

    action: int
    value: float
    """In [-1, 1]: the mean result, or the proven one."""
    visits: tuple[int, ...]
    values: tuple[float | None, ...]
    """Mean results in [-1, 1], 1, 0 or -1 where proven; None for actions without a visit."""
    ends: tuple[int | None, ...]
    """For actions with a proven win or loss, the stone number that ends the game."""
    score: int | None
    """1, 0 or -1 if the result of the position is proven."""
    simulations: int
    """Run for this decision, by all threads."""
    nodes: int
    """Positions in the trees."""
    bytes: int
    """Of the trees in use."""
    is_full: bool
    """Whether a tree had no room for some node, whose place was then taken by more rollouts."""


Watch = Callable[[TreeResult], None]


class TreeSearch:
    """Searches positions of one board, and goes on with the part of its trees that a game reaches."""

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
        rollouts: Rollouts | None = None,
        wide: bool | None = None,
    ) -> None:
        """`memory` is the size of all trees together in bytes. `final` says what the chosen action
        has most of: visits, or points. `solve` carries proven results up the tree.
        """
        rollouts = Rollouts() if rollouts is None else rollouts
        self.spec = spec
        self._final = final
        self._layout = compiled_layout(spec, wide=wide)
        self._heuristic = rollouts.heuristic or make_heuristic("windows", spec, wide=wide)
        self._plan: Any = np.zeros(1, PLAN).view(np.recarray)
        self._plan[0].exploration, self._plan[0].solve = exploration, solve
        self._plan[0].informed, self._plan[0].depth = rollouts.informed, rollouts.depth
        self._streams = rng.spawn(threads)
        self._trees = [make_tree(memory // threads) for _ in range(threads)]
        self._walks = [make_walk(spec, prune=True, all_best=True) for _ in range(threads)]
        self._root: Position | None = None

    def search(
        self,
        position: Position,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        cancelled: Cancelled | None = None,
        watch: Watch | None = None,
    ) -> TreeResult:
        """Runs simulations, so many or so long in each thread; raises FinishedGameError.

        One of the two is given. Ends early when the result is proven, when a tree has MAX_VISITS, or
        when `cancelled` says so, which is asked every few milliseconds. However short, it runs a first
        few simulations, with informed rollouts one. `watch` is told every few milliseconds what is
        known; that changes no result, but an exception out of it ends the search.
        """
        position.check_ongoing()
        self._go_to(position)
        end = None if seconds is None else time.perf_counter() + seconds

        ended = False

        def is_over() -> bool:
            return ended or (end is not None and time.perf_counter() >= end) or (cancelled is not None and cancelled())

        def run(number: int) -> int:
            return self._run(number, position, simulations, is_over, watch if number == 0 else None)

        threads = len(self._trees)
        if threads == 1:
            done = run(0)
        else:
            with ThreadPoolExecutor(threads - 1) as pool:
                others = [pool.submit(run, number) for number in range(1, threads)]
                try:
                    done = run(0)  # in this thread, so that `watch` can end the search
                except BaseException:
                    ended = True
                    raise
                done += sum(other.result() for other in others)
        return self._result(position, done)

    def _go_to(self, position: Position) -> None:
        """Makes `position` the root: of what is left of the trees if the game went on from their last
        root, otherwise of new ones.
        """
        played = None if self._root is None else moves_between(self._root, position)
        for tree in self._trees:
            if played is None or not all(descend(tree, cell) for cell in played):
                plant(tree)
        self._root = position

    def _run(
        self, number: int, position: Position, limit: int | None, is_over: Callable[[], bool], watch: Watch | None
    ) -> int:
        like = self._layout.board
        stones, mask = from_int(position.stones, like), from_int(position.mask, like)
        tree = self._trees[number]
        room = MAX_VISITS - int(tree.visits[0])
        limit = room if limit is None else min(limit, room)
        done, batch = 0, max(_FIRST_BATCH, len(position.legal_actions))
        if self._plan[0].informed:  # one rollout alone may take long
            batch = 1
        while done < limit:
            wanted = min(batch, limit - done)
            clock = time.perf_counter()
            run = grow(
                self._layout,
                tree,
                stones,
                mask,
                position.ply,
                self._plan[0],
                self._heuristic.starts,
                self._heuristic.weights[0],
                self._walks[number][0],
                self._streams[number],
                wanted,
            )
            done += run
            if run < wanted or is_over():
                break
            if watch is not None:
                watch(self._result(position, done))
            batch = _next_batch(batch, time.perf_counter() - clock)
        return done

    def _result(self, position: Position, simulations: int) -> TreeResult:
        visits, points, proofs = _root_totals(self._trees, position)
        action = _choice(position, visits, points, proofs, self._final)
        known = _position_proof(position, proofs)
        values: list[float | None] = [None] * self.spec.actions
        for each in position.legal_actions:
            if proofs[each] != UNKNOWN:
                values[each] = float(_outcome(int(proofs[each])))
            elif visits[each]:
                values[each] = float(points[each] / visits[each] - 1)
        mean = float(points.sum() / max(1, visits.sum()) - 1)
        return TreeResult(
            action=action,
            value=mean if known is None else float(known),
            visits=tuple(visits.tolist()),
            values=tuple(values),
            ends=tuple(SOONEST_WIN - abs(int(proof)) if abs(proof) > DRAWN else None for proof in proofs),
            score=known,
            simulations=simulations,
            nodes=sum(int(tree.counts[VISITED]) for tree in self._trees),
            bytes=sum(int(tree.counts[USED]) for tree in self._trees) * SLOT_BYTES,
            is_full=any(bool(tree.counts[EXHAUSTED]) for tree in self._trees),
        )


def moves_between(before: Position, after: Position) -> list[int] | None:
    """The cells of the moves that lead from one position to a later one of the same game, else None."""
    plies = len(before.actions)
    if before.spec != after.spec or after.actions[:plies] != before.actions or len(after.actions) == plies:
        return None
    cells = []
    for action in after.actions[plies:]:
        cells.append(before.landing_cell(action))
        before = before.play(action)
    return cells


def _next_batch(batch: int, seconds: float) -> int:
    """Simulations until the next look at the clock: as many as fit, at most doubled."""
    return max(1, min(2 * batch, int(batch * _PATIENCE / max(seconds, 1e-6))))


def _root_totals(trees: Sequence[Tree], position: Position) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Visits, points and proofs of all actions, over all trees; a proof of any tree counts."""
    actions = position.spec.actions
    visits, points, proofs = (np.zeros(actions, np.int64) for _ in range(3))
    for tree in trees:
        for child in range(int(tree.first[0]), int(tree.first[0] + tree.tried[0])):
            action = position.action_of(int(tree.cell[child]))
            visits[action] += tree.visits[child]
            points[action] += tree.points[child]
            if proofs[action] == UNKNOWN or tree.proof[child] > proofs[action]:
                proofs[action] = tree.proof[child] or proofs[action]
    return visits, points, proofs


def _choice(position: Position, visits: np.ndarray, points: np.ndarray, proofs: np.ndarray, final: Final) -> int:
    """The quickest proven win; else what has most visits or points and is no proven loss; else the
    slowest loss. The first of several equals.
    """
    legal = position.legal_actions
    best = max(legal, key=lambda action: proofs[action])
    if proofs[best] > DRAWN:
        return best
    hopeful = [action for action in legal if proofs[action] >= UNKNOWN]
    if not hopeful:
        return best
    most, then = (visits, points) if final == "visits" else (points, visits)
    return max(hopeful, key=lambda action: (most[action], then[action]))


def _position_proof(position: Position, proofs: np.ndarray) -> int | None:
    """1, 0 or -1 if the proofs of its actions settle a position."""
    known = [int(proofs[action]) for action in position.legal_actions]
    if max(known) > DRAWN:
        return 1
    return None if UNKNOWN in known else _outcome(max(known))


def _outcome(proof: int) -> int:
    return 0 if proof == DRAWN else 1 if proof > 0 else -1
