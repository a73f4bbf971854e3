"""Reviews of games: each move compared with perfect play."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from inarow.games import CONNECT_FOUR, Board, GameRecord, GameSpec, Position
from inarow.results import Result
from inarow.search.limits import Limits
from inarow.search.solver.api import analyse as solve_all
from inarow.search.solver.api import solver_for
from inarow.search.solver.solution import Analysis
from inarow.search.solver.solver import Solver
from inarow.workers import Progress

Label = Literal["best", "good", "mistake", "blunder"]
"""The move keeps the score; keeps the outcome; worsens it by one step (win to draw, draw to loss); by two."""
Analyse = Callable[[Position], Analysis]


@dataclass(frozen=True, slots=True)
class MoveReview:
    """One move, for the side that made it. Scores are None if the position is too hard to solve."""

    ply: int  # from 1
    side: int
    action: int
    best: tuple[int, ...]
    before: int | None  # the score of the position before the move
    after: int | None  # the score of the played action
    label: Label | None
    scores: tuple[int | None, ...]  # of all actions, as in `Analysis`

    @property
    def loss(self) -> int | None:
        """The loss of score by the move."""
        return None if self.before is None or self.after is None else self.before - self.after


@dataclass(frozen=True, slots=True, repr=False)
class GameReview(Result):
    """A game with a review of each of its moves."""

    record: GameRecord
    moves: tuple[MoveReview, ...]

    def __repr__(self) -> str:
        return f"<GameReview of {self.record.moves or 'no moves'} on {self.record.board}>"

    def rows(self) -> list[dict[str, object]]:
        """A row for each move. Moves count from 1, as in move strings."""
        return [
            {
                "ply": move.ply,
                "side": move.side,
                "move": move.action + 1,
                "best": [action + 1 for action in move.best],
                **{name: getattr(move, name) for name in ("before", "after", "loss", "label")},
            }
            for move in self.moves
        ]

    def to_dict(self) -> dict[str, object]:
        """The JSON of `inarow analyse`."""
        record = self.record
        return {"board": record.board, "moves": record.moves, "winner": record.position.winner, "plies": self.rows()}


def review(
    game: GameRecord | Position | str,
    board: Board = CONNECT_FOUR,
    *,
    solver: Solver | None = None,
    limits: Limits | None = None,
    progress: bool | Progress = True,
) -> GameReview:
    """Reviews every move of a game; `board` is the board of a move string, `limits` apply to each position."""
    from inarow.terminal import progress_bar

    record = game if isinstance(game, GameRecord) else _record(Position.parse(game, board))
    end = record.position
    solver = solver or solver_for(end.spec)
    found: list[MoveReview] = []
    with progress_bar("reviewing", is_shown=progress) as advance:
        for each in review_game(end, lambda position: solver.analyse(position, limits=limits)):
            found.append(each)
            advance(len(found), end.ply)
    return GameReview(record, tuple(found))


def _record(position: Position) -> GameRecord:
    return GameRecord.of_position(position, "first", "second")


def review_game(position: Position, analyse: Callable[[Position], Analysis]) -> Iterator[MoveReview]:
    """Reviews the moves that led to `position`, in order, by `analyse`."""
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


def bounded_analysis(spec: GameSpec) -> Analyse:
    """An analysis limited to well under a second, with fewer nodes on boards without a fast solver."""
    return partial(solve_all, limits=Limits(nodes=2_000_000 if spec.gravity and spec.fits_word else 20_000))


def review_end(record: GameRecord, analyse: Analyse) -> tuple[MoveReview, ...]:
    """Reviews the moves of a game from the last one backwards, until `analyse` cannot solve a position."""
    end = record.position
    reviews: list[MoveReview] = []
    for before, action in reversed(list(zip(end.line(), end.actions, strict=False))):
        analysis = analyse(before)
        if analysis.score is None:
            break
        reviews.append(review_move(before, action, analysis))
    return tuple(reversed(reviews))


def label_of(before: int, after: int) -> Label:
    """The label of a move that changed the score from `before` to `after`, both for the side that moved."""
    if after == before:
        return "best"
    steps = _sign(before) - _sign(after)
    return "good" if steps == 0 else "mistake" if steps == 1 else "blunder"


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
