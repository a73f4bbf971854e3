"""Where quantum exploration would save queries: in theory, in trainings, and on devices with noise.

Trainings are traced: each decision gives its number of legal actions, its flagged mass and the queries of remembered
draws (`advantage.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from inarow.agents.registry import make_agent
from inarow.errors import InvalidLimitError, InvalidSpecError
from inarow.games import GameSpec
from inarow.learning.deep_q.config import DeepQConfig, Network
from inarow.learning.deep_q.trainer import Trainer as DeepQTrainer
from inarow.learning.exploration.advantage import (
    ACTIONS,
    GOAL,
    QUANTUM,
    Decision,
    TrainingQueries,
    Way,
    decision_with,
    least_actions,
    training_queries,
)
from inarow.learning.exploration.config import Amplification, FlagRule, Policy, Temperature
from inarow.learning.exploration.explorer import Explorer
from inarow.learning.learner import Opponent
from inarow.learning.tabular.config import Phase, QConfig
from inarow.learning.tabular.trainer import Trainer as TabularTrainer
from inarow.report.pictures import picture
from inarow.workers import Progress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from inarow.learning.exploration.devices import DeviceCost

Learner = Literal["deep-q", "tabular"]
FLAG_RULES: tuple[FlagRule, ...] = ("value", "reward")
_MOST_DECISIONS = 10**6  # that are kept of a training
_PUBLISHED_GAMES, _PUBLISHED_DELTA = 1800, 97.0
_SMALL = Network(filters=(16, 16), dense=(32,))
_MOST_BATCHES = 6
_COLOURS = ("#1b6ca8", "#d1495b", "#3b8132", "#8a5a9e")


@dataclass(frozen=True, slots=True)
class Plan:
    """A training to trace. The temperature falls as fast as in santos-2025, relative to the games."""

    board: str
    learner: Learner = "deep-q"
    games: int = 60
    opponent: str = "winblock"
    is_published: bool = False  # the net of santos-2025, else a small one

    def trace(self, flags: FlagRule, seed: int, games: int | None = None) -> np.ndarray:
        """The decisions of a training, see `Explorer.record`. `games` replaces the number of games."""
        games = games or self.games
        temperature = Temperature(delta=_PUBLISHED_DELTA * games / _PUBLISHED_GAMES)
        policy = Policy(rule="quantum", flags=flags, temperature=temperature)
        if self.learner == "tabular":
            phases = (Phase(episodes=games, opponent=self.opponent, side="first"),)
            config = QConfig(board=self.board, phases=phases, policy=policy, seed=seed, report=games, memory=256)
            tabular = TabularTrainer(config, make_opponent)
            trace = _recorded(tabular.explorer)
            tabular.run(games)
            return trace[trace[:, 0] > 0]
        network = Network() if self.is_published else _SMALL
        batch = -(-games // _MOST_BATCHES)
        deep = DeepQTrainer(
            DeepQConfig(
                learner="deep-q",
                board=self.board,
                episodes=games,
                opponent=self.opponent,
                policy=policy,
                network=network,
                batch=batch,
                lockstep=batch,
                seed=seed,
            ),
            make_opponent,
        )
        trace = _recorded(deep.explorer)
        while not deep.is_finished:
            deep.run_batch()
        return trace[trace[:, 0] > 0]


def make_opponent(text: str, seed: np.random.SeedSequence) -> Opponent:
    """An opponent of a training."""
    return make_agent(text, seed=seed)


def _recorded(explorer: object) -> np.ndarray:
    assert isinstance(explorer, Explorer)
    return explorer.record(_MOST_DECISIONS)


PLANS = (
    Plan("6x7x4", games=1800, opponent="negamax", is_published=True),
    Plan("tictactoe", "tabular", games=20_000),
    Plan("4x4x4/free", "tabular", games=20_000),
    Plan("4x4x4/free", games=300),
    Plan("5x5x4/free", games=300),
    Plan("6x6x4/free", games=150),
    Plan("8x8x5/free", games=150),
    Plan("10x10x5/free"),
    Plan("12x12x5/free"),
    Plan("15x15x5/free"),
    Plan("15x15x5/free", "tabular", games=1000),
)


def plans_on(boards: str | None) -> tuple[Plan, ...]:
    """The plans on boards separated by commas, all if None. Raises InvalidSpecError for a board without a plan."""
    if boards is None:
        return PLANS
    wanted = {GameSpec.parse(word.strip()) for word in boards.split(",")}
    known = {GameSpec.parse(plan.board) for plan in PLANS}
    if absent := wanted - known:
        planned = ", ".join(dict.fromkeys(plan.board for plan in PLANS))
        raise InvalidSpecError(f"no training is planned on {absent.pop()}; boards: {planned}")
    return tuple(plan for plan in PLANS if GameSpec.parse(plan.board) in wanted)


@dataclass(frozen=True, slots=True)
class TracedTraining:
    """The queries of the decisions of one training."""

    board: str
    actions: int
    learner: Learner
    opponent: str
    games: int
    flags: FlagRule
    queries: TrainingQueries
    saved: dict[str, float]  # by quantum way: see `TrainingQueries.saved`
    curve: tuple[tuple[float, float], ...]
    """(Flagged mass, share of the decisions with at most this mass)."""


@dataclass(frozen=True, slots=True)
class QuantumMap:
    """All results."""

    decisions: tuple[Decision, ...]  # with one flagged action of equally likely ones
    least_actions: dict[str, int | None]  # by quantum way: see `advantage.least_actions`
    trainings: tuple[TracedTraining, ...]
    least_trained: dict[str, int | None]
    """By quantum way: the smallest number of actions with which a training needs `GOAL` times fewer queries."""
    devices: tuple[DeviceCost, ...]


_CURVE_MASSES = np.concatenate([np.geomspace(1e-4, 0.1, 13), np.linspace(0.15, 1.0, 18)])


def map_queries(
    plans: Sequence[Plan] = PLANS,
    *,
    games: int | None = None,
    with_devices: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> QuantumMap:
    """Computes the map; `games` replaces that of every training. Raises InvalidLimitError, and MissingExtraError for
    trainings without torch or devices without Qiskit.
    """
    if games is not None and games < 1:
        raise InvalidLimitError(f"games is {games}; it must be at least 1")
    trained = []
    for number, (plan, flags) in enumerate(traced := [(plan, flags) for plan in plans for flags in FLAG_RULES]):
        if progress is not None:
            progress(number, len(traced))
        trained.append(trace_training(plan, flags, seed, games))
    costs = [cost_on_devices(*case, seed, progress) for case in DEVICE_CASES] if with_devices else []
    return join_map(trained, [cost for each in costs for cost in each])


def trace_training(plan: Plan, flags: FlagRule, seed: int, games: int | None = None) -> TracedTraining:
    """Trains and counts the queries of all decisions."""
    trace = plan.trace(flags, seed, games)
    queries, spec = training_queries(trace), GameSpec.parse(plan.board)
    below = np.searchsorted(np.sort(trace[:, 1]), _CURVE_MASSES, side="right") / len(trace)
    return TracedTraining(
        plan.board,
        spec.actions,
        plan.learner,
        plan.opponent,
        games or plan.games,
        flags,
        queries,
        {way: queries.saved(way) for way in QUANTUM},
        tuple(zip(_CURVE_MASSES.tolist(), below.tolist(), strict=True)),
    )


def join_map(trainings: Sequence[TracedTraining], devices: Sequence[DeviceCost]) -> QuantumMap:
    """The map with these trainings and devices."""

    def least(way: Way) -> int | None:
        return min((each.actions for each in trainings if each.saved[way] >= GOAL), default=None)

    return QuantumMap(
        tuple(decision_with(actions, 1 / actions) for actions in ACTIONS),
        {way: least_actions(way=way) for way in QUANTUM},
        tuple(trainings),
        {way: least(way) for way in QUANTUM},
        tuple(devices),
    )


FACTORS = (1.0, 0.1, 0.01)
_MOST_PUBLISHED = 16  # actions with which the published range of m is simulated: it takes many times longer
DEVICE_CASES = (
    *((7, mass) for mass in (0.01, 0.05, 0.1)),
    *((actions, 1 / actions) for actions in (7, 16, 25, 36, 64)),
)
"""(Number of actions, mass of the flagged one) on devices."""


def cost_on_devices(actions: int, mass: float, seed: int = 0, progress: Progress | None = None) -> list[DeviceCost]:
    """The cost of one case on all devices; raises MissingExtraError without Qiskit."""
    from inarow.learning.exploration.devices import COUPLINGS, device_costs  # needs an extra

    ranges: tuple[Amplification, ...] = ("ceil-inclusive", "optimal") if actions <= _MOST_PUBLISHED else ("optimal",)
    devices = [(coupling, factor) for coupling in COUPLINGS for factor in FACTORS]
    return device_costs(actions, mass, ranges, devices, seed=seed, progress=progress)


def write_map_picture(found: QuantumMap, path: Path) -> None:
    """The factor of queries saved by number of actions, and the flagged mass in trainings."""
    with picture(path, 12, 5) as figure:
        left, right = figure.subplots(1, 2)
        _draw_savings(left, found)
        _draw_masses(right, found)


def _draw_savings(axes: Axes, found: QuantumMap) -> None:
    actions = [each.actions for each in found.decisions]
    names: dict[Way, tuple[str, str]] = {"best": ("best m", "-"), "quantum": ("published m", "--")}
    for way, (name, line) in names.items():
        saved = [each.saved(way) for each in found.decisions]
        axes.plot(actions, saved, line, color="#222222", label=f"one action flagged, {name}")
    for colour, coupling in zip(_COLOURS, dict.fromkeys(each.coupling for each in found.devices), strict=False):
        for factor, marker in zip(FACTORS, ("o", "s", "^"), strict=True):
            row = [
                (each.actions, decision_with(each.actions, each.mass).remembered / each.queries)
                for each in found.devices
                if (each.coupling, each.factor, each.amplification) == (coupling, factor, "optimal")
                and each.mass == 1 / each.actions
            ]
            label = f"the same, {coupling}, errors x {factor:g}"
            axes.plot(*zip(*row, strict=True), ":", marker=marker, markersize=4, color=colour, label=label)
    for flags, marker in zip(FLAG_RULES, ("*", "P"), strict=True):
        points = [(each.actions, each.saved["best"]) for each in found.trainings if each.flags == flags]
        if points:
            label = f"trainings, flags by {flags}, best m"
            axes.plot(*zip(*points, strict=True), marker, markersize=8, color="#e69f00", zorder=3, label=label)
    axes.axhline(1, color="#222222", linewidth=0.8)
    axes.axhline(GOAL, color="#222222", linewidth=0.8, linestyle=":")
    axes.set(xscale="log", yscale="log", xlabel="actions", ylabel="queries of the best classical way / quantum queries")
    axes.set_xticks(ACTIONS[::2], [str(each) for each in ACTIONS[::2]], minor=False)
    axes.legend(fontsize=6)


def _draw_masses(axes: Axes, found: QuantumMap) -> None:
    for flags, line in zip(FLAG_RULES, ("-", "--"), strict=True):
        shown = [each for each in found.trainings if each.flags == flags]
        for number, each in enumerate(shown):
            label = f"{each.board} {each.learner}, flags by {flags}"
            shade = number / max(1, len(shown) - 1)
            axes.plot(
                *zip(*each.curve, strict=True), line, color=(0.1 + 0.8 * shade, 0.3, 0.8 - 0.7 * shade), label=label
            )
    axes.set(xscale="log", xlabel="flagged mass", ylabel="share of decisions with at most this mass", ylim=(0, 1.02))
    if found.trainings:
        axes.legend(fontsize=5)
