"""What was measured of one agent file of an assignment."""

from __future__ import annotations

from msgspec import Struct

from inarow.agents.file_faults import FileFault
from inarow.agents.student import Loaded
from inarow.arena.grading import Accuracy
from inarow.arena.review import MoveReview
from inarow.arena.tally import SideTally, Tally
from inarow.errors import InvalidResultsError, shown
from inarow.games import GameRecord

FILE = "file"  # the name of the file in its games: results do not depend on what it is called


class CountedFault(Struct, frozen=True, kw_only=True):
    """A fault where it happened first, and how often the same happened."""

    fault: FileFault
    count: int
    stage: str
    """What was done when it happened first."""


class FileMatch(Struct, frozen=True, kw_only=True):
    """The games of a file against an opponent."""

    opponent: str
    records: tuple[GameRecord, ...]
    """Pairs of games from one opening; the file moves first in the even ones."""
    forfeited: int = 0
    """Games that count as lost without being played."""

    @property
    def tally(self) -> Tally:
        """From the view of the file, lost games included."""
        pairs = self.forfeited // 2
        lost = SideTally(losses=pairs)
        return Tally.of_pairs(self.records) + Tally(as_first=lost, as_second=lost, pairs=(pairs, 0, 0, 0, 0))


class Lesson(Struct, frozen=True, kw_only=True):
    """A lost game, with a review of the moves that can be solved."""

    record: GameRecord
    reviews: tuple[MoveReview, ...]

    def worst(self) -> MoveReview | None:
        """The last move with which the file worsened the outcome."""
        side = 1 if self.record.first == FILE else 2
        wrong = [each for each in self.reviews if each.side == side and each.label in ("mistake", "blunder")]
        return wrong[-1] if wrong else None


class FileResult(Struct, frozen=True, kw_only=True):
    """Everything that was measured of a file; its name plays no part."""

    loaded: Loaded | None = None
    """None if it could not be loaded."""
    faults: tuple[CountedFault, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What was not measured, and why."""
    matches: tuple[FileMatch, ...] = ()
    choices: tuple[tuple[int, int], ...] = ()
    """Numbers of positions of the suite with the chosen actions, or FAULT."""
    accuracy: Accuracy = Accuracy(positions=0)
    moves: int = 0
    seconds_per_move: float | None = None
    slowest_move: float | None = None
    lesson: Lesson | None = None

    def check(self) -> FileResult:
        """Returns itself; raises InarowError for games that contradict each other."""
        lessons = () if self.lesson is None else (self.lesson.record,)
        for record in (*lessons, *(record for match in self.matches for record in match.records)):
            record.check()
        for match in self.matches:
            if len(match.records) % 2 or match.forfeited < 0 or match.forfeited % 2:
                raise InvalidResultsError(f"the games against {shown(match.opponent)} are not in pairs")
        return self
