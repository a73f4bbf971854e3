"""Grading: compares the decisions of an agent or a network, or the moves of a game, with perfect play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.custom import AgentLike, agent_strings, check_reachable
from inarow.agents.registry import make_agent
from inarow.arena.curve_positions import curve_suite, description
from inarow.arena.game import check_seed
from inarow.arena.statistics import Interval, mean_interval, wilson_interval
from inarow.arena.suite import ILLEGAL, Suite, exact_scores, find_suite
from inarow.errors import one_line
from inarow.games import CONNECT_FOUR, Board, GameRecord, GameSpec, Position
from inarow.results import PlottedResult
from inarow.search.solver.api import solver_for
from inarow.search.tree.config import SearchConfig
from inarow.search.tree.evaluation import Evaluate
from inarow.search.tree.search import NetSearch
from inarow.workers import Progress, Workers, check_workers, open_pool

GAME = "game"  # the name of the suite made of the moves of a game
_CHUNK = 16
_CURVE_GAMES, _BYTES_PER_SIMULATION = 64, 1 << 10
FAULT = -1  # stands for a crash or an illegal action
_SIDES = ("first", "second")
_Choice = tuple[int, str | None]  # an action and None, or FAULT and a description


# --- figures ---

ACCURACIES = ("outcome_accuracy", "critical_accuracy", "optimal_accuracy")  # rates, fields of an `Accuracy`


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """Accuracy of a set of moves; fields are None if there are no moves."""

    positions: int
    critical: int = 0
    """The number of positions in which some legal action does not keep the outcome."""
    outcome_accuracy: float | None = None
    """Share of moves that keep the outcome: win, draw or loss under perfect play."""
    critical_accuracy: float | None = None
    """The same on critical positions only."""
    optimal_accuracy: float | None = None
    """Share of moves with the best score: fastest win, slowest loss."""
    mean_regret: float | None = None
    """Mean loss of score per move."""
    intervals: dict[str, Interval | None] = field(default_factory=dict)
    """95 % intervals of the four figures, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlyAccuracy(Accuracy):
    """The figures of one ply: `ply` stones were on the board before the move."""

    ply: int


