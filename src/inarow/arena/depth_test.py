"""The depth test: the cost and the gain of each additional ply of an agent's search depth.

Every depth decides in the same positions and plays from the same openings. A test is divided into tasks whose decisions
depend only on the arguments, not on the process; only times vary.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

import msgspec
import numpy as np

from inarow.agents.agent import Agent, Decision, Watcher, check_board
from inarow.agents.custom import AgentLike, agent_strings, check_reachable
from inarow.agents.kind import AgentKind, format_agent, parameter_infos
from inarow.agents.registry import Seed, make_agent, parse_agent, registry
from inarow.arena.game import check_seed, play_game
from inarow.arena.grading import FAULT, Accuracy, Choices, accuracy_row
from inarow.arena.match import MatchSummary, make_ready, summarise
from inarow.arena.match_plan import MatchPlan, MatchSettings, plan_match
from inarow.arena.openings import find_openings
from inarow.arena.suite import Suite, find_suite
from inarow.errors import Interrupted, InvalidAgentError, InvalidLimitError, shown
from inarow.games import CONNECT_FOUR, Board, GameRecord, GameSpec, Position
from inarow.results import PlottedResult
from inarow.search.limits import Limits
from inarow.workers import Progress, Workers, check_workers, open_pool

MAX_DEPTH = 256
USUAL_OPPONENT, USUAL_GAMES, USUAL_POSITIONS = "winblock", 40, 200
_CHUNK = 8  # positions per task

# --- results ---


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthPoint:
    """An agent at one depth. Costs are those of the decisions in the positions, or in the games if there are no
    positions; None if unknown.
    """

    depth: int
    agent: str
    seconds_per_move: float | None
    median_seconds_per_move: float | None
    nodes_per_move: float | None
    median_nodes_per_move: float | None
    accuracy: Accuracy
    """Measured against perfect play."""
    match: MatchSummary | None
    """The result against the opponent, for the agent; None without games."""
    faults: int
    """Crashes and illegal moves in the positions; each is graded as a loss by the opponent's next move."""

    def row(self) -> dict[str, object]:
        """The point as a row of a table."""
        match = self.match
        low, high = match.score_interval if match else (None, None)
        return {
            **{name: getattr(self, name) for name in ("depth", "agent", *_COSTS)},
            **accuracy_row(self.accuracy),
            "faults": self.faults,
            "games": match.games if match else 0,
            **{name: getattr(match, name, None) for name in ("wins", "draws", "losses", "score")},
            **{"score_low": low, "score_high": high},
        }


