"""The pages of an assignment: one for the teacher, and one for each author that shows nobody else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

from inarow.arena.assignment import Assignment
from inarow.arena.file_result import FILE, CountedFault
from inarow.arena.graded_file import GradedFile
from inarow.arena.grading import ACCURACIES
from inarow.arena.statistics import Interval
from inarow.games import GameSpec, Position
from inarow.games.notation import format_move
from inarow.report.board import draw_board
from inarow.report.data import ReplayGame
from inarow.report.markup import (
    append,
    element,
    elo,
    elo_interval,
    footer,
    percent,
    plain,
    seconds,
    section,
    standalone_page,
)
from inarow.report.plots import rating_rows
from inarow.report.replay import replay
from inarow.report.tables import Table, cross_table_html
from inarow.results import json_text
from inarow.storage.atomic import atomic_write
from inarow.version import __version__

FEEDBACK = "feedback"
_BOARDS = 6  # pictures of faults of a file
_KINDS = {
    "observation": "a function of an observation, as on Kaggle",
    "position": "a function of a position",
    "class": "an object with decide(position)",
}
_FIGURES = {
    "outcome_accuracy": "keeps the outcome",
    "critical_accuracy": "in critical positions",
    "optimal_accuracy": "best move",
}


def write_assignment(made: Assignment, folder: Path, command: str = "") -> None:
    """See `Assignment.write`. Feedback of files that are gone is removed."""
    feedback = folder / FEEDBACK
    feedback.mkdir(parents=True, exist_ok=True)
    made.to_csv(folder / "grades.csv")
    _write(folder / "results.json", json_text(made.to_dict()))
    _write(folder / "report.html", assignment_page(made, command))
    names = {f"{name}.html" for name in file_names(made.files).values()}
    for path in feedback.glob("*.html"):
        if path.name not in names:
            path.unlink()
    for file in made.files:
        _write(feedback / f"{file_names(made.files)[file.name]}.html", feedback_page(made, file))


def _write(path: Path, text: str) -> None:
    with atomic_write(path) as file:
        file.write(text.encode(errors="backslashreplace"))


def file_names(files: Iterable[GradedFile]) -> dict[str, str]:
    """The name of each file as the name of a page and of a place in one; different names stay different."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for file in sorted(files, key=lambda each: each.name):
        base = name = re.sub(r"[^\w.+-]", "_", file.name)[:80] or "_"
        number = 1
        while name.casefold() in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name.casefold())
        found[file.name] = name
    return found


def assignment_page(made: Assignment, command: str = "") -> str:
    """The overview, then a section for each file."""
    title = made.rubric.title if made.rubric is not None and made.rubric.title else f"Agents in {made.folder}"
    main = element("main", element("h1", title), element("p", _facts(made), class_="facts"))
    append(main, section("Grades", _overview(made), *(element("p", each, class_="note") for each in remarks(made))))
    rated = [file.rating for file in made.files if file.rating is not None]
    if rated:
        note = "Elo with 95 % intervals on the scale of the opponents, which are rated by games among themselves."
        append(
            main,
            section(
                "Ratings",
                rating_rows(sorted([*rated, *made.opponents], key=lambda each: -each.elo)),
                element("p", note, class_="note"),
            ),
        )
    if made.class_games.results:
        players = [file.name for file in made.files if file.name in made.class_games.agents]
        append(main, section("Round robin", cross_table_html(made.class_games, players)))
    names = file_names(made.files)
    for file in made.files:
        part = section(file.name, *_details(made, file, for_teacher=True))
        part.set("id", names[file.name])
        append(main, part)
    append(main, footer(command, __version__, (made.settings.seed,)))
    return standalone_page(title, main)


def feedback_page(made: Assignment, file: GradedFile) -> str:
    """What the author of a file may see: nothing of the others, ranks and copies included."""
    main = element("main", element("h1", file.name), element("p", _facts(made, is_private=True), class_="facts"))
    append(main, *_details(made, file, for_teacher=False), footer("", __version__, (made.settings.seed,)))
    return standalone_page(file.name, main)


