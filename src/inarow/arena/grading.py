"""Grading: the decisions of an agent, or the moves of a game, against perfect play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.arena.accuracy import FAULT, Accuracy, Choices, PlyAccuracy
from inarow.arena.known_suites import find_suite
from inarow.arena.suite import Suite, exact_scores
from inarow.errors import InvalidLimitError, one_line
from inarow.games.position import Position
from inarow.games.record import GameRecord
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.search.solver.api import solver_for
from inarow.workers import Progress, Workers, check_workers, open_pool

GAME = "game"
"""The name of the suite that the moves of a game are."""
_CHUNK = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade(Accuracy):
    """What a suite says about an agent, or a game about its two agents."""

    agent: str
    """Agent string; of a game `first - second`."""
    board: str
    suite: str
    suite_checksum: str
    """Grades of equal checksums are about the same positions."""
    by_ply: tuple[PlyAccuracy, ...]
    by_side: dict[str, Accuracy]
    """Under `first` and `second`."""
    faults: int
    """Crashes and illegal moves; each counts as a game lost with the opponent's next move."""
    fault: str | None
    """The first of them, in one line."""
    seed: int | None


@dataclass(frozen=True, slots=True)
class _Task:
    agent: str
    board: str
    moves: tuple[str, ...]
    first: int
    seed: int


@dataclass(frozen=True, slots=True)
class _Choice:
    action: int
    fault: str | None = None


def grade(
    player: GameRecord | Agent | str,
    spec: GameSpec = CONNECT_FOUR,
    *,
    suite: Suite | str | None = None,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Grade:
    """Grades an agent on a suite (see `find_suite`), or the decided moves of a game, for which nothing else counts.

    An agent string is made anew for each position, with chance that follows from `seed` and the
    number of the position, so the grade is the same for any number of workers. An agent object is
    asked in this process, position by position, as it is. What counts is the action it draws.
    """
    if isinstance(player, GameRecord):
        return _grade_game(player)
    if not 0 <= seed < 2**63:
        raise InvalidLimitError(f"seed is {seed}; it must be 0 to 2^63 - 1")
    check_workers(workers)
    name = make_agent(player).name if isinstance(player, str) else player.name
    if not isinstance(suite, Suite):
        suite = find_suite(suite, spec)
    if isinstance(player, str):
        source = _made_anew(_tasks(name, suite, seed), workers)
    elif workers == 1:
        source = (_choice(player, position) for position in suite.positions)
    else:
        raise InvalidLimitError("workers must be 1 for an agent object; give an agent string instead")
    return _graded(suite, _watched(source, len(suite), progress), agent=name, seed=seed)


def _graded(suite: Suite, choices: Sequence[_Choice], *, agent: str, seed: int | None) -> Grade:
    numbers = Choices.of(suite, np.array([choice.action for choice in choices], np.int64))
    faults = [choice.fault for choice in choices if choice.fault is not None]
    return Grade(
        agent=agent,
        board=str(suite.spec),
        suite=suite.name,
        suite_checksum=suite.checksum,
        **numbers.figures(),
        by_ply=numbers.by_ply(),
        by_side=numbers.by_side(),
        faults=len(faults),
        fault=faults[0] if faults else None,
        seed=seed,
    )


# --- agents ---


def _tasks(agent: str, suite: Suite, seed: int) -> list[_Task]:
    moves = [position.moves for position in suite.positions]
    return [
        _Task(agent, str(suite.spec), tuple(moves[first : first + _CHUNK]), first, seed)
        for first in range(0, len(moves), _CHUNK)
    ]


def _made_anew(tasks: Sequence[_Task], workers: Workers) -> Iterator[_Choice]:
    with open_pool(workers, tasks=len(tasks)) as pool:
        for choices in pool.map(_decide_chunk, tasks):
            yield from choices


def _decide_chunk(task: _Task) -> list[_Choice]:
    spec = GameSpec.parse(task.board)
    return [
        _choice(
            make_agent(task.agent, seed=np.random.SeedSequence(task.seed, spawn_key=(number,))),
            Position.parse(moves, spec),
        )
        for number, moves in enumerate(task.moves, start=task.first)
    ]


def _choice(agent: Agent, position: Position) -> _Choice:
    try:
        return _Choice(position.play(agent.decide(position).action).actions[-1])
    except Exception as error:  # whatever an agent does wrong is a bad move, not the end of the grading
        return _Choice(FAULT, one_line(error))


def _watched(choices: Iterable[_Choice], total: int, progress: Progress | None) -> list[_Choice]:
    made = []
    for choice in choices:
        made.append(choice)
        if progress is not None:
            progress(len(made), total)
    return made


# --- games ---


def _grade_game(record: GameRecord) -> Grade:
    """A fault that ended the game is no move of it, and not graded."""
    positions = [Position.start(record.spec)]
    for action in record.actions:
        positions.append(positions[-1].play(action))
    decided = tuple(positions[record.opening : -1])
    solver = solver_for(record.spec)
    scores = np.array([exact_scores(position, solver) for position in decided], np.int8)
    suite = Suite(GAME, record.spec, decided, scores.reshape(len(decided), record.spec.actions), {})
    choices = [_Choice(action) for action in record.actions[record.opening :]]
    return _graded(suite, choices, agent=f"{record.first} - {record.second}", seed=record.seed)