@dataclass(frozen=True, slots=True)
class Choices:
    """The scores of the chosen actions in the positions of a suite."""

    plies: np.ndarray  # [N] int64, stones on the board
    best: np.ndarray  # [N] int64, score of the best action
    worst: np.ndarray  # [N] int64, score of the worst action
    chosen: np.ndarray  # [N] int64, score of the chosen action

    @classmethod
    def of(cls, suite: Suite, actions: np.ndarray) -> Choices:
        """The choices `actions` ([N] int64, legal or FAULT); a fault counts as a loss by the opponent's next move."""
        scores = suite.scores.astype(np.int64)
        legal = scores != ILLEGAL
        plies = np.array([position.ply for position in suite.positions], np.int64)
        lost_at_once = -np.maximum(1, (suite.spec.cells - plies) // 2)
        return cls(
            plies=plies,
            best=scores.max(axis=1),
            worst=np.where(legal, scores, -ILLEGAL).min(axis=1),
            chosen=np.where(actions == FAULT, lost_at_once, scores[np.arange(len(scores)), actions]),
        )

    def where(self, members: np.ndarray) -> Choices:
        return Choices(self.plies[members], self.best[members], self.worst[members], self.chosen[members])

    def figures(self) -> dict[str, Any]:
        """The fields of an `Accuracy` of all choices."""
        keeps_outcome = np.sign(self.chosen) == np.sign(self.best)
        is_critical = np.sign(self.worst) < np.sign(self.best)
        regret = self.best - self.chosen
        rates = {
            "outcome_accuracy": keeps_outcome,
            "critical_accuracy": keeps_outcome[is_critical],
            "optimal_accuracy": regret == 0,
        }
        means = {
            name: float(values.mean()) if len(values) else None
            for name, values in {**rates, "mean_regret": regret}.items()
        }
        intervals = {
            name: wilson_interval(float(hits.mean()), len(hits)) if len(hits) else None for name, hits in rates.items()
        }
        return {
            "positions": len(regret),
            "critical": int(is_critical.sum()),
            **means,
            "intervals": {**intervals, "mean_regret": mean_interval(regret)},
        }

    def by_ply(self) -> tuple[PlyAccuracy, ...]:
        """The figures of each ply that occurs, ascending."""
        return tuple(
            PlyAccuracy(ply=int(ply), **self.where(self.plies == ply).figures()) for ply in np.unique(self.plies)
        )

    def by_side(self) -> dict[str, Accuracy]:
        """The figures of each side to move: `first` and `second`."""
        return {name: Accuracy(**self.where(self.plies % 2 == side).figures()) for side, name in enumerate(_SIDES)}


# --- grades ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade(Accuracy, PlottedResult):
    """The grade of an agent on a suite, or of both agents of a game. Stored grades may lack fields with a default."""

    agent: str
    """Agent string; for a game `first - second`."""
    board: str
    suite: str
    suite_checksum: str = ""
    """Grades with equal checksums are for the same positions."""
    by_ply: tuple[PlyAccuracy, ...] = ()
    by_side: dict[str, Accuracy] = field(default_factory=dict)
    """By side to move: `first` and `second`."""
    faults: int = 0
    """Crashes and illegal moves; each is graded as a loss by the opponent's next move."""
    fault: str | None = None
    """The first fault, in one line."""
    seed: int | None = None

    def rows(self) -> list[dict[str, object]]:
        """A row for all positions, for each side and for each ply."""
        parts: dict[str, Accuracy] = {"all": self, **self.by_side, **{f"ply {each.ply}": each for each in self.by_ply}}
        return [{"agent": self.agent, "part": name, **accuracy_row(part)} for name, part in parts.items()]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `inarow grade`."""
        return asdict(self)


def accuracy_row(part: Accuracy) -> dict[str, object]:
    """The figures of an `Accuracy` with the bounds of their intervals."""
    row: dict[str, object] = {"positions": part.positions, "critical": part.critical}
    for name in (*ACCURACIES, "mean_regret"):
        low, high = part.intervals.get(name) or (None, None)
        row |= {name: getattr(part, name), f"{name}_low": low, f"{name}_high": high}
    return row


@dataclass(frozen=True, slots=True)
class _Task:
    agent: str
    board: str
    moves: tuple[str, ...]
    first: int
    seed: int


def grade(
    player: GameRecord | AgentLike,
    spec: Board = CONNECT_FOUR,
    *,
    suite: Suite | str | None = None,
    seed: int = 0,
    workers: Workers = 1,
    progress: bool | Progress = True,
) -> Grade:
    """Grades an agent on a suite (see `find_suite`), or the moves of a game that the agents chose; for a game, all
    other arguments are ignored.

    A new agent is created for each position, seeded by `seed` and the number of the position, so the grade is the same
    for any number of workers. An agent that is an object decides in all positions.
    """
    if isinstance(player, GameRecord):
        return _grade_game(player)
    check_seed(seed)
    check_workers(workers)
    from inarow.terminal import progress_bar

    with agent_strings(player) as (agent,):
        name = make_agent(agent).name
        check_reachable((agent,), workers)
        with progress_bar(name, is_shown=progress) as advance:
            if not isinstance(suite, Suite):
                suite = find_suite(suite, GameSpec.parse(spec))
            choices = []
            for choice in _choices(name, suite, seed, workers):
                choices.append(choice)
                advance(len(choices), len(suite))
    return _graded(suite, choices, agent=name, seed=seed)


def _graded(suite: Suite, choices: Sequence[_Choice], *, agent: str, seed: int | None) -> Grade:
    numbers = Choices.of(suite, np.array([action for action, _ in choices], np.int64))
    faults = [fault for _, fault in choices if fault is not None]
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


def _choices(agent: str, suite: Suite, seed: int, workers: Workers) -> Iterator[_Choice]:
    moves = [position.moves for position in suite.positions]
    tasks = [
        _Task(agent, str(suite.spec), tuple(moves[first : first + _CHUNK]), first, seed)
        for first in range(0, len(moves), _CHUNK)
    ]
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
        return position.play(agent.decide(position).action).actions[-1], None
    except Exception as error:  # a fault of an agent counts as a bad move
        return FAULT, one_line(error)


# --- games ---


def _grade_game(record: GameRecord) -> Grade:
    """The grade of a game; a fault that ended it is not graded."""
    end = record.position
    decided = tuple(end.line())[record.opening : -1]
    solver = solver_for(end.spec)
    scores = np.array([exact_scores(position, solver) for position in decided], np.int8)
    suite = Suite(GAME, end.spec, decided, scores.reshape(len(decided), end.spec.actions), {})
    choices = [(action, None) for action in end.actions[record.opening :]]
    return _graded(suite, choices, agent=f"{record.first} - {record.second}", seed=record.seed)


# --- networks in training ---


class CurveGrader:
    """Grades a network on a fixed sample of positions by the share of moves that keep the outcome."""

    def __init__(self, suite: Suite) -> None:
        self._suite, self.description = suite, description(suite)

    def __call__(self, evaluate: Evaluate, simulations: int, config: SearchConfig | None = None) -> tuple[float, float]:
        """(Share without search, share with this many simulations); `config` replaces the usual settings."""
        memory = _CURVE_GAMES * simulations * _BYTES_PER_SIMULATION
        search = NetSearch(self._suite.spec, evaluate, config or SearchConfig(), games=_CURVE_GAMES, memory=memory)
        return _accuracy(search, self._suite, 1), _accuracy(search, self._suite, simulations)


def curve_grader(specs: Sequence[GameSpec]) -> CurveGrader | None:
    """The grader of a run on these boards, for Connect Four if it is among them, otherwise for the first; see
    `curve_positions.py`. None if no positions are found on which networks can differ.
    """
    suite = curve_suite(CONNECT_FOUR if CONNECT_FOUR in specs else specs[0])
    return CurveGrader(suite) if len(suite) else None


def _accuracy(search: NetSearch, suite: Suite, simulations: int) -> float:
    results = search.search_many(suite.positions, simulations)
    choices = Choices.of(suite, np.array([result.action for result in results], np.int64))
    return float(choices.figures()["outcome_accuracy"])