def _facts(made: Assignment, *, is_private: bool = False) -> str:
    settings = made.settings
    parts = [] if is_private else [f"{len(made.files)} files"]
    parts += [f"board {settings.board}", f"{settings.games} games against each opponent"]
    if settings.positions:
        parts.append(f"accuracy on {settings.positions} positions")
    return " · ".join([*parts, f"{settings.move_seconds:g} s for a move", f"{settings.memory} MB of memory"])


# --- the overview ---


def overview_table(made: Assignment) -> Table:
    """A row for each file; columns of which nothing is known are left out."""
    headings = (
        "#",
        "name",
        "grade",
        "points",
        "Elo",
        "95 % interval",
        "score",
        "keeps the outcome",
        "critical",
        "faults",
    )
    rows = []
    for file in made.files:
        rating, measures, accuracy = file.rating, file.measures(), file.result.accuracy
        shares = (measures["score"], accuracy.outcome_accuracy, accuracy.critical_accuracy)
        first = f" ({file.result.faults[0].fault.kind})" if file.result.faults else ""
        rows.append(
            (
                *(str(file.rank), file.name, file.grade or "", "" if file.points is None else f"{file.points:g}"),
                *((elo(rating.elo), elo_interval(rating.interval)) if rating else ("", "")),
                *("" if share is None else percent(share) for share in shares),
                f"{file.faults}{first}",
            )
        )
    return Table(headings, tuple(rows), words=("name", "grade", "faults")).without_empty_columns()


def _overview(made: Assignment) -> Element:
    """The table, in which a name leads to its section."""
    table, names = overview_table(made).to_html(), file_names(made.files)
    for row, file in zip(list(table.iter("tr"))[1:], made.files, strict=True):
        row[1].clear()
        row[1].set("class", "word")
        append(row[1], element("a", file.name, href=f"#{names[file.name]}"))
    return table


def remarks(made: Assignment) -> list[str]:
    """What concerns several files, or none."""
    found = []
    for what, groups in (
        ("have the same content", _groups(made.files, "copies")),
        ("differ in comments and layout only", _groups(made.files, "alike")),
    ):
        found += [f"{', '.join(group)} {what}." for group in groups]
    if any(file.is_loaded and file.result.loaded and not file.result.loaded.isolated for file in made.files):
        found.append("This system refuses namespaces: files ran within limits, but could read other files.")
    if made.skipped:
        found.append(f"Not graded: {', '.join(made.skipped)}.")
    return found


def _groups(files: Sequence[GradedFile], kind: str) -> list[tuple[str, ...]]:
    groups = {tuple(sorted((file.name, *getattr(file, kind)))) for file in files if getattr(file, kind)}
    return sorted(groups)


# --- one file ---


def _details(made: Assignment, file: GradedFile, *, for_teacher: bool) -> list[Element]:
    result = file.result
    parts = [element("p", text) for text in _summary(file)]
    if file.earned:
        parts.append(_part("Points", _points_table(made, file).to_html()))
    faults = _faults(file, made.settings.spec)
    if faults:
        parts.append(_part("Faults", *faults))
    parts += [element("p", text, class_="note") for text in (*result.notes, *result.warnings)]
    if any(match.tally.games for match in result.matches):
        parts.append(_part("Games", _games_table(made, file).to_html()))
    if result.accuracy.positions:
        note = "Against perfect play. Critical positions are those in which some move does not keep the outcome."
        parts.append(_part("Accuracy", _accuracy_table(file).to_html(), element("p", note, class_="note")))
    if result.lesson is not None:
        parts.append(_lesson(file))
    if for_teacher:
        same = {"copies": file.copies, "alike": file.alike}
        parts += [element("p", f"{kind}: {', '.join(names)}", class_="note") for kind, names in same.items() if names]
    return parts


def _part(title: str, *children: Element) -> Element:
    return section(title, *children, heading="h3")