_COSTS = ("seconds_per_move", "median_seconds_per_move", "nodes_per_move", "median_nodes_per_move")


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthTest(PlottedResult):
    """The result of `depth_test`."""

    agent: str
    board: str
    opponent: str
    suite: str | None
    """None without positions."""
    seed: int
    points: tuple[DepthPoint, ...]
    """By depth."""

    def rows(self) -> list[dict[str, object]]:
        """A row for each depth, with 95 % intervals."""
        return [point.row() for point in self.points]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `inarow depth-test`."""
        names = ("agent", "board", "opponent", "suite", "seed")
        return {**{name: getattr(self, name) for name in names}, "depths": self.rows()}


# --- agents of a given depth ---


@dataclass(frozen=True, slots=True)
class _Player:
    """An agent with a search depth."""

    string: str
    depth: int
    is_limited: bool  # whether the depth is set by `Limits` instead of the agent string

    @property
    def name(self) -> str:
        return f"{self.string} (depth {self.depth})" if self.is_limited else self.string

    def make(self, seed: Seed) -> Agent:
        agent = make_agent(self.string, seed=seed)
        return _LimitedAgent(self.name, agent, self.depth) if self.is_limited else agent


class _LimitedAgent:
    """An agent with the same limit for all decisions."""

    def __init__(self, name: str, agent: Agent, depth: int) -> None:
        self.name = name
        self._agent = agent
        self._limits = Limits(depth=depth)

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision:
        return self._agent.decide(position, limits=limits or self._limits, watch=watch)


def _has_depth(kind: AgentKind) -> bool:
    return any(info.name == "depth" for info in parameter_infos(kind))


def _players(agent: str, depths: Sequence[int]) -> list[_Player]:
    """The agent at each depth: by its parameter `depth` if it has one, otherwise by `Limits`."""
    kind, parameters = parse_agent(agent)
    if _has_depth(kind):
        strings = (format_agent(kind, msgspec.structs.replace(parameters, depth=depth)) for depth in depths)
        return [_Player(make_agent(string).name, depth, False) for string, depth in zip(strings, depths, strict=True)]
    if "depth" in kind.limits:
        return [_Player(make_agent(agent).name, depth, True) for depth in depths]
    able = ", ".join(name for name, other in registry().items() if _has_depth(other) or "depth" in other.limits)
    raise InvalidAgentError(f"{shown(kind.name)} has no depth to test; agents with a depth are {able}")


def check_depths(depths: Iterable[int]) -> tuple[int, ...]:
    """Distinct depths in ascending order; raises InvalidLimitError."""
    known = tuple(sorted(set(depths)))
    if not known or known[0] < 1 or known[-1] > MAX_DEPTH:
        wrong = "no depths are given" if not known else f"depth is {known[0] if known[0] < 1 else known[-1]}"
        raise InvalidLimitError(f"{wrong}; depths are 1 to {MAX_DEPTH}")
    return known


# --- tasks ---


@dataclass(frozen=True, slots=True)
class _Decisions:
    """Positions of a suite in which one new agent decides, as in a game, so that its start-up counts once."""

    player: _Player
    board: str
    seed: int
    moves: tuple[str, ...]
    first: int  # number of the first position

    def __len__(self) -> int:
        return len(self.moves)


@dataclass(frozen=True, slots=True)
class _Pair:
    """An opening to play twice, with swapped sides."""

    player: _Player
    plan: MatchPlan
    number: int
    opening: Position

    def __len__(self) -> int:
        return 2


_Choice = tuple[int, float, int | None]  # an action, or FAULT; seconds; nodes
_Work = _Decisions | _Pair


def _do(task: _Work) -> list[_Choice] | list[GameRecord]:
    """The choices or the games of a task, in a worker process."""
    return _decide(task) if isinstance(task, _Decisions) else _play(task)


def _decide(task: _Decisions) -> list[_Choice]:
    spec = GameSpec.parse(task.board)
    make_ready(task.player.string, spec)
    agent = task.player.make(np.random.SeedSequence(task.seed, spawn_key=(task.first,)))
    choices: list[_Choice] = []
    for moves in task.moves:
        position = Position.parse(moves, spec)
        clock = time.perf_counter()
        try:
            decision = agent.decide(position)
            seconds = time.perf_counter() - clock
            choices.append((position.play(decision.action).actions[-1], seconds, decision.nodes))
        except Exception:  # an agent's fault is graded as a bad move
            choices.append((FAULT, time.perf_counter() - clock, None))
    return choices


def _play(task: _Pair) -> list[GameRecord]:
    plan = task.plan
    for name in (plan.a, plan.b):
        make_ready(name, plan.spec)
    records = []
    for game in (0, 1):
        seeds = [np.random.SeedSequence(plan.seed, spawn_key=(task.number, game, side)) for side in (0, 1)]
        agent, opponent = task.player.make(seeds[game]), make_agent(plan.b, seed=seeds[1 - game])
        players = (opponent, agent) if game else (agent, opponent)
        records.append(play_game(*players, opening=task.opening, seed=plan.seed))
    return records


# --- the test ---


def depth_test(
    agent: AgentLike,
    depths: Iterable[int] = range(1, 9),
    spec: Board = CONNECT_FOUR,
    *,
    opponent: AgentLike = USUAL_OPPONENT,
    games: int = USUAL_GAMES,
    positions: int = USUAL_POSITIONS,
    seed: int = 0,
    workers: Workers = 1,
    progress: bool | Progress = True,
) -> DepthTest:
    """Tests an agent at several search depths: nodes and time per move, accuracy against perfect play on a fixed sample
    of the board's suite, and the score of `games` (an even number, or 0) against an opponent.

    With `positions=0`, boards without exact scores can be tested, too. Times are wall times of a process; they increase
    with more workers than cores. Raises InarowError, and Interrupted with the test of the finished depths on Ctrl-C.
    """
    check_seed(seed)
    check_workers(workers)
    if positions < 0 or (not positions and not games):
        raise InvalidLimitError(f"positions is {positions}; a test needs positions, games or both")
    board = GameSpec.parse(spec)
    known = check_depths(depths)
    with agent_strings(agent, opponent) as (name, other):
        check_reachable((name, other), workers)
        for each in (name, other):
            check_board(make_agent(each), board)
        suite = find_suite(None, board).sample(positions) if positions else None
        work = [_tasks(player, other, board, suite, games, seed) for player in _players(name, known)]
        about = {"agent": make_agent(name).name, "board": str(board), "opponent": make_agent(other).name, "seed": seed}
        return _run(work, suite, about, workers, progress)


def _tasks(
    player: _Player, opponent: str, spec: GameSpec, suite: Suite | None, games: int, seed: int
) -> tuple[_Player, list[_Work]]:
    moves = [] if suite is None else [position.moves for position in suite.positions]
    tasks: list[_Work] = [
        _Decisions(player, str(spec), seed, tuple(moves[first : first + _CHUNK]), first)
        for first in range(0, len(moves), _CHUNK)
    ]
    if games:
        plan = plan_match(player.string, opponent, spec, MatchSettings(games=games, seed=seed))
        openings = find_openings(spec, games // 2, plan.openings, seed=seed, plies=plan.opening_plies)
        tasks += [_Pair(player, plan, number, opening) for number, opening in enumerate(openings)]
    return player, tasks


def _run(
    work: Sequence[tuple[_Player, list[_Work]]],
    suite: Suite | None,
    about: dict[str, Any],
    workers: Workers,
    progress: bool | Progress,
) -> DepthTest:
    from inarow.terminal import progress_bar

    tasks = [task for _, tasks in work for task in tasks]
    total, done = sum(map(len, tasks)), 0
    points: list[DepthPoint] = []

    def test() -> DepthTest:
        return DepthTest(**about, suite=None if suite is None else suite.name, points=tuple(points))

    with (
        progress_bar(f"depths of {about['agent']}", is_shown=progress) as advance,
        open_pool(workers, tasks=len(tasks)) as pool,
    ):
        try:
            results = pool.map(_do, tasks)
            for player, its_tasks in work:
                choices: list[_Choice] = []
                records: list[GameRecord] = []
                for task in its_tasks:
                    found = next(results)
                    choices += [each for each in found if not isinstance(each, GameRecord)]
                    records += [each for each in found if isinstance(each, GameRecord)]
                    done += len(task)
                    advance(done, total)
                points.append(_point(player, suite, choices, records))
        except KeyboardInterrupt:
            message = f"stopped after {len(points)} of {len(work)} depths"
            raise Interrupted(message, test() if points else None) from None
    return test()


def _point(
    player: _Player, suite: Suite | None, choices: Sequence[_Choice], records: Sequence[GameRecord]
) -> DepthPoint:
    match = summarise(records) if records else None
    if suite is None:
        assert match is not None
        accuracy, costs = Accuracy(positions=0), {name: getattr(match.cost["a"], name) for name in _COSTS}
    else:
        actions = np.array([action for action, _, _ in choices], np.int64)
        accuracy = Accuracy(**Choices.of(suite, actions).figures())
        seconds = [time for _, time, _ in choices]
        nodes = [count for _, _, count in choices if count is not None]
        figures = (fmean(seconds), median(seconds), fmean(nodes) if nodes else None, median(nodes) if nodes else None)
        costs = dict(zip(_COSTS, figures, strict=True))
    faults = sum(action == FAULT for action, _, _ in choices)
    return DepthPoint(depth=player.depth, agent=player.name, **costs, accuracy=accuracy, match=match, faults=faults)
