"""Assignments: the agent files of a class, rated and graded side by side.

Every file is graded alone (`student_grading.py`) and rated against the same opponents, whose strengths follow from
games among themselves. So nothing that is measured of a file depends on the other files; only ranks do.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from inarow.agents.agent import check_board
from inarow.agents.registry import make_agent
from inarow.agents.student import hidden_folders
from inarow.arena.assignment_files import (
    HandedIn,
    SavedResults,
    check_name,
    equal_files,
    find_files,
)
from inarow.arena.class_tournament import play_class
from inarow.arena.file_result import FileResult
from inarow.arena.graded_file import MEASURES, GradedFile, with_points
from inarow.arena.match import play_all
from inarow.arena.match_plan import MatchSettings, plan_match
from inarow.arena.ratings import Rating, fit_ratings
from inarow.arena.rubric import Rubric, load_rubric
from inarow.arena.student_grading import (
    USUAL_OPPONENTS,
    AssignmentSettings,
    FileTask,
    find_opening_pairs,
    grade_file,
)
from inarow.arena.suite import find_suite
from inarow.arena.tally import CrossTable
from inarow.errors import AssignmentError, Interrupted, InvalidLimitError, shown
from inarow.games import CONNECT_FOUR, Board, GameSpec
from inarow.results import PlottedResult, drawn_by_report
from inarow.storage.locks import exclusive_folder
from inarow.version import __version__
from inarow.workers import Progress, Workers, check_workers, open_pool

ANCHOR = "random"
_POOL_GAMES = 200  # between each two of the opponents


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Assignment(PlottedResult):
    """The graded files of a folder; `grade_assignment` makes one."""

    folder: str
    settings: AssignmentSettings
    files: tuple[GradedFile, ...]
    """By rank."""
    opponents: tuple[Rating, ...]
    """How strong the opponents are, by games among themselves."""
    rubric: Rubric | None = None
    class_games: CrossTable = field(default_factory=CrossTable)
    """Of the files among each other."""
    skipped: tuple[str, ...] = ()
    """What is in the folder besides Python files."""

    def __repr__(self) -> str:
        loaded = sum(file.is_loaded for file in self.files)
        return f"<Assignment of {len(self.files)} files on {self.settings.board}: {loaded} load>"

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, name: str) -> GradedFile:
        """The file of an author; raises AssignmentError."""
        check_name(name, (file.name for file in self.files))
        return next(file for file in self.files if file.name == name)

    def rows(self) -> list[dict[str, object]]:
        """A row for each file, by rank."""
        return [file.row(self.settings.opponents) for file in self.files]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `inarow assign grade`."""
        cross = [
            {"first": first, "second": second, **games.to_dict()}
            for (first, second), games in self.class_games.results.items()
        ]
        return {
            **{"folder": self.folder, "version": __version__, "settings": asdict(self.settings)},
            "opponents": [
                {"agent": each.agent, "elo": each.elo, "elo_interval": each.interval} for each in self.opponents
            ],
            "rubric": None if self.rubric is None else {"title": self.rubric.title, "points": self.rubric.points},
            "files": [file.to_dict() for file in self.files],
            "round_robin": cross,
            "skipped": self.skipped,
        }

    def write(self, folder: Path | str, *, command: str = "") -> None:
        """Writes `grades.csv`, `results.json`, `report.html` and a page for each file in `feedback`."""
        drawn_by_report("assignment_page", "write_assignment", self, Path(folder), command)


# --- grading ---


