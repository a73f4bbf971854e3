"""The solver as an engine: exact, and with an answer at any time."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from inarow.agents.agent import Decision
from inarow.agents.minimax import minimax_decision
from inarow.agents.perfect import FALLBACK_NODES, nearest_to_centre, usual_nodes
from inarow.engine.requests import GoLimits
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.limits import Limits
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import Minimax
from inarow.search.solver.api import shipped_book
from inarow.search.solver.driver import SearchProgress
from inarow.search.solver.solution import Solution
from inarow.search.solver.solver import MIN_MEMORY, Solver

_QUICK_NODES = 20_000
"""Of the look ahead that gives a first answer while the solver works: some milliseconds."""
_PV_PLIES, _PV_NODES = 10, 20_000
"""How far the line of best play is told, and what each of its moves may cost."""


class SolverThinker:
    """Plays as the agent `solver` does. Stopped early, it plays the move of a minimax search."""

    def __init__(self, spec: GameSpec, *, memory: int, threads: int, own_book: bool, lines: int) -> None:
        book = shipped_book(spec) if own_book else None
        self._solver = Solver(spec, memory=memory, threads=threads, book=book)
        self._ahead = Minimax(spec, make_heuristic("windows", spec), all_best=True)
        self._only_best = lines == 1

    def think(
        self, position: Position, limits: GoLimits, is_over: Callable[[], bool], tell: Callable[[Decision], None]
    ) -> Decision:
        guess: Decision | None = None

        def watch(progress: SearchProgress) -> None:
            nonlocal guess
            if guess is None:
                guess = self._look_ahead(position, _QUICK_NODES, is_over)
            bounds = {"bounds": [progress.lower, progress.upper]}
            tell(replace(guess, nodes=progress.nodes, details={**(guess.details or {}), **bounds}))

        limit = self._limits(position.spec, limits, is_over)
        root = self._solver.solve(position, limits=limit, progress=watch)
        if root.score is not None:
            return self._exact(position, root.score, limit.less(root.nodes, root.seconds), root.nodes)
        if guess is None or not (is_over() or limits.seconds):
            guess = self._look_ahead(position, FALLBACK_NODES, is_over)
        return replace(guess, nodes=root.nodes + (guess.nodes or 0))

    def prepare(self, position: Position) -> None:
        # A small one without a book, which would know the answer without touching a kernel.
        Solver(position.spec, memory=MIN_MEMORY).solve(position, limits=Limits(nodes=_QUICK_NODES))
        self._solver.clear()  # touches every page of the table, which costs a second when a search does it
        self._look_ahead(position, 1, lambda: False)

    def _limits(self, spec: GameSpec, limits: GoLimits, is_over: Callable[[], bool]) -> Limits:
        nodes = limits.nodes
        if nodes is None and limits.seconds is None and not limits.infinite:
            nodes = usual_nodes(spec)
        return Limits(nodes=nodes, seconds=limits.seconds, cancelled=is_over)

    def _exact(self, position: Position, score: int, limit: Limits, nodes: int) -> Decision:
        """The best move of a position whose score is known, and the scores of the others as far as wanted."""
        keeping: list[int] = []

        def note(action: int, after: Solution) -> None:
            if after.score == -score:
                keeping.append(action)

        analysis = self._solver.analyse(position, only_best=self._only_best, limits=limit, progress=note)
        best = analysis.best or tuple(keeping)
        if not best:  # stopped between the score and the first move that keeps it
            return self._look_ahead(position, _QUICK_NODES, lambda: True)
        action = nearest_to_centre(position, best)
        return Decision(
            action=action,
            value=float((score > 0) - (score < 0)),
            score=score,
            scores=None if self._only_best else analysis.scores,
            depth=analysis.plies,
            nodes=nodes + analysis.nodes,
            details={"pv": self._best_play(position.play(action), limit)},
        )

    def _best_play(self, position: Position, limit: Limits) -> list[int]:
        """The moves that follow, as far as they are cheap to find."""
        moves: list[int] = []
        while not position.is_over and len(moves) < _PV_PLIES:
            step = Limits(nodes=_PV_NODES, cancelled=limit.cancelled)
            best = self._solver.analyse(position, only_best=True, limits=step).best
            if not best:
                break
            moves.append(nearest_to_centre(position, best))
            position = position.play(moves[-1])
        return moves

    def _look_ahead(self, position: Position, nodes: int, is_over: Callable[[], bool]) -> Decision:
        result = self._ahead.deepen(position, nodes=nodes, cancelled=is_over)
        decision = minimax_decision(position, result, nearest_to_centre(position, result.best))
        return replace(decision, scores=None)