def _summary(file: GradedFile) -> list[str]:
    if file.result.loaded is None:
        return ["The file could not be graded."]
    parts = [f"The agent is {_KINDS[file.result.loaded.kind]}."]
    if file.rating is not None:
        parts.append(f"Elo {elo(file.rating.elo)} (95 %: {elo_interval(file.rating.interval)}).")
    mean, slowest = file.result.seconds_per_move, file.result.slowest_move
    if mean is not None and slowest is not None:
        parts.append(f"{seconds(mean)} for a move on average, {seconds(slowest)} at most.")
    return [" ".join(parts)]


def _points_table(made: Assignment, file: GradedFile) -> Table:
    rows = [
        (
            each.name,
            each.requirement,
            "" if each.value is None else plain(each.value),
            f"{each.points:g} of {each.most:g}",
        )
        for each in file.earned
    ]
    most = made.rubric.points if made.rubric is not None else 0.0
    total = f"{file.points:g} of {most:g}" + (f": {file.grade}" if file.grade else "")
    rows.append(("total", "", "", total))
    return Table(("criterion", "requirement", "measured", "points"), tuple(rows), words=("criterion", "requirement"))


def _games_table(made: Assignment, file: GradedFile) -> Table:
    rows = []
    ratings = {each.agent: each.elo for each in made.opponents}
    for match in file.result.matches:
        tally = match.tally
        if not tally.games:
            continue
        sides = [percent(side.score) if side.games else "" for side in (tally.as_first, tally.as_second)]
        rows.append(
            (
                *(match.opponent, elo(ratings[match.opponent]) if match.opponent in ratings else ""),
                *(str(number) for number in (tally.games, tally.wins, tally.draws, tally.losses)),
                *(_rate(tally.score, tally.score_interval), *sides, str(tally.distinct_games)),
                str(match.forfeited or ""),
            )
        )
    headings = (
        *("opponent", "Elo", "games", "wins", "draws", "losses", "score (95 %)", "as first", "as second", "distinct"),
        "lost unplayed",
    )
    return Table(headings, tuple(rows), words=("opponent",)).without_empty_columns()


def _accuracy_table(file: GradedFile) -> Table:
    accuracy = file.result.accuracy
    row = (
        *(str(accuracy.positions), str(accuracy.critical)),
        *(_rate(getattr(accuracy, name), accuracy.intervals.get(name)) for name in ACCURACIES),
        "" if accuracy.mean_regret is None else f"{accuracy.mean_regret:.2f}",
    )
    return Table(("positions", "critical", *_FIGURES.values(), "mean regret"), (row,), words=())


def _rate(share: float | None, interval: Interval | None) -> str:
    if share is None:
        return ""
    return percent(share) + (f" ({interval[0] * 100:.0f} to {interval[1] * 100:.0f})" if interval else "")


def _faults(file: GradedFile, spec: GameSpec) -> list[Element]:
    """Each with how often it happened, and the first few with their positions."""
    found = []
    for number, each in enumerate(file.result.faults):
        part = element("li", _fault_text(each))
        moves = each.fault.moves
        if moves and number < _BOARDS:
            board = draw_board(Position.parse(moves, spec), f"The position after {moves}")
            board.set("style", "max-width: 14rem")
            append(part, element("div", board, class_="diagram"))
        found.append(part)
    return [element("ul", *found)] if found else []


def _fault_text(each: CountedFault) -> str:
    times = "once" if each.count == 1 else f"{each.count} times"
    return f"{each.fault} ({times}; first: {each.stage})."


def _lesson(file: GradedFile) -> Element:
    """A lost game, named as the author knows it."""
    lesson = file.result.lesson
    assert lesson is not None
    record, worst = lesson.record, lesson.worst()
    named = replace(
        record,
        first=file.name if record.first == FILE else record.first,
        second=file.name if record.second == FILE else record.second,
    )
    text = "A game that was lost."
    if worst is not None:
        what = "column" if record.spec.gravity else "cell"
        best = " or ".join(format_move(action, record.spec) for action in worst.best)
        played = format_move(worst.action, record.spec)
        text = f"Move {worst.ply} was a {worst.label}: {what} {played} instead of {best}."
    return _part("A lost game", element("p", text), replay(ReplayGame(named, lesson.reviews)))
