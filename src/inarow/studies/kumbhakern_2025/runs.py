"""The experiments of kumbhakern-2025.

Figures, rates in percent: `PHASE.first`, `.last`, `.max` of the curve of mean rewards; `after PHASE.wins`,
`.losses`, `.draws` of test games on 4x4 against random moves; `perfect.losses` and the like of games against
perfect play; `4x4.NAME` and `6x7.NAME` accuracy against perfect play; and those of `full_board.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.agents.window import WindowAgent
from inarow.arena.exhaustive import exhaustive_suite
from inarow.arena.game import play_game
from inarow.arena.grading import grade
from inarow.games.spec import CONNECT_FOUR
from inarow.learning.tabular.lookup import TableValues
from inarow.learning.tabular.q_table import QTable
from inarow.learning.tabular.trainer import Trainer
from inarow.studies.experiment import Experiment, Measured
from inarow.studies.kumbhakern_2025.corrected import corrected_config
from inarow.studies.kumbhakern_2025.episode import FROZEN_FOR_ITSELF, FROZEN_FOR_LEARNER, RANDOM
from inarow.studies.kumbhakern_2025.exactness import table_accuracy
from inarow.studies.kumbhakern_2025.full_board import OPPONENTS, play_opponents
from inarow.studies.kumbhakern_2025.players import LeftmostAgent, PublishedWindowAgent, published_values
from inarow.studies.kumbhakern_2025.training import GENERATIONS, WINDOW, PublishedTrainer, phases

WITHOUT_STARTS, WITH_STARTS = "without random starts", "with random starts"
READINGS = {"frozen, serves the learner": FROZEN_FOR_LEARNER, "frozen, serves itself": FROZEN_FOR_ITSELF}
"""What else the opponent of the last phase may have been: experiments by name."""
SHIPPED = "table of inarow"
"""An experiment with a table that plays 4x4 almost perfectly: what windows can do at best."""
BASELINES = "baselines"
BASELINE_AGENTS = ("random", "winblock")
PHASES = tuple(phase.name for phase in phases(RANDOM, GENERATIONS))
ACCURACIES = ("outcome_accuracy", "critical_accuracy", "optimal_accuracy")
CURVE = "mean reward"
_SHARE_OF_STARTS = 0.5
_PERCENT = 100.0

Stages = Iterator[tuple[str, list[float]]]
"""The phases by name with their curves, each when it is over."""


def run(experiment: Experiment) -> Measured:
    """One run, by the name of the experiment."""
    if experiment.name == BASELINES:
        return _grade_baselines(experiment)
    if experiment.name == SHIPPED:
        return _play_shipped(experiment)
    if experiment.name in READINGS:
        return _train_by_reading(experiment)
    return _train_and_play(experiment)


@dataclass(frozen=True, slots=True)
class _Learner:
    """A training that runs as its stages are asked for, and the agents that play from its table."""

    stages: Stages
    table: QTable
    on_window: Agent
    on_board: Agent


def _learner(experiment: Experiment, stream: np.random.SeedSequence) -> _Learner:
    episodes = experiment.size["episodes"]
    random_starts = _SHARE_OF_STARTS if experiment.name == WITH_STARTS else 0.0
    if experiment.variant == "as-published":
        published = PublishedTrainer(np.random.default_rng(stream), random_starts=random_starts)
        table = published.table
        return _Learner(
            _published_stages(published, episodes, RANDOM, GENERATIONS),
            table,
            LeftmostAgent("table", partial(published_values, table)),
            PublishedWindowAgent("window", lambda: table),
        )
    config = corrected_config(episodes, random_starts, int(stream.generate_state(1)[0]))
    trainer = Trainer(config)
    values = TableValues(trainer.table, config)
    return _Learner(
        _corrected_stages(trainer, episodes),
        trainer.table,
        LeftmostAgent("table", values.values),
        WindowAgent("window", values),
    )


def _train_and_play(experiment: Experiment) -> Measured:
    """All phases with their test games, then what the table is worth on its own board and behind windows."""
    size = experiment.size
    training, testing, perfect, *opponents = experiment.random_streams(3 + len(OPPONENTS))
    learner = _learner(experiment, training)
    figures: dict[str, float] = {}
    curve: list[float] = []
    for (name, means), stream in zip(learner.stages, testing.spawn(len(PHASES)), strict=True):
        curve += _logged(means)
        figures |= _ends(name, means)
        figures |= _play_on_window(f"after {name}", learner.on_window, "random", size["test games"], stream)
    figures |= _play_on_window("perfect", learner.on_window, "solver:tie=random", size["perfect games"], perfect)
    is_published = experiment.variant == "as-published"
    exact = table_accuracy(learner.table, exhaustive_suite(WINDOW), is_published=is_published)
    figures |= _accuracies("4x4", exact)
    figures |= _accuracies("6x7", asdict(grade(learner.on_board, CONNECT_FOUR)))
    figures |= play_opponents(learner.on_board, size["games"], opponents)
    return Measured(figures, {CURVE: [(float(number), mean) for number, mean in enumerate(curve, start=1)]})


def _train_by_reading(experiment: Experiment) -> Measured:
    """The first generation of the last phase against another opponent."""
    (training,) = experiment.random_streams(1)
    trainer = PublishedTrainer(np.random.default_rng(training))
    figures: dict[str, float] = {}
    for name, means in _published_stages(trainer, experiment.size["episodes"], READINGS[experiment.name], 1):
        figures |= _ends(name, means)
    return Measured(figures)


def _play_shipped(experiment: Experiment) -> Measured:
    """The agent `window` with the table that comes with the package."""
    agent = make_agent("window")
    figures = play_opponents(agent, experiment.size["games"], experiment.random_streams(len(OPPONENTS)))
    return Measured(figures | _accuracies("6x7", asdict(grade(agent, CONNECT_FOUR))))


def _grade_baselines(experiment: Experiment) -> Measured:
    """Agents that know no table, on both boards."""
    figures: dict[str, float] = {}
    for agent in BASELINE_AGENTS:
        for board, spec in (("4x4", WINDOW), ("6x7", CONNECT_FOUR)):
            suite = exhaustive_suite(spec) if spec == WINDOW else None
            player = make_agent(agent, seed=experiment.random_streams(1)[0])
            figures |= _accuracies(f"{agent} on {board}", asdict(grade(player, spec, suite=suite)))
    return Measured(figures)


# --- Training ---


def _published_stages(trainer: PublishedTrainer, episodes: int, opponent: int, generations: int) -> Stages:
    for phase in phases(opponent, generations):
        yield phase.name, trainer.run(phase, episodes)


def _corrected_stages(trainer: Trainer, episodes: int) -> Stages:
    for name in PHASES:
        points = len(trainer.curve)
        trainer.run(episodes)
        yield name, [point.reward for point in trainer.curve[points:]]


def _logged(means: list[float]) -> list[float]:
    """The points that the published program wrote: the last of a phase is not among them."""
    return means[:-1] or means


def _ends(phase: str, means: list[float]) -> dict[str, float]:
    points = _logged(means)
    return {f"{phase}.first": points[0], f"{phase}.last": points[-1], f"{phase}.max": max(points)}


# --- Measuring ---


def _play_on_window(
    name: str, agent: Agent, opponent: str, games: int, stream: np.random.SeedSequence
) -> dict[str, float]:
    """Wins, losses and draws from the empty board, on both sides in turn."""
    other = make_agent(opponent, seed=stream)
    results = []
    for game in range(games):
        players = (agent, other) if game % 2 == 0 else (other, agent)
        winner = play_game(*players, WINDOW).winner
        results.append("draws" if winner is None else "wins" if winner == 1 + game % 2 else "losses")
    return {f"{name}.{each}": _PERCENT * results.count(each) / games for each in ("wins", "losses", "draws")}


def _accuracies(name: str, graded: Mapping[str, float]) -> dict[str, float]:
    return {f"{name}.{each}": _PERCENT * graded[each] for each in ACCURACIES}
