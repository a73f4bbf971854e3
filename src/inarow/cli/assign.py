"""`inarow assign`."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from inarow.arena.assignment import Assignment, grade_assignment, usual_workers
from inarow.arena.graded_file import GradedFile
from inarow.arena.student_grading import USUAL_OPPONENTS
from inarow.cli.options import Board, Json, Seed
from inarow.cli.output import command_line, number_table, print_json, print_table, stderr, stdout
from inarow.errors import AssignmentError, Interrupted
from inarow.report.assignment_page import remarks
from inarow.report.markup import elo, elo_interval
from inarow.report.plots import shorten

assign = App(name="assign", help="Grade the agent files of a class.", default_parameter=Parameter(negative=()))
_NAMES = {False: 24, True: 16}  # letters of a name without and with points: the table fits 80 columns


@assign.command
def grade(
    folder: Path,
    *,
    board: Board = "connect4",
    games: int = 20,
    opponents: Annotated[tuple[str, ...], Parameter(help="Agent strings.", consume_multiple=True)] = USUAL_OPPONENTS,
    positions: int = 200,
    suite: str | None = None,
    move_seconds: float = 1.0,
    file_seconds: float = 40.0,
    memory: int = 512,
    rubric: Path | None = None,
    round_robin: int = 0,
    workers: Annotated[int | None, Parameter(help="Worker processes (default: one per processor).")] = None,
    out: Path | None = None,
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Rate and grade a folder of agent files, one Python file per student.

    A file has a function agent(observation, configuration), a function agent(position), or a class with a method
    decide(position). It runs in a confined process of its own, with limits of time and memory. The folder --out gets
    grades.csv, report.html, results.json and a page of feedback for each file. The same command continues after an
    interruption, and grades only files that have changed. In the printed table, score is the share of the points in
    all games, and crit. how often a move keeps the outcome in positions in which some move does not.

    Args:
        folder: The folder with the files, e.g. submissions
        games: Games against each opponent, even; 0 for none.
        positions: Positions for the accuracy against perfect play; 0 for none.
        suite: standard (ships with the package), exhaustive (all positions of a small board), or a file.
        move_seconds: Time for a move; a slower one loses the game.
        file_seconds: Thinking time of a file for everything together; then nothing more of it is measured.
        memory: Megabytes for each process of a file.
        rubric: TOML file that gives points for what was measured.
        round_robin: Games between every two files, even; 0 for none.
        out: The folder for the results (default: FOLDER-grades).

    Examples:
        inarow assign grade submissions
        inarow assign grade submissions --rubric rubric.toml --workers 2
        inarow assign grade submissions --opponents random minimax:depth=4
    """
    target = out if out is not None else folder.with_name(f"{folder.resolve().name}-grades")
    if target.resolve() == folder.resolve():
        raise AssignmentError("the results cannot be in the folder of the files; name another one with --out")
    interrupted = None
    try:
        made: object = grade_assignment(
            folder,
            board,
            opponents=opponents,
            games=games,
            positions=positions,
            suite=suite,
            move_seconds=move_seconds,
            file_seconds=file_seconds,
            memory=memory,
            rubric=rubric,
            round_robin=round_robin,
            seed=seed,
            workers=usual_workers() if workers is None else workers,
            out=target,
            command=command_line(),
        )
    except Interrupted as stop:
        interrupted, made = stop, stop.result
    if isinstance(made, Assignment):
        print_json(made.to_dict()) if json else _print_assignment(made)
    if interrupted is not None:
        stderr.print(f"{interrupted}; the same command continues", style="yellow")
        raise interrupted
    if not json:
        stdout.print(f"{target}: report.html, grades.csv, results.json, feedback", soft_wrap=True)


def _print_assignment(made: Assignment) -> None:
    headings = ["#", "name", "Elo", "95 %", "score", "crit.", "faults"]
    if made.rubric is not None:
        headings += ["points", "grade"]
    rows = [_row(file, _NAMES[made.rubric is not None])[: len(headings)] for file in made.files]
    print_table(number_table(*headings, rows=rows, words=("name", "grade")))
    for file in made.files:
        if file.result.faults:
            stdout.print(f"{file.name}: {file.result.faults[0].fault}", style="red", soft_wrap=True)
        for note in file.result.notes:
            stdout.print(f"{file.name}: {note}", style="yellow", soft_wrap=True)
    for remark in remarks(made):
        stdout.print(remark, soft_wrap=True)


def _row(file: GradedFile, letters: int) -> list[str]:
    rating, score, critical = file.rating, file.measures()["score"], file.result.accuracy.critical_accuracy
    return [
        str(file.rank),
        shorten(file.name, letters),
        "-" if rating is None else elo(rating.elo),
        "-" if rating is None else elo_interval(rating.interval),
        "-" if score is None else f"{score:.0%}",
        "-" if critical is None else f"{critical:.0%}",
        str(file.faults),
        "" if file.points is None else f"{file.points:g}",
        file.grade or "",
    ]
