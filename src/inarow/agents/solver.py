"""The agent that plays by exact scores, and its weaker levels."""

from functools import partial
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import replace

from inarow.agents.agent import Agent, Decision, ParameterisedAgent, Watcher
from inarow.agents.levels import LEVELS, TOP_LEVEL, LevelAgent
from inarow.agents.minimax import minimax_decision
from inarow.agents.simple import nearest_to_centre
from inarow.games import GameSpec, Position
from inarow.search.limits import Limits, Watch
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import Minimax
from inarow.search.solver.api import BookChoice, shipped_book, solver_for
from inarow.search.solver.solution import Analysis
from inarow.search.solver.solver import DEFAULT_MEMORY, MAX_THREADS, MIN_MEMORY, UNSURE_NODES, Solver

SOLVER_LIMITS = ("nodes", "seconds")
FALLBACK_NODES = 200_000  # nodes of the minimax search used when the solver gives up: a few tenths of a second
_QUICK_NODES = 20_000  # nodes of the minimax search used when the solver is stopped: a few milliseconds
_FAST_NODES = 50_000_000
"""Node limit of the fast solver on boards without a book: about ten seconds. The empty 6x7x4 board takes half of it."""
_MANY_CELLS, _PLAIN_NODES = 25, 200_000  # node limit on larger boards that the fast solver does not support
_PV_PLIES, _PV_NODES = 10, 20_000  # length of the principal variation, and node limit for each of its moves


class SolverParameters(Struct, frozen=True, kw_only=True):
    tie: Annotated[
        Literal["centre", "random"],
        Meta(description="choice among equally good moves: nearest to the centre, or random"),
    ] = "centre"
    level: Annotated[int, Meta(ge=1, le=TOP_LEVEL, description="playing strength; the top level is perfect")] = (
        TOP_LEVEL
    )
    threads: Annotated[int, Meta(ge=1, le=MAX_THREADS, description="threads, which share one table")] = 1
    memory: Annotated[int, Meta(ge=MIN_MEMORY >> 20, le=65536, description="megabytes for the table")] = (
        DEFAULT_MEMORY >> 20
    )
    book: Annotated[bool, Meta(description="use the opening book of the board, if one ships with inarow")] = True
    scores: Annotated[
        Literal["auto", "best", "all"],
        Meta(description="score only the best moves, or all; auto: all if there is a watcher"),
    ] = "auto"

    def __post_init__(self) -> None:
        if self.level != TOP_LEVEL:
            for name in ("tie", "threads", "memory", "book", "scores"):
                if getattr(self, name) != getattr(_PERFECT, name):
                    raise ValueError(f"takes {name} only at level {TOP_LEVEL}")


_PERFECT = SolverParameters()


def build_solver_agent(name: str, parameters: SolverParameters, rng: np.random.Generator) -> Agent:
    """The agent `solver` at its level."""
    if parameters.level == TOP_LEVEL:
        return SolverAgent(name, parameters, rng)
    return LevelAgent(name, LEVELS[parameters.level], rng)


