"""A game move by move against perfect play."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from inarow.games import Position
from inarow.search.solver.solution import Analysis

Label = Literal["best", "good", "mistake", "blunder"]
"""Keeps the score; keeps the outcome; lets it slip by one step (win to draw, draw to loss); by two."""


@dataclass(frozen=True, slots=True)
class MoveReview:
    """One move, for the side that made it. Scores are None where the board is too hard to solve."""

    ply: int  # from 1
    side: int
    action: int
    best: tuple[int, ...]
    before: int | None  # the score of the position, which the best actions keep
    after: int | None  # the score of the action that was played
    label: Label | None
    scores: tuple[int | None, ...]  # of all actions, as in `Analysis`

    @property
    def loss(self) -> int | None:
        """How much score the move gave away."""
        return None if self.before is None or self.after is None else self.before - self.after


def review_game(position: Position, analyse: Callable[[Position], Analysis]) -> Iterator[MoveReview]:
    """Reviews the moves that led to `position`, from the first, with the solver that is passed in."""
    for before, action in zip(position.line(), position.actions, strict=False):
        yield review_move(before, action, analyse(before))


def review_move(position: Position, action: int, analysis: Analysis) -> MoveReview:
    """Reviews an action in a position by the analysis of that position."""
    before, after = analysis.score, analysis.scores[action]
    return MoveReview(
        ply=position.ply + 1,
        side=position.side_to_move,
        action=action,
        best=analysis.best,
        before=before,
        after=after,
        label=None if before is None or after is None else label_of(before, after),
        scores=analysis.scores,
    )


def label_of(before: int, after: int) -> Label:
    """The label of a move that turned the score `before` into `after`, both for the side that moved."""
    if after == before:
        return "best"
    steps = _sign(before) - _sign(after)
    return "good" if steps == 0 else "mistake" if steps == 1 else "blunder"


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