def grade_assignment(
    folder: Path | str,
    board: Board = CONNECT_FOUR,
    *,
    opponents: Sequence[str] = USUAL_OPPONENTS,
    games: int = 20,
    positions: int = 200,
    suite: str | None = None,
    move_seconds: float = 1.0,
    file_seconds: float = 40.0,
    memory: int = 512,
    rubric: str | Path | Mapping[str, Any] | None = None,
    round_robin: int = 0,
    seed: int = 0,
    workers: Workers = 1,
    out: Path | str | None = None,
    command: str = "",
    progress: bool | Progress = True,
) -> Assignment:
    """Grades every Python file of a folder: faults, accuracy against perfect play in `positions` of a suite, `games`
    against each opponent, a rating on their scale, and points by a rubric, a TOML file or its content.

    Files run in confined processes with limits: `move_seconds` for a move, `memory` in megabytes, `file_seconds` of
    thinking for everything together. With `round_robin`, an even number, every two files that load also play that many
    games. With `out`, a folder, it writes a report there (`Assignment.write`) and keeps results: the same call
    continues after a stop, and grades only files that have changed.

    Raises InarowError, and Interrupted with the assignment of the finished files on Ctrl-C.
    """
    check_workers(workers)
    if not isinstance(workers, int):
        raise InvalidLimitError("agent files are graded on this machine only; give a number of workers")
    if round_robin < 0 or round_robin % 2:
        raise InvalidLimitError(f"round-robin is {round_robin}; it must be even: each opening is played twice")
    settings = AssignmentSettings(
        board=str(GameSpec.parse(board)),
        opponents=tuple(make_agent(each).name for each in opponents),
        games=games,
        positions=positions,
        suite=suite,
        move_seconds=move_seconds,
        file_seconds=file_seconds,
        memory=memory,
        seed=seed,
    )
    _check(settings)
    marks = None if rubric is None else load_rubric(rubric, MEASURES, settings.opponents)
    place, target = Path(folder), None if out is None else Path(out)
    files, skipped = find_files(place)
    with ExitStack() as stack:
        if target is not None:
            target.mkdir(parents=True, exist_ok=True)
            busy = AssignmentError(f"{target} is in use by another process; wait for it, or choose another folder")
            stack.enter_context(exclusive_folder(target, busy))
        hidden = hidden_folders(place, *([] if target is None else [target]))
        grading = _Grading(files, settings, hidden, SavedResults(target, settings), workers)

        def made() -> Assignment:
            graded = grading.graded(marks)
            return Assignment(
                folder=str(place),
                settings=settings,
                files=graded,
                opponents=grading.opponent_ratings(),
                rubric=marks,
                class_games=grading.class_games,
                skipped=tuple(skipped),
            )

        try:
            grading.run(round_robin, progress)
        except KeyboardInterrupt:
            message = f"stopped after {len(grading.results)} of {len(files)} files"
            raise Interrupted(message, made() if grading.results else None) from None
        assignment = made()
        if target is not None:
            assignment.write(target, command=command)
            grading.saved.remove_unused()
    return assignment


def _check(settings: AssignmentSettings) -> None:
    """Raises InarowError for settings that no file could be graded with."""
    if not settings.opponents and settings.games:
        raise InvalidLimitError("there are no opponents; name some, or set games to 0")
    for name in settings.opponents:
        if settings.opponents.count(name) > 1:
            raise AssignmentError(f"the opponent {shown(name)} is given more than once")
        check_board(make_agent(name), settings.spec)
    if settings.games:
        find_opening_pairs(settings.spec, settings)
    if settings.positions:
        find_suite(settings.suite, settings.spec)


