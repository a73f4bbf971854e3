"""The agent that knows the truth."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np

from inarow.agents.agent import Decision
from inarow.games.position import Position
from inarow.search.shipped import analyse

Tie = Annotated[
    Literal["centre", "random"], msgspec.Meta(description="which of several best moves: nearest to the centre, or any")
]


class SolverParameters(msgspec.Struct, frozen=True, kw_only=True):
    tie: Tie = "centre"


class SolverAgent:
    """Plays perfectly: the quickest win, else a draw, else the slowest loss.

    On boards that are too hard to solve within the solver's usual limits it says so in `details`,
    wins or blocks at once if it can, and else plays near the centre.
    """

    def __init__(self, name: str, parameters: SolverParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._tie = parameters.tie
        self._rng = rng

    def decide(self, position: Position) -> Decision:
        analysis = analyse(position, only_best=True)
        exact = analysis.score is not None
        urgent = position.winning_actions() or position.winning_actions(of_opponent=True)
        choices = analysis.best if exact else urgent or position.legal_actions
        action = _nearest_to_centre(position, choices)
        if self._tie == "random":
            action = choices[int(self._rng.random() * len(choices))]
        return Decision(
            action=action,
            value=None if analysis.score is None else float(np.sign(analysis.score)),
            score=analysis.score,
            nodes=analysis.nodes,
            details=None if exact else {"exact": False},
        )


def _nearest_to_centre(position: Position, actions: tuple[int, ...]) -> int:
    """The action whose column, and without gravity row, is nearest to the middle; the first of several."""
    spec = position.spec

    def distance(action: int) -> int:
        row, column = divmod(action, spec.columns)
        return abs(2 * column - spec.columns + 1) + (0 if spec.gravity else abs(2 * row - spec.rows + 1))

    return min(actions, key=distance)
