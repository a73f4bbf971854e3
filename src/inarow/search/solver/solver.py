"""The exact solver: the score of any position, and of every action in it.

A `Solver` keeps its table, so related positions profit from each other.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from inarow.errors import BookError, InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.limits import NO_LIMITS, POLL_SECONDS, Limits, Watch
from inarow.search.solver.book import Book
from inarow.search.solver.driver import NullWindowSearch
from inarow.search.solver.engines import Engine, FastEngine, PlainEngine
from inarow.search.solver.solution import Analysis, Solution, win_score

DEFAULT_MEMORY = 256 << 20
MIN_MEMORY = 1 << 20
MAX_THREADS = 64
UNSURE_NODES = 20_000_000
"""Default node limit on boards that may be too hard: without gravity, or wider than a word."""


class Solver:
    """Solves positions of one board. May be shared between threads: they take turns."""

    def __init__(
        self, spec: GameSpec, *, memory: int = DEFAULT_MEMORY, threads: int = 1, book: Book | None = None
    ) -> None:
        if memory < MIN_MEMORY:
            raise InvalidLimitError(f"memory is {memory} bytes; the solver needs at least {MIN_MEMORY >> 20} MB")
        if not 1 <= threads <= MAX_THREADS:
            raise InvalidLimitError(f"threads is {threads}; it must be 1 to {MAX_THREADS}")
        if book is not None and book.spec != spec:
            raise BookError(f"the book is for {book.spec}, not for {spec}")
        self.spec = spec
        self._book = book
        is_sure = spec.gravity and spec.fits_word
        self._usual_limits = NO_LIMITS if is_sure else Limits(nodes=UNSURE_NODES)
        self._engine: Engine = FastEngine(spec, memory) if is_sure else PlainEngine(spec, memory)
        self._workers = [self._engine.open_worker() for _ in range(min(threads, self._engine.max_workers))]
        self._lock = threading.Lock()

    def solve(
        self,
        position: Position,
        *,
        weak: bool = False,
        limits: Limits | None = None,
        watch: Watch[Solution] | None = None,
    ) -> Solution:
        """The score of an unfinished position; in weak mode bounds that decide the outcome.

        A limit leaves bounds. Without `limits` a board that may be too hard gets `UNSURE_NODES`.
        """
        self._check(position)
        with self._turn(limits or self._usual_limits) as left:
            if left is None:
                return _unsolved(position)
            return self._solved(position, _widest(position), left, weak=weak, watch=watch)

    def analyse(
        self,
        position: Position,
        *,
        only_best: bool = False,
        limits: Limits | None = None,
        watch: Watch[Analysis] | None = None,
    ) -> Analysis:
        """The score of every action of an unfinished position.

        `only_best` finds out of each action only whether it keeps the score, and leaves the scores of the others
        None. The watcher receives what is known so far: first the bounds, then one score after the other.
        """
        self._check(position)
        limits, clock = limits or self._usual_limits, time.perf_counter()
        scores: list[int | None] = [None] * self.spec.actions
        root, nodes = _unsolved(position), 0

        def known(more_nodes: int = 0) -> Analysis:
            return Analysis(
                score=root.score,
                bounds=(root.lower, root.upper),
                plies=root.plies,
                scores=tuple(scores),
                best=tuple(action for action, score in enumerate(scores) if score is not None and score == root.score),
                nodes=nodes + more_nodes,
                seconds=time.perf_counter() - clock,
            )

        def watch_action(solution: Solution) -> None:
            if watch is not None:
                watch(known(solution.nodes))

        def watch_root(solution: Solution) -> None:
            nonlocal root
            root = solution
            watch_action(solution)

        is_watched = watch is not None
        with self._turn(limits) as left:
            if left is not None:
                root = self._solved(position, _widest(position), left, watch=watch_root if is_watched else None)
            nodes = root.nodes
            for action in position.legal_actions if root.score is not None else ():
                after = position.play(action)
                if after.is_over:
                    scores[action] = 0 if after.winner is None else win_score(position, 1)
                    continue
                # No reply is better for the opponent than the best one is for us.
                bounds = -root.lower, max(-root.lower, 1 - root.lower if only_best else win_score(after, 1))
                left = limits.less(nodes, time.perf_counter() - clock)
                solution = self._solved(after, bounds, left, watch=watch_action if is_watched else None)
                nodes += solution.nodes
                if solution.score == -root.lower or not only_best:
                    scores[action] = None if solution.score is None else -solution.score
                if watch is not None:
                    watch(known())
        return known()

    def clear(self) -> None:
        """Forgets what was found, as if the solver were new."""
        with self._lock:
            self._engine.clear()

    @contextmanager
    def _turn(self, limits: Limits) -> Iterator[Limits | None]:
        """Waits for other threads. Yields what is then left of the limits; None, without a turn, if one was reached."""
        clock = time.perf_counter()
        while not self._lock.acquire(timeout=POLL_SECONDS):
            if limits.is_reached(0, time.perf_counter() - clock):
                yield None
                return
        try:
            yield limits.less(0, time.perf_counter() - clock)
        finally:
            self._lock.release()

    def _solved(
        self,
        position: Position,
        bounds: tuple[int, int],
        limits: Limits,
        *,
        weak: bool = False,
        watch: Watch[Solution] | None = None,
    ) -> Solution:
        score = self._book.score(position) if self._book is not None else None
        if score is not None:
            bounds = score, score
        return NullWindowSearch(position, *bounds, self._workers, weak=weak, limits=limits, watch=watch).run()

    def _check(self, position: Position) -> None:
        if position.spec != self.spec:
            raise InvalidLimitError(f"this solver is for {self.spec}; the position is on {position.spec}")
        position.check_ongoing()


def _unsolved(position: Position) -> Solution:
    """What is known without a search."""
    lower, upper = _widest(position)
    return Solution(lower=lower, upper=upper, plies=None, nodes=0, seconds=0.0)


def _widest(position: Position) -> tuple[int, int]:
    """Bounds that hold for every unfinished position of this ply."""
    return -win_score(position, 2), win_score(position, 1)
