"""The experiments of santos-2025: trainings of one side with one policy, tested and graded.

Figures, rates in percent: `iterations`, `oracle calls` (per decision), `states`, `training wins`, `training plies`;
`wins`, `losses`, `draws` and `plies` of the test games; accuracies in positions of the learner's side; corrected also
`wins` and so on of test games from the `other side`, on which nothing was trained.
Curves by batch: `wins`, `reward`, `states`, `plies`, `iterations`.
"""

from __future__ import annotations

import re
import time

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.dqn import DqnAgent
from inarow.agents.registry import make_agent
from inarow.arena.grading import grade
from inarow.games.spec import CONNECT_FOUR
from inarow.learning.deep_q.config import Side
from inarow.learning.deep_q.curve import CurvePoint, TestResult
from inarow.learning.deep_q.trainer import Trainer
from inarow.learning.deep_q.values import NetValues
from inarow.studies.experiment import Experiment, Measured
from inarow.studies.santos_2025 import draws
from inarow.studies.santos_2025.trainings import LOCKSTEPS, training_config

ACCURACIES = ("outcome_accuracy", "critical_accuracy", "optimal_accuracy")
RATES = ("wins", "losses", "draws")
_OTHER: dict[Side, Side] = {"first": "second", "second": "first"}
_PERCENT = 100.0


def run(experiment: Experiment) -> Measured:
    """One training, its test games and its grade; or the cost of draws."""
    return draws.run_draws(experiment) if experiment.name == draws.NAME else _run_training(experiment)


def _run_training(experiment: Experiment) -> Measured:
    (stream,) = experiment.random_streams(1)
    trainer = Trainer(training_config(experiment, int(stream.generate_state(1)[0])), _make_opponent)
    clock = time.perf_counter()
    while not trainer.is_finished:
        trainer.run_batch()
    trained = time.perf_counter()
    games = experiment.size["test games"]
    rates = _rates(trainer.test(games))
    figures = _training_figures(trainer.curve) | rates
    if experiment.variant == "corrected":
        other = _rates(trainer.test(games, _OTHER[trainer.config.side]))
        figures |= {f"{name}, other side": other[name] for name in RATES}
    tested = time.perf_counter()
    timings = {"training": trained - clock, "test": tested - trained}
    if experiment.name in LOCKSTEPS:
        return Measured(figures, _curves(trainer.curve), timings)
    figures |= _accuracies(trainer)
    timings["grade"] = time.perf_counter() - tested
    content = trainer.net_content(study=experiment.study, row=experiment.name, variant=experiment.variant, test=rates)
    return Measured(figures, _curves(trainer.curve), timings, {net_file_name(experiment): content})


def _make_opponent(text: str, seed: np.random.SeedSequence) -> Agent:
    return make_agent(text, seed=seed)


def _rates(test: TestResult) -> dict[str, float]:
    return {name: _PERCENT * getattr(test, name) / test.games for name in RATES} | {"plies": test.plies}


def net_file_name(experiment: Experiment) -> str:
    """Of the net that an experiment trains."""
    name = re.sub("[^a-z0-9-]+", "-", experiment.name)
    return f"nets/{name}-{experiment.variant}-{experiment.seed}.onnx"


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
