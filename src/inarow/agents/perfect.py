"""The agent that knows the truth, and its weakened levels."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec.structs import replace

from inarow.agents.agent import Agent, Decision, Watch
from inarow.agents.levels import LEVELS, TOP_LEVEL, LevelAgent
from inarow.agents.minimax import minimax_decision
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.limits import Limits
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import Minimax
from inarow.search.solver.api import analyse, shipped_book

FALLBACK_NODES = 200_000
"""What the agent searches where the solver gives up: some tenths of a second."""
_FAST_NODES = 50_000_000
"""What the fast solver may visit on boards without a book: some ten seconds. The empty 6x7x4 takes half of it."""
_MANY_CELLS, _PLAIN_NODES = 25, 200_000
"""On boards of more cells that the fast solver does not serve, the solver may visit so many nodes."""

Tie = Annotated[
    Literal["centre", "random"], msgspec.Meta(description="which of several best moves: nearest to the centre, or any")
]


class SolverParameters(msgspec.Struct, frozen=True, kw_only=True):
    tie: Tie = "centre"
    level: Annotated[
        int, msgspec.Meta(ge=1, le=TOP_LEVEL, description="strength for people; the top level is perfect")
    ] = TOP_LEVEL

    def __post_init__(self) -> None:
        if self.level != TOP_LEVEL and self.tie != "centre":
            raise ValueError(f"takes tie only at level {TOP_LEVEL}")


def build_solver_agent(name: str, parameters: SolverParameters, rng: np.random.Generator) -> Agent:
    """The agent `solver` at its level."""
    if parameters.level == TOP_LEVEL:
        return SolverAgent(name, parameters.tie, rng)
    return LevelAgent(name, LEVELS[parameters.level], rng)


class SolverAgent:
    """Plays perfectly: the quickest win, else a draw, else the slowest loss.

    Where a position is too hard to solve within `usual_nodes` it says so in `details` and plays the
    move of a minimax search instead.
    """

    def __init__(self, name: str, tie: Literal["centre", "random"], rng: np.random.Generator) -> None:
        self.name = name
        self._tie = tie
        self._rng = rng

    def decide(self, position: Position) -> Decision:
        return self.decide_watched(position, None)

    def decide_watched(self, position: Position, watch: Watch | None) -> Decision:
        """The same decision; somebody who watches is also told the score of every action."""
        nodes = usual_nodes(position.spec)
        limits = None if nodes is None else Limits(nodes=nodes)
        analysis = analyse(position, only_best=True, limits=limits)
        if analysis.score is None or not analysis.best:
            return self._guess(position, analysis.nodes)
        action = nearest_to_centre(position, analysis.best)
        if self._tie == "random":
            action = analysis.best[int(self._rng.random() * len(analysis.best))]
        decision = Decision(
            action=action, value=float(np.sign(analysis.score)), score=analysis.score, nodes=analysis.nodes
        )
        if watch is None:
            return decision
        watch(decision)
        whole = analyse(position, limits=limits)
        return replace(decision, scores=whole.scores, nodes=analysis.nodes + whole.nodes)

    def _guess(self, position: Position, nodes: int) -> Decision:
        search = Minimax(position.spec, make_heuristic("windows", position.spec), all_best=True)
        result = search.deepen(position, nodes=FALLBACK_NODES)
        decision = minimax_decision(position, result, nearest_to_centre(position, result.best))
        details = {**(decision.details or {}), "exact": False}
        return Decision(
            action=decision.action,
            value=decision.value,
            nodes=nodes + result.nodes,
            depth=decision.depth,
            details=details,
        )


def usual_nodes(spec: GameSpec) -> int | None:
    """How many nodes the agent gives the solver for a decision on a board; None leaves that to the solver."""
    if spec.gravity and spec.fits_word:
        return _FAST_NODES if shipped_book(spec) is None else None
    return _PLAIN_NODES if spec.cells > _MANY_CELLS else None


def nearest_to_centre(position: Position, actions: tuple[int, ...]) -> int:
    """The action whose column, and without gravity row, is nearest to the middle; the first of several."""
    spec = position.spec

    def distance(action: int) -> int:
        row, column = divmod(action, spec.columns)
        return abs(2 * column - spec.columns + 1) + (0 if spec.gravity else abs(2 * row - spec.rows + 1))

    return min(actions, key=distance)
