"""One result of each kind for the tests of what notebooks and plots show; an agent has a hostile name."""

from pathlib import Path

import inarow
from inarow.agents.file_faults import FileFault
from inarow.arena.file_result import CountedFault, FileResult
from inarow.arena.graded_file import GradedFile
from inarow.arena.ratings import Rating
from inarow.arena.student_grading import AssignmentSettings
from inarow.arena.training_run import Curve, TrainingRun
from inarow.results import Result, ResultTable
from inarow.studies.comparison import Estimate
from inarow.studies.report import Row, Section, StudyReport, Table

HOSTILE = "a<img/src=x/onerror=alert(1)>$x_{$&"
"""An agent string cannot have a comma, a colon, an equals sign or a space."""
NAME = HOSTILE.replace("=", "-")
BOARD = "tictactoe"


def first_legal(position: inarow.Position) -> int:
    return position.legal_actions[0]


class Hostile:
    """Plays the first legal move under a name that is markup."""

    name = HOSTILE

    def decide(self, position: inarow.Position) -> int:
        return first_legal(position)


def results() -> dict[str, Result]:
    """By kind. Every one but those without agents names the hostile one."""
    match = inarow.play_match(Hostile(), "minimax:depth=2", BOARD, games=4, progress=False)
    tournament = inarow.play_tournament([Hostile(), "random", "winblock"], BOARD, games=4, progress=False)
    position = inarow.Position.parse("15", BOARD)
    points = tuple({"episode": 100.0 * n, "wins": n / 10, "draws": 0.1, "loss": 3.0} for n in range(1, 9))
    curve = Curve(NAME, points)
    study = StudyReport(
        **{"study": "dice", "title": NAME, "source": "a book", "scale": "small", "version": "1", "command": ""},
        **{"variants": ("corrected",), "seed": 0, "experiments": 3},
        sections=(Section(title="Rates", tables=(Table("Table 1", (Row(NAME, 0.5, Estimate(0.4)),)),)),),
    )
    return {
        "match": match,
        "game": match.records[0],
        "tournament": tournament,
        "pairings": tournament.pairings(),
        "leaderboard": tournament.summary.leaderboard,
        "ratings": tournament.ratings(),
        "grade": inarow.grade(Hostile(), BOARD, progress=False),
        "depths": inarow.depth_test(
            "minimax", [1, 2, 3], BOARD, opponent=Hostile(), games=4, positions=20, progress=False
        ),
        "assignment": graded_class(),
        "curve": curve,
        "run": TrainingRun(Path("runs") / "mine", {"learner": "q", "board": BOARD}, curve, NAME),
        "study": study,
        "table": ResultTable("names", ({"agent": NAME, "score": 0.5},)),
        "analysis": inarow.analyse(position),
        "decision": inarow.make_agent("mcts:simulations=20").decide(position),
    }


def graded_class() -> inarow.Assignment:
    """A class of one, whose file does not load."""
    fault = FileFault(kind="load", message=f"raised {NAME}")
    return inarow.Assignment(
        folder="submissions",
        settings=AssignmentSettings(board=BOARD, opponents=("random",)),
        files=(
            GradedFile(
                **{"name": NAME, "file": f"{NAME}.py", "digest": "", "rank": 1},
                result=FileResult(faults=(CountedFault(fault=fault, count=1, stage="loading"),)),
                rating=Rating(NAME, 10.0, (0.0, 20.0), 4),
            ),
        ),
        opponents=(),
    )
