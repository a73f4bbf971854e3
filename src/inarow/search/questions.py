"""From questions to scores: which null windows to ask, on how many threads, and when to stop.

The score lies between two bounds, at first those that the rules give. Every answer moves one of
them; the score is known when they meet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

from inarow.games.position import Position
from inarow.search.engine import Desk

TICK_SECONDS = 0.02
"""How often a search in threads is looked at: for a cancel, a time limit, or to tell how far it is."""


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """What a watcher is told: the bounds so far, and the work."""

    lower: int
    upper: int
    nodes: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What stops a search before it is done. None stops nothing."""

    nodes: int | None = None
    seconds: float | None = None
    """Results under a time limit are not reproducible."""
    is_cancelled: Callable[[], bool] | None = None
    """Asked every 20 ms."""

    def less(self, nodes: int, seconds: float) -> Limits:
        """What is left of the limits after some work."""
        return replace(
            self,
            nodes=None if self.nodes is None else max(0, self.nodes - nodes),
            seconds=None if self.seconds is None else max(0.0, self.seconds - seconds),
        )

    def is_reached(self, nodes: int, seconds: float) -> bool:
        """Whether a search that has done so much must stop."""
        return (
            (self.nodes is not None and nodes >= self.nodes)
            or (self.seconds is not None and seconds >= self.seconds)
            or (self.is_cancelled is not None and self.is_cancelled())
        )


NO_LIMITS = Limits()


class Narrowing:
    """Brings the bounds of one unfinished position together; in weak mode only until the outcome
    is known.
    """

    def __init__(
        self,
        position: Position,
        lower: int,
        upper: int,
        desks: Sequence[Desk],
        *,
        weak: bool = False,
        limits: Limits = NO_LIMITS,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> None:
        self.lower, self.upper = lower, upper
        self._position = position
        self._desks = desks
        self._weak = weak
        self._limits = limits
        self._progress = progress
        self._clock = time.perf_counter()
        self._nodes_before = sum(desk.nodes for desk in desks)
        # Scores near zero are the likeliest, above it for the first side, below it for the second.
        self._centre = 1.1 if position.side_to_move == 1 else -0.1
        # Far questions first: they are cheap, and settle easy positions at once.
        far = max(1, position.spec.cells // 4)
        self._far_questions = () if weak else (far, -far)

    @property
    def nodes(self) -> int:
        return sum(desk.nodes for desk in self._desks) - self._nodes_before

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._clock

    def run(self) -> None:
        """Narrows until done or a limit is reached."""
        self._ask_here()
        if not self._is_done() and not self._must_stop():
            self._ask_in_threads()

    def _ask_here(self) -> None:
        desk = self._desks[0]
        while not self._is_done() and not self._must_stop() and self.nodes < desk.quick_nodes:
            beta = self._next_question(())
            assert beta is not None  # there is one as long as it is not done
            self._learn(beta, desk.ask(self._position, beta, nodes=self._nodes_left(desk.quick_nodes)))

    def _ask_in_threads(self) -> None:
        idle = list(self._desks)
        pending: dict[Future[int | None], tuple[Desk, int]] = {}
        with ThreadPoolExecutor(len(self._desks)) as pool:
            try:
                while not self._is_done() and not self._must_stop():
                    while idle and (beta := self._next_question([beta for _, beta in pending.values()])) is not None:
                        desk = idle.pop()
                        pending[pool.submit(desk.ask, self._position, beta, nodes=self._nodes_left(None))] = desk, beta
                    for future in wait(pending, TICK_SECONDS, FIRST_COMPLETED).done:
                        desk, beta = pending.pop(future)
                        idle.append(desk)
                        self._learn(beta, future.result())
                    for desk, beta in pending.values():
                        if not self.lower < beta <= self.upper:  # settled by another answer
                            desk.stop()
                    if self._progress is not None:
                        self._progress(SearchProgress(self.lower, self.upper, self.nodes, self.seconds))
            finally:
                while pending:
                    for desk, _ in pending.values():
                        desk.stop()
                    for future in wait(pending, TICK_SECONDS, FIRST_COMPLETED).done:
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
