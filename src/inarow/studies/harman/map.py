"""The map of harman: how close the learning curve of each board and number of playouts comes to the picture."""

import math
from dataclasses import dataclass

from inarow.studies.comparison import LEAST_RUNS, Estimate, agreement, estimate
from inarow.studies.harman import published
from inarow.studies.harman.runs import MAP, PLAYOUTS, AgainstTreeSearch, TrainingOnly
from inarow.studies.results import Results

LATE = "at 50000"
_REWARDS = ("start", "at 4500", "at 10000", LATE)
_EPISODES = 50_000  # cells with fewer are not compared either


@dataclass(frozen=True, slots=True)
class Cell:
    """A board and a number of playouts of the published tree search, with the results of the learner."""

    board: str
    playouts: int
    results: Results

    @property
    def training(self) -> AgainstTreeSearch | TrainingOnly:
        """The experiment with its learning curve."""
        kind = AgainstTreeSearch if self.playouts in PLAYOUTS else TrainingOnly
        return kind(self.board, self.playouts)

    @property
    def label(self) -> str:
        return f"{self.board.removesuffix('x4')}, {self.playouts} playouts"

    @property
    def episodes(self) -> int:
        """Training games per run; 0 without results."""
        return self.results.size(self.training, "episodes", "as-published") or 0

    @property
    def is_compared(self) -> bool:
        runs = self.results.runs(self.training, "as-published")
        return runs >= LEAST_RUNS and self.episodes >= _EPISODES

    def values(self, figure: str) -> list[float]:
        """A figure of each run. `LATE` is the mean of the last games if training ended at this mark."""
        found = self.results.values(self.training, "as-published", figure)
        return found or (self.values("end") if figure == LATE else [])

    def estimate(self, figure: str) -> Estimate | None:
        return estimate(self.values(figure))

    def distance(self) -> Estimate | None:
        """The root mean square difference of four rewards from the picture, by run."""
        if not self.is_compared:
            return None
        curve = published().curve
        runs = zip(*(self.values(figure) for figure in _REWARDS), strict=True)
        marks = [curve[figure] for figure in _REWARDS]
        return estimate([math.dist(run, marks) / math.sqrt(len(marks)) for run in runs])

    def given(self) -> int:
        """How many of five numbers of the picture a single run may plausibly give."""
        count = 0
        for figure in (*_REWARDS, "crosses zero"):
            ours = self.estimate(figure)
            # Runs that never reach 0 have no crossing; a scatter of the others would be that of a selection.
            if ours is not None and ours.runs == self.results.runs(self.training, "as-published"):
                found = agreement(published().curve[figure], ours, digits=0)
                count += bool(found is not None and found.agrees)
        return count


def cells(results: Results) -> list[Cell]:
    """The cells of the map that have results, by board and playouts."""
    found = [Cell(board, playouts, results) for board, playouts in sorted(MAP)]
    return [cell for cell in found if cell.episodes]
