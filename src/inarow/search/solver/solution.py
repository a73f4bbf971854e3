"""Results of the solver: exact scores, or bounds where a limit stopped it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from inarow.games import Position
from inarow.games.notation import format_move
from inarow.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """The value of a position for the side to move, in Pons' scale."""

    lower: int
    upper: int  # lower <= score <= upper always holds
    plies: int | None = None
    """Plies to the end of the game under best play (fastest win, slowest loss). None without a score."""
    nodes: int = 0
    seconds: float = 0.0

    @property
    def score(self) -> int | None:
        """The exact score; None if a limit or weak mode stopped the search before it was known."""
        return self.lower if self.lower == self.upper else None

    @property
    def outcome(self) -> int | None:
        """1 win, 0 draw, -1 loss; None if the bounds do not determine it."""
        if self.lower > 0 or self.upper < 0:
            return 1 if self.lower > 0 else -1
        return 0 if self.lower == self.upper else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis(Result):
    """The value of every action, for the side to move."""

    score: int | None
    bounds: tuple[int, int]  # lower <= score <= upper, also if the exact score is unknown
    plies: int | None
    scores: tuple[int | None, ...]  # one per action; None if it is illegal or its exact score is unknown
    best: tuple[int, ...]
    """The actions known to keep the score, ascending; incomplete after a limit. Empty without a score."""
    nodes: int
    seconds: float
    position: Position | None = field(default=None, compare=False, repr=False)
    """The analysed position."""

    def rows(self) -> list[dict[str, object]]:
        """A row for each action."""
        spec = None if self.position is None else self.position.spec
        return [
            {
                "action": action,
                "move": str(action + 1) if spec is None else format_move(action, spec),
                "score": score,
                "is_best": action in self.best,
            }
            for action, score in enumerate(self.scores)
        ]


def plies_to_end(score: int, position: Position) -> int:
    """The number of moves until the game ends under best play from a position with this score."""
    left = position.spec.cells - position.ply
    if score == 0:
        return left
    plies = left + 2 - 2 * abs(score)
    return plies if (plies % 2 == 1) == (score > 0) else plies - 1  # the winner makes the last move


def win_score(position: Position, plies: int) -> int:
    """The winner's score if the game ends `plies` moves after `position`; 0 beyond the last cell."""
    left = position.spec.cells - position.ply
    return max(0, (left + 2 - plies) // 2)


def action_scores(position: Position, following: Mapping[int, int], key: Callable[[Position], int]) -> dict[int, int]:
    """The score of each legal action; `following` maps `key` of the unfinished positions after them to their scores."""
    scores = {}
    for action in position.legal_actions:
        after = position.play(action)
        if after.is_over:
            scores[action] = 0 if after.winner is None else win_score(position, 1)
        else:
            scores[action] = -following[key(after)]
    return scores
