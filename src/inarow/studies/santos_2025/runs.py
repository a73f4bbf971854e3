"""The experiments of santos-2025: trainings of one side with one policy, tested and graded; and the cost of draws.

Figures, rates in percent: `iterations`, `oracle calls` (per decision), `states`, `training wins`, `training plies`;
`wins`, `losses`, `draws` and `plies` of the test games; accuracies in positions of the learner's side; corrected also
`wins` etc. of test games on the `other side`, on which the net was not trained.
Curves by batch: `wins`, `reward`, `states`, `plies`, `iterations`. Curves of draws over the flagged mass: `COSTS`.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from inarow.agents.registry import make_agent
from inarow.arena.grading import grade
from inarow.games import CONNECT_FOUR
from inarow.learning.deep_q.config import DeepQConfig, Side
from inarow.learning.deep_q.trainer import CurvePoint, TestResult, Trainer
from inarow.learning.exploration.config import Amplification, Policy, Rule, Temperature
from inarow.learning.exploration.theory import TABLE_MASSES, draw_cost, measured_cost
from inarow.studies.comparison import PERCENT
from inarow.studies.experiment import Measured, Scale, Trial, TrialRecord, Variant
from inarow.studies.play import accuracy_figures
from inarow.studies.santos_2025 import published
from inarow.studies.santos_2025.harder import HARDER, HARDER_RUNS, trained_agent
from inarow.studies.study import Repeated

EPISODES: dict[Side, int] = {"first": 1800, "second": 3600}
DELTAS: dict[Side, float] = {"first": 97.0, "second": 194.0}
COSTS = {"rounds": "quantum draws", "oracle_calls": "oracle calls", "classical_rounds": "classical draws"}
"""Fields of `theory.DrawCost`, which are also curves of `DrawCosts`, with their descriptions."""
AMPLIFICATIONS: dict[Variant, Amplification] = {"as-published": "ceil-inclusive", "corrected": "optimal"}
_RATES = ("wins", "losses", "draws")
_BATCH = 300
_TABLES, _CHECKS, _CORRECTED, _BEYOND, _HARDER = range(5)  # stages: experiments for the published tables come first


@dataclass(frozen=True, slots=True)
class Training:
    """One training of one side with one policy against one opponent, its test games and its grade."""

    side: Side
    rule: Rule
    opponent: str = "negamax"
    presamples: int = 0  # plain draws before the amplified ones, as in textbooks
    lockstep: int | None = None
    """Number of games in lockstep, in trainings that test whether it matters. These are not graded."""

    @property
    def name(self) -> str:
        name = f"{self.side}, {self.rule}"
        if self.opponent != "negamax":
            name += f" against {self.opponent}"
        if self.presamples:
            name += " after plain draws"
        if self.lockstep is not None:
            name += " one by one" if self.lockstep == 1 else " in lockstep"
        return name

    def config(self, trial: Trial, seed: int) -> DeepQConfig:
        """The config of a trial. The temperature falls as fast as published, relative to the episodes. Corrected
        quantum draws amplify by the best single m; after plain draws they use the textbook range of m.
        """
        episodes, amplification = trial.size["episodes"], AMPLIFICATIONS[trial.variant]
        if self.rule != "quantum":
            amplification = "ceil-inclusive"
        elif self.presamples and not trial.is_published:
            amplification = "ceil-exclusive"
        return DeepQConfig(
            learner="deep-q",
            board=str(CONNECT_FOUR),
            episodes=episodes,
            side=self.side,
            opponent=self.opponent,
            lockstep=self.lockstep or _BATCH,
            seed=seed,
            policy=Policy(
                rule=self.rule,
                column_oracle=trial.is_published and self.rule == "quantum",
                amplification=amplification,
                presamples=self.presamples,
                temperature=Temperature(delta=DELTAS[self.side] * episodes / EPISODES[self.side]),
            ),
            terminal="blend" if trial.is_published else "reward",
        )

    def run(self, trial: Trial) -> Measured:
        trainer = Trainer(self.config(trial, trial.random_seed()), lambda text, seed: make_agent(text, seed=seed))
        clock = time.perf_counter()
        while not trainer.is_finished:
            trainer.run_batch()
        trained = time.perf_counter()
        games = trial.size["test games"]
        rates = _rates(trainer.test(games))
        figures = _training_figures(trainer.curve) | rates
        if not trial.is_published:
            other = _rates(trainer.test(games, "second" if self.side == "first" else "first"))
            figures |= {f"{name}, other side": other[name] for name in _RATES}
        tested = time.perf_counter()
        timings = {"training": trained - clock, "test": tested - trained}
        if self.lockstep is not None:
            return Measured(figures, _curves(trainer.curve), timings)
        graded = grade(trained_agent(trainer), CONNECT_FOUR).by_side[self.side]
        figures |= accuracy_figures(graded)
        timings["grade"] = time.perf_counter() - tested
        content = trainer.net_content(study=trial.study, row=self.name, variant=trial.variant, test=rates)
        return Measured(figures, _curves(trainer.curve), timings, {net_file_name(trial.record): content})


@dataclass(frozen=True, slots=True)
class DrawCosts:
    """The measured cost of draws by flagged mass."""

    name: str = "draws"

    def run(self, trial: Trial) -> Measured:
        rng, decisions = np.random.default_rng(trial.random_streams(1)[0]), trial.size["decisions"]
        costs = [measured_cost(mass, decisions, rng, AMPLIFICATIONS[trial.variant]) for mass in TABLE_MASSES]
        points = list(zip(TABLE_MASSES, costs, strict=True))
        return Measured(curves={cost: [(mass, getattr(found, cost)) for mass, found in points] for cost in COSTS})


def expected_draws(variant: Variant, cost: str) -> list[tuple[float, float]]:
    """A curve of `DrawCosts`, computed by theory."""
    return [(mass, float(getattr(draw_cost(mass, AMPLIFICATIONS[variant]), cost))) for mass in TABLE_MASSES]


QUANTUM = Training("first", "quantum")
LEARNERS = (  # the rows of Tables I and II, and one training that the authors did not run
    *(Training("first", rule) for rule in ("epsilon-greedy", "classical", "quantum")),
    *(Training("second", rule) for rule in ("classical", "quantum", "epsilon-greedy")),
)
STRONGER = tuple(
    Training("first", rule, opponent)
    for opponent in ("negamax:depth=4", "negamax:depth=6", "mcts:simulations=200")
    for rule in ("classical", "quantum")
)  # against opponents with deeper search, as the authors suggest
PRESAMPLED = replace(QUANTUM, presamples=5)
LOCKSTEPS = (replace(QUANTUM, lockstep=_BATCH), replace(QUANTUM, lockstep=1))


def experiments(scale: Scale) -> Iterator[Repeated]:
    return _quick() if scale == "quick" else _paper()


def _paper() -> Iterator[Repeated]:
    numbers = published()
    for training in LEARNERS:
        size = {"episodes": EPISODES[training.side], "test games": numbers.games}
        runs, stage = (numbers.runs, _TABLES) if training.name in numbers.rows else (10, _CHECKS)
        yield Repeated(training, runs, size, variants=("as-published",), stage=stage)
        yield Repeated(training, 5, size, variants=("corrected",), stage=_CORRECTED)
    for training in LOCKSTEPS:
        size = {"episodes": 600, "test games": 1000}
        yield Repeated(training, 20, size, variants=("as-published",), stage=_CHECKS)
    yield Repeated(DrawCosts(), 5, {"decisions": 100_000}, stage=_CHECKS)
    for training in (PRESAMPLED, *STRONGER):
        size = {"episodes": EPISODES["first"], "test games": numbers.games}
        yield Repeated(training, 3, size, variants=("corrected",), stage=_BEYOND)
    for harder in HARDER:
        size = {"episodes": 6000, "test games": 200, "curve games": 50}
        yield Repeated(harder, HARDER_RUNS, size, variants=("corrected",), stage=_HARDER)


def _quick() -> Iterator[Repeated]:
    size, tiny = {"episodes": 300, "test games": 200}, {"episodes": 60, "test games": 50}
    for training in LEARNERS:
        yield Repeated(training, 1, size, variants=("as-published",))
    yield Repeated(QUANTUM, 1, size, variants=("corrected",))
    for training in LOCKSTEPS:
        yield Repeated(training, 2, tiny, variants=("as-published",))
    yield Repeated(DrawCosts(), 2, {"decisions": 10_000})
    for opponent in ("negamax:depth=4", "mcts:simulations=200"):
        yield Repeated(replace(QUANTUM, opponent=opponent), 1, tiny, variants=("corrected",))
    yield Repeated(HARDER[-1], 1, {"episodes": 1000, "test games": 20, "curve games": 5}, variants=("corrected",))


def net_file_name(trial: TrialRecord) -> str:
    """The file name of the net of a trial."""
    return f"nets/{re.sub('[^a-z0-9-]+', '-', trial.name)}-{trial.variant}-{trial.seed}.onnx"


def _rates(test: TestResult) -> dict[str, float]:
    return {name: PERCENT * getattr(test, name) / test.games for name in _RATES} | {"plies": test.plies}


def _training_figures(curve: list[CurvePoint]) -> dict[str, float]:
    last, episodes = curve[-1], curve[-1].episode
    figures = {
        "states": float(last.states),
        "training wins": PERCENT * sum(point.wins * point.episodes for point in curve) / episodes,
        "training plies": sum(point.plies * point.episodes for point in curve) / episodes,
    }
    if last.iterations is not None:
        figures |= {"iterations": last.iterations, "oracle calls": last.oracle_calls / last.decisions}
    return figures


def _curves(curve: list[CurvePoint]) -> dict[str, list[tuple[float, float]]]:
    points: dict[str, list[tuple[float, float]]] = {"wins": [(each.episode, PERCENT * each.wins) for each in curve]}
    for name in ("reward", "states", "plies", "iterations"):
        found = [(each.episode, getattr(each, name)) for each in curve]
        points[name] = [(episode, float(value)) for episode, value in found if value is not None]
    return {name: each for name, each in points.items() if each}