class SolverAgent(ParameterisedAgent[SolverParameters]):
    """Plays perfectly: the fastest win, else a draw, else the slowest loss.

    If a position is too hard to solve within the limits, by default `usual_nodes`, it plays the move of a minimax
    search instead and sets `exact` in `details` to False.
    """

    def __init__(self, name: str, parameters: SolverParameters, rng: np.random.Generator) -> None:
        super().__init__(name, parameters, rng)
        book: BookChoice = "shipped" if parameters.book else None
        self._solver_for = partial(solver_for, book=book, memory=parameters.memory << 20, threads=parameters.threads)
        self._minimax: Minimax | None = None

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision:
        """Until the score is known, a watcher receives its bounds and the move of a short minimax search."""
        position.check_ongoing()
        limits = Limits(nodes=usual_nodes(position.spec)).replaced_by(limits, SOLVER_LIMITS)
        solver = self._solver_for(position.spec)
        analysis = solver.analyse(position, only_best=True, limits=limits, watch=self._watch_bounds(position, watch))
        if analysis.score is None or not analysis.best:
            return self._guess(position, limits, analysis.nodes)
        action = nearest_to_centre(position, analysis.best)
        if self._parameters.tie == "random":
            action = analysis.best[int(self._rng.random() * len(analysis.best))]
        decision = _exact_decision(analysis, action)
        if watch is not None:
            decision = replace(decision, depth=analysis.plies)
            watch(decision)
        if self._parameters.scores == "all" or (watch is not None and self._parameters.scores == "auto"):
            whole = solver.analyse(position, limits=limits.less(analysis.nodes, analysis.seconds))
            scores = tuple(
                known if score is None else score for known, score in zip(analysis.scores, whole.scores, strict=True)
            )
            decision = replace(decision, scores=scores, nodes=analysis.nodes + whole.nodes)
        if watch is not None:
            decision = replace(decision, details={"pv": self._principal_variation(position.play(action), limits)})
        return decision

    def prepare(self, spec: GameSpec) -> None:
        """Compiles the kernels of a decision, and touches every page of the table, which would otherwise slow down a
        search.
        """
        start = Position.start(spec)
        Solver(spec, memory=MIN_MEMORY).solve(
            start, limits=Limits(nodes=_QUICK_NODES)
        )  # without the book, which would skip the search
        self._solver_for(spec).clear()
        self._look_ahead(start, Limits(nodes=1))

    def _watch_bounds(self, position: Position, watch: Watcher | None) -> Watch[Analysis] | None:
        if watch is None:
            return None
        guess: Decision | None = None

        def report(analysis: Analysis) -> None:
            nonlocal guess
            if analysis.best:
                watch(_exact_decision(analysis, nearest_to_centre(position, analysis.best)))
            if analysis.score is not None:
                return
            if guess is None:
                guess = self._look_ahead(position, Limits(nodes=_QUICK_NODES))
            details = {**(guess.details or {}), "bounds": list(analysis.bounds)}
            watch(replace(guess, nodes=analysis.nodes, details=details))

        return report

    def _guess(self, position: Position, limits: Limits, nodes: int) -> Decision:
        """The decision if the solver found none."""
        is_stopped = limits.seconds is not None or (limits.cancelled is not None and limits.cancelled())
        ahead = Limits(nodes=_QUICK_NODES) if is_stopped else Limits(nodes=FALLBACK_NODES, cancelled=limits.cancelled)
        decision = self._look_ahead(position, ahead)
        return replace(decision, nodes=nodes + (decision.nodes or 0))

    def _look_ahead(self, position: Position, limits: Limits) -> Decision:
        if self._minimax is None or self._minimax.spec != position.spec:
            self._minimax = Minimax(position.spec, make_heuristic("windows", position.spec), all_best=True)
        result = self._minimax.search(position, limits)
        decision = minimax_decision(position, result, nearest_to_centre(position, result.best))
        return replace(decision, scores=None, details={**(decision.details or {}), "exact": False})

    def _principal_variation(self, position: Position, limits: Limits) -> list[int]:
        """The following moves of best play, up to the first one that is expensive to find."""
        moves: list[int] = []
        solver, limits = self._solver_for(position.spec), Limits(nodes=_PV_NODES, cancelled=limits.cancelled)
        while not position.is_over and len(moves) < _PV_PLIES:
            best = solver.analyse(position, only_best=True, limits=limits).best
            if not best:
                break
            moves.append(nearest_to_centre(position, best))
            position = position.play(moves[-1])
        return moves


def _exact_decision(analysis: Analysis, action: int) -> Decision:
    assert analysis.score is not None
    return Decision(action=action, value=float(np.sign(analysis.score)), score=analysis.score, nodes=analysis.nodes)


def usual_nodes(spec: GameSpec) -> int | None:
    """The node limit of a decision on a board."""
    if spec.gravity and spec.fits_word:
        return _FAST_NODES if shipped_book(spec) is None else None
    return _PLAIN_NODES if spec.cells > _MANY_CELLS else UNSURE_NODES