class _Grading:
    """Results of files as they are measured."""

    def __init__(
        self,
        files: Sequence[HandedIn],
        settings: AssignmentSettings,
        hidden: tuple[str, ...],
        saved: SavedResults,
        workers: int,
    ) -> None:
        self._files, self._settings, self._hidden, self._workers = files, settings, hidden, workers
        self.saved = saved
        self.results: dict[str, FileResult] = {}
        """By the name of the file."""
        self.class_games = CrossTable()
        self._pool_games = CrossTable()

    def run(self, round_robin: int, progress: bool | Progress) -> None:
        """Measures what is not known yet. Files of one content are measured once."""
        from inarow.terminal import progress_bar

        with progress_bar("agent files", is_shown=progress) as advance:
            self._pool_games = self._opponents_games() if self._settings.games else CrossTable()
            new: dict[str, HandedIn] = {}
            for file in self._files:
                known = file.refused() if file.problem else self.saved.result(file)
                if known is None:
                    new.setdefault(file.digest, file)
                else:
                    self.results[file.name] = known
            advance(len(self.results), len(self._files))
            tasks = {FileTask(file.source, self._settings, self._hidden): file for file in new.values()}
            with open_pool(self._workers, tasks=len(tasks)) as pool:
                for task, result in pool.as_completed(grade_file, tasks):
                    self.saved.add_result(tasks[task], result)
                    for file in self._files:
                        if file.digest == tasks[task].digest:
                            self.results[file.name] = result
                    advance(len(self.results), len(self._files))
        if round_robin:
            able = [file for file in self._files if _can_play(self.results[file.name])]
            self.class_games = play_class(
                able, self._settings, round_robin, self._hidden, self.saved, self._workers, progress
            )

    def _opponents_games(self) -> CrossTable:
        """Games of the opponents among themselves, which give the scale of the ratings."""
        known = self.saved.games("opponents")
        if known is None:
            settings = MatchSettings(games=_POOL_GAMES, seed=self._settings.seed)
            pairs = combinations(self._settings.opponents, 2)
            plans = [plan_match(a, b, self._settings.spec, settings) for a, b in pairs]
            batches = play_all(plans, self._workers) if plans else ()
            known = CrossTable.of(record for _, batch in batches for record in batch)
            self.saved.add_games("opponents", known)
        return known

    def opponent_ratings(self) -> tuple[Rating, ...]:
        """Of the opponents by their games; none if there is only one."""
        games = self._pool_games
        return fit_ratings(games, anchor=self._anchor).table if games.results else ()

    @property
    def _anchor(self) -> str:
        opponents = self._settings.opponents
        return ANCHOR if ANCHOR in opponents else opponents[0] if opponents else ""

    def graded(self, rubric: Rubric | None) -> tuple[GradedFile, ...]:
        """The measured files by rank."""
        known = [file for file in self._files if file.name in self.results]
        ratings: dict[str, Rating | None] = {}
        by_content: dict[str, Rating | None] = {}
        for file in known:
            if file.digest not in by_content:
                by_content[file.digest] = self._rating(self.results[file.name])
            rating = by_content[file.digest]
            ratings[file.name] = None if rating is None else replace(rating, agent=file.name)
        copies = equal_files((file.name, file.digest) for file in known)
        structures = ((name, result.loaded.structure) for name, result in self.results.items() if result.loaded)
        alike = equal_files(structures)
        elos = sorted((rating.elo for rating in ratings.values() if rating), reverse=True)
        made = []
        for file in known:
            rating, same = ratings[file.name], copies.get(file.name, ())
            graded = GradedFile(
                name=file.name,
                file=file.file,
                digest=file.digest,
                result=self.results[file.name],
                rating=rating,
                rank=1 + (elos.index(rating.elo) if rating else len(elos)),
                copies=same,
                alike=tuple(name for name in alike.get(file.name, ()) if name not in same),
            )
            made.append(graded if rubric is None else with_points(graded, rubric))
        return tuple(sorted(made, key=lambda each: (each.rank, each.name)))

    def _rating(self, result: FileResult) -> Rating | None:
        """Of a file, from its games and those of the opponents."""
        games = CrossTable(dict(self._pool_games.results))
        for match in result.matches:
            games.add_match("", match.opponent, match.tally)
        if not games.games_of(""):
            return None
        return next(each for each in fit_ratings(games, anchor=self._anchor).table if each.agent == "")


def _can_play(result: FileResult) -> bool:
    """Whether a file loads, and did not lose games without playing them."""
    return result.loaded is not None and not any(match.forfeited for match in result.matches)


def usual_workers() -> int:
    """One worker for each processor that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
