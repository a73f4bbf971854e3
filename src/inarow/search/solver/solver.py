"""The exact solver: the score of any position, and of every action in it.

A `Solver` keeps its table between calls, which makes related positions faster.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass

from inarow.errors import BookError, InvalidLimitError
from inarow.games import GameSpec, Position
from inarow.search.limits import NO_LIMITS, POLL_SECONDS, Limits, Watch
from inarow.search.solver.book import Book
from inarow.search.solver.engines import FastEngine, PlainEngine, SearchWorker
from inarow.search.solver.solution import Analysis, Solution, plies_to_end, win_score

DEFAULT_MEMORY = 256 << 20
MIN_MEMORY = 1 << 20
MAX_THREADS = 64
UNSURE_NODES = 20_000_000  # default node limit on boards that may be too hard: without gravity, or not in one word

SolutionWatch = Watch[Solution] | None
AnalysisWatch = Watch[Analysis] | None


class Solver:
    """Solves positions of one board. Thread-safe: concurrent calls run one after the other."""

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
        self._engine = FastEngine(spec, memory) if is_sure else PlainEngine(spec, memory)
        self._workers = [self._engine.open_worker() for _ in range(min(threads, self._engine.max_workers))]
        self._lock = threading.Lock()

    def solve(
        self, position: Position, *, weak: bool = False, limits: Limits | None = None, watch: SolutionWatch = None
    ) -> Solution:
        """The score of an unfinished position; bounds in weak mode or after a limit, by default `UNSURE_NODES`."""
        self._check(position)
        with self._turn(limits or self._usual_limits) as left:
            known = _unsolved(position)
            return known if left is None else self._solved(position, known, left, weak=weak, watch=watch)

    def analyse(
        self, position: Position, *, only_best: bool = False, limits: Limits | None = None, watch: AnalysisWatch = None
    ) -> Analysis:
        """The score of every action of an unfinished position; with `only_best` the scores of actions that keep the
        score, None for others. The watcher receives intermediate results: first the bounds, then one score after the
        other.
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
                position=position,
            )

        def watch_action(solution: Solution) -> None:
            if watch is not None:
                watch(known(solution.nodes))

        def watch_root(solution: Solution) -> None:
            nonlocal root
            root = solution
            watch_action(solution)

        with self._turn(limits) as left:
            if left is not None:
                root = self._solved(position, root, left, watch=watch_root)
            nodes = root.nodes
            for action in position.legal_actions if root.score is not None else ():
                after = position.play(action)
                if after.is_over:
                    scores[action] = 0 if after.winner is None else win_score(position, 1)
                    continue
                # The score of no action exceeds the score of the position.
                upper = max(-root.lower, 1 - root.lower if only_best else win_score(after, 1))
                left = limits.less(nodes, time.perf_counter() - clock)
                bounds = Solution(lower=-root.lower, upper=upper)
                solution = self._solved(after, bounds, left, watch=watch_action)
                nodes += solution.nodes
                if solution.score == -root.lower or not only_best:
                    scores[action] = None if solution.score is None else -solution.score
                if watch is not None:
                    watch(known())
        return known()

    def clear(self) -> None:
        """Clears the table, as in a new solver."""
        with self._lock:
            self._engine.clear()

    @contextmanager
    def _turn(self, limits: Limits) -> Iterator[Limits | None]:
        """Waits for other threads. Yields the limits that remain after the wait, or None if one was reached
        meanwhile.
        """
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
        self, position: Position, known: Solution, limits: Limits, *, weak: bool = False, watch: SolutionWatch = None
    ) -> Solution:
        score = self._book.score(position) if self._book is not None else None
        bounds = (known.lower, known.upper) if score is None else (score, score)
        return NullWindowSearch(position, *bounds, self._workers, weak=weak, limits=limits, watch=watch).run()

    def _check(self, position: Position) -> None:
        if position.spec != self.spec:
            raise InvalidLimitError(f"this solver is for {self.spec}; the position is on {position.spec}")
        position.check_ongoing()


