"""From null-window searches to scores: which windows to search, on how many threads, and when to stop.

The score lies between two bounds, at first those that the rules give. Every search moves one of them; the score is
known when they meet.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from inarow.games.position import Position
from inarow.search.limits import NO_LIMITS, POLL_SECONDS, Limits, Watch
from inarow.search.solver.engines import SearchWorker
from inarow.search.solver.solution import Solution, plies_to_end


class NullWindowSearch:
    """Brings the bounds of one unfinished position together; in weak mode only until the outcome is known."""

    def __init__(
        self,
        position: Position,
        lower: int,
        upper: int,
        workers: Sequence[SearchWorker],
        *,
        weak: bool = False,
        limits: Limits = NO_LIMITS,
        watch: Watch[Solution] | None = None,
    ) -> None:
        self.lower, self.upper = lower, upper
        self._position = position
        self._workers = workers
        self._weak = weak
        self._limits = limits
        self._watch = watch
        self._clock = time.perf_counter()
        self._nodes_before = sum(worker.nodes for worker in workers)
        # Scores near zero are the likeliest, above it for the first side, below it for the second.
        self._centre = 1.1 if position.side_to_move == 1 else -0.1
        # Far windows first: they are cheap, and settle easy positions at once.
        far = max(1, position.spec.cells // 4)
        self._far_windows = () if weak else (far, -far)

    @property
    def nodes(self) -> int:
        return sum(worker.nodes for worker in self._workers) - self._nodes_before

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._clock

    def run(self) -> Solution:
        """Searches until done or a limit is reached."""
        self._search_here()
        if not self._is_done() and not self._must_stop():
            self._search_in_threads()
        return self._solution()

    def _solution(self) -> Solution:
        """What is known now."""
        is_exact = self.lower == self.upper
        return Solution(
            lower=self.lower,
            upper=self.upper,
            plies=plies_to_end(self.lower, self._position) if is_exact else None,
            nodes=self.nodes,
            seconds=self.seconds,
        )

    def _search_here(self) -> None:
        worker = self._workers[0]
        while not self._is_done() and not self._must_stop() and self.nodes < worker.quick_nodes:
            beta = self._next_window(())
            assert beta is not None  # there is one as long as it is not done
            self._narrow(beta, worker.search(self._position, beta, nodes=self._nodes_left(worker.quick_nodes)))

    def _search_in_threads(self) -> None:
        idle = list(self._workers)
        pending: dict[Future[int | None], tuple[SearchWorker, int]] = {}
        with ThreadPoolExecutor(len(self._workers)) as pool:
            try:
                while not self._is_done() and not self._must_stop():
                    while idle and (beta := self._next_window([beta for _, beta in pending.values()])) is not None:
                        worker = idle.pop()
                        future = pool.submit(worker.search, self._position, beta, nodes=self._nodes_left(None))
                        pending[future] = worker, beta
                    for future in wait(pending, POLL_SECONDS, FIRST_COMPLETED).done:
                        worker, beta = pending.pop(future)
                        idle.append(worker)
                        self._narrow(beta, future.result())
                    for worker, beta in pending.values():
                        if not self.lower < beta <= self.upper:  # settled by another search
                            worker.stop()
                    if self._watch is not None:
                        self._watch(self._solution())
            finally:
                while pending:
                    for worker, _ in pending.values():
                        worker.stop()
                    for future in wait(pending, POLL_SECONDS, FIRST_COMPLETED).done:
                        del pending[future]

    def _next_window(self, taken: Sequence[int]) -> int | None:
        """The open window that no worker searches and that promises most: a far one, or the one nearest to the
        likeliest scores.
        """
        inward = range(self.lower + 1, self.upper + 1)
        if self._weak:
            inward = range(max(self.lower + 1, 0), min(self.upper, 1) + 1)
        windows = [*self._far_windows, *sorted(inward, key=lambda beta: abs(beta - self._centre))]
        return next((beta for beta in windows if beta in inward and beta not in taken), None)

    def _nodes_left(self, at_most: int | None) -> int | None:
        if self._limits.nodes is None:
            return at_most
        left = max(1, self._limits.nodes - self.nodes)
        return left if at_most is None else min(left, at_most)

    def _narrow(self, beta: int, bound: int | None) -> None:
        if bound is None:
            return
        if bound >= beta:
            self.lower = max(self.lower, bound)
        else:
            self.upper = min(self.upper, bound)

    def _is_done(self) -> bool:
        return self.lower >= self.upper or (self._weak and (self.lower > 0 or self.upper < 0))

    def _must_stop(self) -> bool:
        return self._limits.is_reached(self.nodes, self.seconds)
