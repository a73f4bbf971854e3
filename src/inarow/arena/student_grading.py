"""Grading one agent file of an assignment: faults, accuracy against perfect play, games against fixed opponents.

What is measured follows from the file and the settings alone, whatever else is graded and in which process. Two rules
keep one file from using up the time of all: it may think for `file_seconds` in all, and where time-outs and the like
are frequent, what is left counts as lost.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import msgspec
import numpy as np

from inarow.agents.file_faults import FileFault
from inarow.agents.registry import make_agent
from inarow.agents.student import FileFaultError, FileLimits, Loaded, StudentAgent, StudentProcess
from inarow.arena.file_result import FILE, CountedFault, FileMatch, FileResult, Lesson
from inarow.arena.game import check_seed, play_game
from inarow.arena.grading import FAULT, Accuracy, Choices
from inarow.arena.match import make_ready
from inarow.arena.match_plan import MAX_GAMES, MatchSettings, plan_match
from inarow.arena.openings import find_openings
from inarow.arena.review import bounded_analysis, review_end
from inarow.arena.suite import Suite, find_suite
from inarow.errors import InvalidLimitError
from inarow.games import GameRecord, GameSpec, Position

USUAL_OPPONENTS = ("random", "greedy", "winblock", "minimax:depth=2")
_COSTLY = ("time-out", "memory", "ended")  # kinds of faults that take long
_MANY = 3
"""This number of costly faults ends a stage, if at least half of what was tried ended that way."""
_SLOWEST = 10, 60.0
"""A file takes at most this multiple of its thinking time, plus this number of seconds, however busy the machine is."""
_ACCURACY_SHARE = 0.25  # of the thinking time
_SMOKE, _GAMES, _ACCURACY = range(3)  # the first part of each random stream


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentSettings:
    """How files are graded; raises InvalidLimitError for values out of range."""

    board: str = "6x7x4"
    opponents: tuple[str, ...] = USUAL_OPPONENTS
    """Agent strings, the weakest first."""
    games: int = 20
    """Against each opponent, an even number."""
    positions: int = 200
    """Of the suite; 0 for no accuracy."""
    suite: str | None = None
    move_seconds: float = 1.0
    file_seconds: float = 40.0
    """For all decisions of a file together; then no more is measured."""
    memory: int = 512
    """Megabytes for each process of a file."""
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.games or not self.positions:
            MatchSettings(games=self.games, move_seconds=self.move_seconds)
        for name, least, most in (
            ("positions", 0, MAX_GAMES),
            ("move_seconds", 0.001, 3600),
            ("file_seconds", 1, 86_400),
            ("memory", 64, 1 << 20),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                raise InvalidLimitError(f"{name.replace('_', '-')} is {value:g}; it must be {least:g} to {most:,}")

    @property
    def spec(self) -> GameSpec:
        return GameSpec.parse(self.board)


@dataclass(frozen=True, slots=True)
class FileTask:
    """A file to grade."""

    source: bytes
    settings: AssignmentSettings
    hidden: tuple[str, ...]


def grade_file(task: FileTask) -> FileResult:
    """Grades a file, in a worker process."""
    settings = task.settings
    limits = FileLimits(move_seconds=settings.move_seconds, memory=settings.memory << 20, hidden=task.hidden)
    process = StudentProcess(task.source, limits)
    try:
        loaded = process.load()
        return _Grading(process, settings).result(loaded)
    except FileFaultError as error:  # while it was loaded
        return FileResult(faults=(CountedFault(fault=error.fault, count=1, stage="loading"),))
    finally:
        process.close()


class _Stage:
    """What was tried in a part of the grading, and how often it ended in a costly fault."""

    def __init__(self) -> None:
        self.tried = self.costly = 0

    def count(self, fault: FileFault | None) -> None:
        self.tried += 1
        self.costly += fault is not None and fault.kind in _COSTLY

    @property
    def is_hopeless(self) -> bool:
        return self.costly >= _MANY and 2 * self.costly >= self.tried


class _Grading:
    """The grading of one loaded file."""

    def __init__(self, process: StudentProcess, settings: AssignmentSettings) -> None:
        self._process, self._settings, self._spec = process, settings, settings.spec
        self._faults: dict[tuple[str, str], CountedFault] = {}
        self._types: set[str] = set()
        self._seconds: list[float] = []
        self._lost_seconds = 0.0
        self._started = time.monotonic()
        self._notes: list[str] = []

    def result(self, loaded: Loaded) -> FileResult:
        is_hopeless = self._smoke()
        choices, accuracy = self._accuracy(is_hopeless)
        matches = self._matches(is_hopeless)
        self._process.close()
        return FileResult(
            loaded=loaded,
            faults=tuple(self._faults.values()),
            warnings=self._warnings(loaded),
            notes=tuple(self._notes),
            matches=matches,
            choices=choices,
            accuracy=accuracy,
            moves=len(self._seconds),
            seconds_per_move=fmean(self._seconds) if self._seconds else None,
            slowest_move=max(self._seconds, default=None),
            lesson=find_lesson(matches),
        )

    def _warnings(self, loaded: Loaded) -> tuple[str, ...]:
        odd = sorted(self._types - {"int"})
        if loaded.kind != "observation" or not odd:
            return ()
        return (f"returns {', '.join(odd)}: Kaggle takes a plain int only; write int(...)",)

    # --- stages ---

    def _smoke(self) -> bool:
        """Decides in a few positions of every kind; whether that is hopeless."""
        stage = _Stage()
        for number, position in enumerate(smoke_positions(self._spec)):
            self._decide(position, (_SMOKE, number), "smoke test", stage)
            if stage.is_hopeless:
                lost = "everything else counts as lost"
                self._notes.append(f"{stage.costly} of the first {stage.tried} decisions failed: {lost}")
                return True
        return False

    def _accuracy(self, is_hopeless: bool) -> tuple[tuple[tuple[int, int], ...], Accuracy]:
        wanted = self._settings.positions
        if not wanted:
            return (), Accuracy(positions=0)
        suite = find_suite(self._settings.suite, self._spec)
        places = suite.sampled_places(wanted).tolist()
        stage, chosen = _Stage(), list[int]()
        for place in places if not is_hopeless else ():
            if stage.is_hopeless:
                self._notes.append(f"{stage.costly} of {stage.tried} positions failed: the others count as lost, too")
                break
            if self._thought > _ACCURACY_SHARE * self._settings.file_seconds:
                share = f"{_ACCURACY_SHARE:.0%} of the thinking time"
                self._notes.append(f"accuracy on {len(chosen)} of {len(places)} positions only: {share} was used up")
                break
            chosen.append(self._decide(suite.positions[place], (_ACCURACY, place), "accuracy", stage))
        if is_hopeless or stage.is_hopeless:
            chosen += [FAULT] * (len(places) - len(chosen))
        return tuple(zip(places, chosen, strict=False)), accuracy_of(suite, places[: len(chosen)], chosen)

    def _matches(self, is_hopeless: bool) -> tuple[FileMatch, ...]:
        settings, stage = self._settings, _Stage()
        pairs = settings.games // 2
        records: list[list[GameRecord]] = [[] for _ in settings.opponents]
        openings = find_opening_pairs(self._spec, settings) if pairs else []
        rounds = [(pair, number) for pair in range(pairs) for number in range(len(records))]
        for pair, number in rounds if not is_hopeless else ():
            played = sum(map(len, records))
            if stage.is_hopeless:
                lost = f"the other {pairs * 2 * len(records) - played} games count as lost"
                self._notes.append(f"{stage.costly} of {stage.tried} games failed: {lost}")
                break
            if self._thought > settings.file_seconds:
                limit = f"the thinking time of {settings.file_seconds:g} s was used up"
                self._notes.append(f"{played} of {pairs * 2 * len(records)} games only: {limit}")
                break
            records[number] += [self._game(number, pair, game, openings[pair], stage) for game in (0, 1)]
        is_lost = is_hopeless or stage.is_hopeless
        return tuple(
            FileMatch(opponent=opponent, records=tuple(own), forfeited=pairs * 2 - len(own) if is_lost else 0)
            for opponent, own in zip(settings.opponents, records, strict=True)
        )

    # --- decisions ---

    def _decide(self, position: Position, place: tuple[int, ...], what: str, stage: _Stage) -> int:
        """The action in a position, in a new game; FAULT if there is none."""
        agent = self._agent(place)
        try:
            return agent.decide(position).action
        except FileFaultError:
            return FAULT
        finally:
            self._note(agent, what, stage)

    def _game(self, number: int, pair: int, game: int, opening: Position, stage: _Stage) -> GameRecord:
        """A game against an opponent; the file moves first in the first of each pair."""
        opponent = self._settings.opponents[number]
        make_ready(opponent, self._spec)
        place = (_GAMES, number, pair, game)
        agent, other = self._agent(place), make_agent(opponent, seed=self._seed((*place, 1)))
        players = (other, agent) if game else (agent, other)
        record = play_game(*players, opening=opening, seed=self._settings.seed)
        self._note(agent, f"game against {opponent}", stage)
        return replace(record, plies=())

    def _agent(self, place: tuple[int, ...]) -> StudentAgent:
        return StudentAgent(FILE, self._process, self._seed((*place, 0)))

    def _seed(self, place: tuple[int, ...]) -> np.random.SeedSequence:
        return np.random.SeedSequence(self._settings.seed, spawn_key=place)

    def _note(self, agent: StudentAgent, what: str, stage: _Stage) -> None:
        """Counts what an agent did in a game."""
        self._seconds += agent.seconds
        self._types |= agent.types
        fault = agent.fault
        stage.count(fault)
        if fault is None:
            return
        if fault.kind == "time-out":
            self._lost_seconds += self._settings.move_seconds
        key = fault.kind, fault.message
        known = self._faults.get(key)
        self._faults[key] = (
            CountedFault(fault=fault, count=1, stage=what)
            if known is None
            else msgspec.structs.replace(known, count=known.count + 1)
        )

    @property
    def _thought(self) -> float:
        """The time that the file has thought so far. It reports its times itself, hence a bound by the clock."""
        passed = time.monotonic() - self._started
        return max(sum(self._seconds) + self._lost_seconds, (passed - _SLOWEST[1]) / _SLOWEST[0])


def find_opening_pairs(spec: GameSpec, settings: AssignmentSettings) -> list[Position]:
    """The openings of the games against every opponent, each for two games."""
    plan = plan_match("random", "random", spec, MatchSettings(games=settings.games, seed=settings.seed))
    return find_openings(spec, settings.games // 2, plan.openings, seed=settings.seed, plies=plan.opening_plies)


def accuracy_of(suite: Suite, places: Iterable[int], actions: Iterable[int]) -> Accuracy:
    """The figures of the actions in some positions of a suite."""
    chosen = np.fromiter(places, np.int64)
    if not len(chosen):
        return Accuracy(positions=0)
    figures: dict[str, Any] = Choices.of(suite.part(chosen), np.fromiter(actions, np.int64)).figures()
    return Accuracy(**figures)


def find_lesson(matches: Iterable[FileMatch]) -> Lesson | None:
    """The longest of the games lost to the first opponent that won one, faults excepted."""
    for match in matches:
        lost = [
            record
            for record in match.records
            if record.termination == "normal" and record.winner == (2 if record.first == FILE else 1)
        ]
        if lost:
            record = max(lost, key=lambda each: len(each.actions))
            return Lesson(record=record, reviews=review_end(record, bounded_analysis(record.spec)))
    return None


# --- positions for the smoke test ---


def smoke_positions(spec: GameSpec) -> list[Position]:
    """Positions in which beginners' agents fail: the empty board, the second side, full columns, the last moves. The
    same for every file.
    """
    rng = np.random.default_rng(0)
    found = [Position.start(spec), *_after(spec, [spec.columns // 2])]
    if spec.gravity:
        for column in (0, spec.columns // 2, spec.columns - 1):
            found += _after(spec, [column] * spec.rows)
        found += _after(spec, [*[0] * spec.rows, spec.columns - 1])
    lengths = (spec.cells // 3, spec.cells // 2, 2 * spec.cells // 3, spec.cells - 3, spec.cells - 2, spec.cells - 1)
    for plies in lengths:
        position = _random_position(spec, plies, rng)
        if position is not None:
            found.append(position)
    return list({position.key: position for position in found}.values())


def _after(spec: GameSpec, actions: list[int]) -> list[Position]:
    """The position after some actions, if the game is not over by then."""
    position = Position.start(spec)
    for action in actions:
        if action not in position.legal_actions:
            return []
        position = position.play(action)
    return [] if position.is_over else [position]


def _random_position(spec: GameSpec, plies: int, rng: np.random.Generator) -> Position | None:
    """After random moves that do not end the game; None if none is found soon."""
    for _ in range(500):
        position = Position.start(spec)
        while position.ply < plies:
            wins = position.winning_actions()
            quiet = [action for action in position.legal_actions if action not in wins]
            if not quiet:
                break
            position = position.play(quiet[int(rng.random() * len(quiet))])
        if position.ply == plies and not position.is_over:
            return position
    return None