def _unsolved(position: Position) -> Solution:
    """The solution without a search: bounds that hold for every unfinished position of this ply."""
    return Solution(lower=-win_score(position, 2), upper=win_score(position, 1))


# --- From null-window searches to scores ---


@dataclass
class NullWindowSearch:
    """Narrows the bounds of one unfinished position until they meet; in weak mode only until the outcome is known.

    Every null-window search moves one of the bounds.
    """

    position: Position
    lower: int
    upper: int
    workers: Sequence[SearchWorker]
    weak: bool = False
    limits: Limits = NO_LIMITS
    watch: SolutionWatch = None

    def __post_init__(self) -> None:
        self._clock = time.perf_counter()
        self._nodes_before = sum(worker.nodes for worker in self.workers)
        # Scores near zero are most likely: positive ones for the first side, negative ones for the second.
        self._centre = 1.1 if self.position.side_to_move == 1 else -0.1
        # Distant windows first: they are cheap, and settle easy positions.
        far = max(1, self.position.spec.cells // 4)
        self._far_windows = () if self.weak else (far, -far)

    @property
    def nodes(self) -> int:
        return sum(worker.nodes for worker in self.workers) - self._nodes_before

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
        plies = plies_to_end(self.lower, self.position) if self.lower == self.upper else None
        return Solution(lower=self.lower, upper=self.upper, plies=plies, nodes=self.nodes, seconds=self.seconds)

    def _search_here(self) -> None:
        worker = self.workers[0]
        while not self._is_done() and not self._must_stop() and self.nodes < worker.quick_nodes:
            beta = self._next_window(())
            assert beta is not None  # None only when the search is done
            self._narrow(beta, worker.search(self.position, beta, nodes=self._nodes_left(worker.quick_nodes)))

    def _search_in_threads(self) -> None:
        idle = list(self.workers)
        pending: dict[Future[int | None], tuple[SearchWorker, int]] = {}
        with ThreadPoolExecutor(len(self.workers)) as pool:
            try:
                while not self._is_done() and not self._must_stop():
                    while idle and (beta := self._next_window([beta for _, beta in pending.values()])) is not None:
                        worker = idle.pop()
                        future = pool.submit(worker.search, self.position, beta, nodes=self._nodes_left(None))
                        pending[future] = worker, beta
                    for future in wait(pending, POLL_SECONDS, FIRST_COMPLETED).done:
                        worker, beta = pending.pop(future)
                        idle.append(worker)
                        self._narrow(beta, future.result())
                    for worker, beta in pending.values():
                        if not self.lower < beta <= self.upper:  # settled by another search
                            worker.stop()
                    if self.watch is not None:
                        self.watch(self._solution())
            finally:
                while pending:
                    for worker, _ in pending.values():
                        worker.stop()
                    for future in wait(pending, POLL_SECONDS, FIRST_COMPLETED).done:
                        del pending[future]

    def _next_window(self, taken: Sequence[int]) -> int | None:
        """The best open window that no worker searches: a distant one, or the nearest to the likeliest scores."""
        inward = range(self.lower + 1, self.upper + 1)
        if self.weak:
            inward = range(max(self.lower + 1, 0), min(self.upper, 1) + 1)
        windows = [*self._far_windows, *sorted(inward, key=lambda beta: abs(beta - self._centre))]
        return next((beta for beta in windows if beta in inward and beta not in taken), None)

    def _nodes_left(self, at_most: int | None) -> int | None:
        if self.limits.nodes is None:
            return at_most
        left = max(1, self.limits.nodes - self.nodes)
        return left if at_most is None else min(left, at_most)

    def _narrow(self, beta: int, bound: int | None) -> None:
        if bound is not None and bound >= beta:
            self.lower = max(self.lower, bound)
        elif bound is not None:
            self.upper = min(self.upper, bound)

    def _is_done(self) -> bool:
        return self.lower >= self.upper or (self.weak and (self.lower > 0 or self.upper < 0))

    def _must_stop(self) -> bool:
        return self.limits.is_reached(self.nodes, self.seconds)
