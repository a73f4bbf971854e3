"""The experiments of santos-2025: trainings of one side with one policy, tested and graded.

Figures, rates in percent: `iterations`, `oracle calls` (per decision), `states`, `training wins`, `training plies`;
`wins`, `losses`, `draws` and `plies` of the test games; accuracies in positions of the learner's side.
Curves by batch: `wins`, `reward`, `states`, `plies`, `iterations`.
"""

from __future__ import annotations

import time
from typing import Literal

from inarow.agents.dqn import DqnAgent
from inarow.arena.grading import grade
from inarow.games.spec import CONNECT_FOUR
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.deep_q.curve import CurvePoint
from inarow.learning.deep_q.trainer import Trainer
from inarow.learning.deep_q.values import NetValues
from inarow.learning.exploration.config import Policy, Rule
from inarow.learning.exploration.schedules import Temperature
from inarow.studies.experiment import Experiment, Measured

Side = Literal["first", "second"]

LEARNERS: dict[str, tuple[Side, Rule]] = {
    "first, epsilon-greedy": ("first", "epsilon-greedy"),
    "first, classical": ("first", "classical"),
    "first, quantum": ("first", "quantum"),
    "second, classical": ("second", "classical"),
    "second, quantum": ("second", "quantum"),
    "second, epsilon-greedy": ("second", "epsilon-greedy"),
}
"""The rows of Tables I and II, and what the authors did not run."""
ACCURACIES = ("outcome_accuracy", "critical_accuracy", "optimal_accuracy")
EPISODES: dict[Side, int] = {"first": 1800, "second": 3600}
_DELTAS = {"first": 97.0, "second": 194.0}
_PERCENT = 100.0


def run(experiment: Experiment) -> Measured:
    """One training, its test games and its grade. The net is kept."""
    (stream,) = experiment.random_streams(1)
    config = training_config(experiment, int(stream.generate_state(1)[0]))
    trainer = Trainer(config)
    clock = time.perf_counter()
    while not trainer.is_finished:
        trainer.run_batch()
    trained = time.perf_counter()
    test = trainer.test(experiment.size["test games"])
    tested = time.perf_counter()
    rates = {name: _PERCENT * getattr(test, name) / test.games for name in ("wins", "losses", "draws")}
    figures = _training_figures(trainer.curve) | rates | {"plies": test.plies} | _accuracies(trainer)
    content = trainer.net_content(study=experiment.study, row=experiment.name, variant=experiment.variant, test=rates)
    return Measured(
        figures,
        _curves(trainer.curve),
        {"training": trained - clock, "test": tested - trained, "grade": time.perf_counter() - tested},
        {net_file_name(experiment): content},
    )


def training_config(experiment: Experiment, seed: int) -> DeepQConfig:
    """What an experiment trains. The temperature falls as fast as published, relative to the episodes."""
    side, rule = LEARNERS[experiment.name]
    is_published = experiment.variant == "as-published"
    episodes = experiment.size["episodes"]
    temperature = Temperature(delta=_DELTAS[side] * episodes / EPISODES[side])
    return DeepQConfig(
        learner="deep-q",
        board=str(CONNECT_FOUR),
        episodes=episodes,
        side=side,
        seed=seed,
        policy=Policy(rule=rule, column_oracle=is_published and rule == "quantum", temperature=temperature),
        terminal="blend" if is_published else "reward",
    )


def net_file_name(experiment: Experiment) -> str:
    """Of the net that an experiment trains."""
    return f"nets/{experiment.name.replace(', ', '-')}-{experiment.variant}-{experiment.seed}.onnx"


def _training_figures(curve: list[CurvePoint]) -> dict[str, float]:
    last, episodes = curve[-1], curve[-1].episode
    figures = {
        "states": float(last.states),
        "training wins": _PERCENT * sum(point.wins * point.episodes for point in curve) / episodes,
        "training plies": sum(point.plies * point.episodes for point in curve) / episodes,
    }
    if last.iterations is not None:
        figures |= {"iterations": last.iterations, "oracle calls": last.oracle_calls / last.decisions}
    return figures


def _accuracies(trainer: Trainer) -> dict[str, float]:
    graded = grade(DqnAgent("dqn", NetValues(trainer.net())), CONNECT_FOUR).by_side[trainer.config.side]
    return {name: _PERCENT * getattr(graded, name) for name in ACCURACIES}


def _curves(curve: list[CurvePoint]) -> dict[str, list[tuple[float, float]]]:
    points: dict[str, list[tuple[float, float]]] = {
        "wins": [(point.episode, _PERCENT * point.wins) for point in curve],
        "reward": [(point.episode, point.reward) for point in curve],
        "states": [(point.episode, float(point.states)) for point in curve],
        "plies": [(point.episode, point.plies) for point in curve],
        "iterations": [(point.episode, point.iterations) for point in curve if point.iterations is not None],
    }
    return {name: each for name, each in points.items() if each}
