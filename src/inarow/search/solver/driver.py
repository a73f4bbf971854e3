"""From questions to scores: which null windows to ask, on how many threads, and when to stop.

The score lies between two bounds, at first those that the rules give. Every answer moves one of
them; the score is known when they meet.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from inarow.games.position import Position
from inarow.search.limits import NO_LIMITS, POLL_SECONDS, Limits, Watch
from inarow.search.solver.engine import SearchWorker


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """What a watcher is told: the bounds so far, and the work."""

    lower: int
    upper: int
    nodes: int
    seconds: float


class NullWindowSearch:
    """Brings the bounds of one unfinished position together; in weak mode only until the outcome
    is known.
    """

    def __init__(
        self,
        position: Position,
        lower: int,
        upper: int,
        workers: Sequence[SearchWorker],
        *,
        weak: bool = False,
        limits: Limits = NO_LIMITS,
        progress: Watch[SearchProgress] | None = None,
    ) -> None:
        self.lower, self.upper = lower, upper
        self._position = position
        self._workers = workers
        self._weak = weak
        self._limits = limits
        self._progress = progress
        self._clock = time.perf_counter()
        self._nodes_before = sum(worker.nodes for worker in workers)
        # Scores near zero are the likeliest, above it for the first side, below it for the second.
        self._centre = 1.1 if position.side_to_move == 1 else -0.1
        # Far questions first: they are cheap, and settle easy positions at once.
        far = max(1, position.spec.cells // 4)
        self._far_questions = () if weak else (far, -far)

    @property
    def nodes(self) -> int:
        return sum(worker.nodes for worker in self._workers) - self._nodes_before

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._clock

    def run(self) -> None:
        """Narrows until done or a limit is reached."""
        self._ask_here()
        if not self._is_done() and not self._must_stop():
            self._ask_in_threads()

    def _ask_here(self) -> None:
        worker = self._workers[0]
        while not self._is_done() and not self._must_stop() and self.nodes < worker.quick_nodes:
            beta = self._next_question(())
            assert beta is not None  # there is one as long as it is not done
            self._learn(beta, worker.ask(self._position, beta, nodes=self._nodes_left(worker.quick_nodes)))

    def _ask_in_threads(self) -> None:
        idle = list(self._workers)
        pending: dict[Future[int | None], tuple[SearchWorker, int]] = {}
        with ThreadPoolExecutor(len(self._workers)) as pool:
            try:
                while not self._is_done() and not self._must_stop():
                    while idle and (beta := self._next_question([beta for _, beta in pending.values()])) is not None:
                        worker = idle.pop()
                        pending[pool.submit(worker.ask, self._position, beta, nodes=self._nodes_left(None))] = (
                            worker,
                            beta,
                        )
                    for future in wait(pending, POLL_SECONDS, FIRST_COMPLETED).done:
                        worker, beta = pending.pop(future)
                        idle.append(worker)
                        self._learn(beta, future.result())
                    for worker, beta in pending.values():
                        if not self.lower < beta <= self.upper:  # settled by another answer
                            worker.stop()
                    if self._progress is not None:
                        self._progress(SearchProgress(self.lower, self.upper, self.nodes, self.seconds))
            finally:
                while pending:
                    for worker, _ in pending.values():
                        worker.stop()
                    for future in wait(pending, POLL_SECONDS, FIRST_COMPLETED).done:
                        del pending[future]

    def _next_question(self, taken: Sequence[int]) -> int | None:
        """The open question that nobody works on and that tells most: a far one, or the one nearest
        to the likeliest scores.
        """
        inward = range(self.lower + 1, self.upper + 1)
        if self._weak:
            inward = range(max(self.lower + 1, 0), min(self.upper, 1) + 1)
        questions = [*self._far_questions, *sorted(inward, key=lambda beta: abs(beta - self._centre))]
        return next((beta for beta in questions if beta in inward and beta not in taken), None)

    def _nodes_left(self, at_most: int | None) -> int | None:
        if self._limits.nodes is None:
            return at_most
        left = max(1, self._limits.nodes - self.nodes)
        return left if at_most is None else min(left, at_most)

    def _learn(self, beta: int, bound: int | None) -> None:
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
