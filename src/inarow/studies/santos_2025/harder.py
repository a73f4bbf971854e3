"""Harder play: five policies with a learner that learns against deeper search. Our extension of santos-2025.

Each training plays both sides, in equal numbers. Its net is tested on each side against negamax of 2, 4 and 6 plies,
and graded. Figures, rates in percent: `score` (wins and half of the draws, mean over both sides and the fixed opponents
of the training); `score`, `wins` and `draws` by opponent and side, as "wins, first, negamax:depth=4"; `training wins`;
accuracies over the positions of both sides; `states`; with flags `iterations` and `oracle calls` per decision. Curves:
`training score` by block of episodes, and `test score` of the net at the end of the block.
"""

import time
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from inarow.agents.dqn import DqnAgent
from inarow.agents.registry import make_agent
from inarow.arena.grading import grade
from inarow.games import CONNECT_FOUR
from inarow.learning.deep_q.config import PAST, DeepQConfig, Network, OpponentShare, Pool, Replay, Rewards, Side
from inarow.learning.deep_q.play import NetValues
from inarow.learning.deep_q.trainer import CurvePoint, TestResult, Trainer
from inarow.learning.exploration.config import Policy, Temperature
from inarow.studies.comparison import PERCENT, Difference, difference, spread
from inarow.studies.experiment import Measured, Trial
from inarow.studies.play import accuracy_figures
from inarow.studies.results import Results

Exploration = Literal[
    "epsilon-greedy", "boltzmann", "classical flags", "quantum flags, best m", "quantum flags, uniform m"
]
Opposition = Literal["negamax:depth=4", "mix"]
POLICIES: dict[Exploration, Policy] = {
    "epsilon-greedy": Policy(rule="epsilon-greedy"),
    "boltzmann": Policy(rule="classical", rounds=1),  # the first draw is taken, flagged or not
    "classical flags": Policy(rule="classical"),
    "quantum flags, best m": Policy(rule="quantum", amplification="optimal"),
    "quantum flags, uniform m": Policy(rule="quantum", amplification="ceil-inclusive"),
}
OPPONENTS: dict[Opposition, tuple[str, ...]] = {
    "negamax:depth=4": ("negamax:depth=4",),
    "mix": ("negamax", "negamax:depth=4", PAST),
}
TESTED = {"negamax": 1, "negamax:depth=4": 1, "negamax:depth=6": 4}
"""The opponents of the tests, with the divisor of the number of games. The last one is slow, and met by no training."""
SIDES: tuple[Side, ...] = get_args(Side)
HARDER_RUNS = 20  # planned, of each training
BLOCKS = 10  # points of a curve
CONTRASTS: tuple[tuple[Exploration, Exploration], ...] = (
    ("classical flags", "epsilon-greedy"),
    ("classical flags", "boltzmann"),
    ("quantum flags, best m", "classical flags"),
    ("quantum flags, uniform m", "classical flags"),
)
"""The planned differences, each for the outcomes and for both kinds of opponents."""
OUTCOMES = ("score", "critical_accuracy")
_FLOOR, _SPAN, _DELTA = 0.02, 0.2, 97 / 1800  # of the temperature; delta for each episode, as published


@dataclass(frozen=True, slots=True)
class HarderTraining:
    """One training with one policy against one kind of opponents, its tests and its grade."""

    policy: Exploration
    opposition: Opposition

    @property
    def name(self) -> str:
        return f"harder: {self.policy} against {self.opposition}"

    def config(self, trial: Trial, seed: int) -> DeepQConfig:
        """The config of a trial; only the policy and the opponents differ between experiments of a size."""
        episodes, opponents = trial.size["episodes"], OPPONENTS[self.opposition]
        temperature = Temperature(delta=_DELTA * episodes, floor=_FLOOR, span=_SPAN)
        return DeepQConfig(
            learner="deep-q",
            board=str(CONNECT_FOUR),
            episodes=episodes,
            side="alternating",
            opponents=tuple(OpponentShare(agent=agent) for agent in opponents),
            pool=Pool(every=max(1, episodes // BLOCKS)),
            seed=seed,
            policy=Policy(
                rule=POLICIES[self.policy].rule,
                rounds=POLICIES[self.policy].rounds,
                amplification=POLICIES[self.policy].amplification,
                temperature=temperature,
            ),
            rewards=Rewards(draw=0.0),
            network=Network(filters=(32,), dense=(32,)),
            alpha=1.0,
            trace=0.7,
            terminal="reward",
            batch=100,
            lockstep=100,
            epochs=2,
            minibatch=64,
            replay=Replay(size=20_000, ratio=2.0),
            mirror=True,
            arithmetic="portable",
        )

    def run(self, trial: Trial) -> Measured:
        trainer = Trainer(self.config(trial, trial.random_seed()), lambda text, seed: make_agent(text, seed=seed))
        games, tests = trial.size["test games"], []
        seconds = {"training": 0.0, "test": 0.0}
        fixed = [agent for agent in OPPONENTS[self.opposition] if agent != PAST]
        for block in range(1, BLOCKS + 1):
            clock = time.perf_counter()
            while trainer.episodes < trainer.config.episodes * block // BLOCKS:
                trainer.run_batch()
            trained = time.perf_counter()
            scores = [_score(trainer.test(trial.size["curve games"], side, each)) for side in SIDES for each in fixed]
            tests.append((float(trainer.episodes), float(np.mean(scores))))
            seconds["training"] += trained - clock
            seconds["test"] += time.perf_counter() - trained
        clock = time.perf_counter()
        found = {
            (side, agent): trainer.test(games // divisor, side, agent)
            for agent, divisor in TESTED.items()
            for side in SIDES
        }
        figures = {"score": float(np.mean([_score(found[side, agent]) for agent in fixed for side in SIDES]))}
        for (side, agent), test in found.items():
            share = PERCENT / test.games
            rates = {"score": _score(test), "wins": share * test.wins, "draws": share * test.draws}
            figures |= {f"{name}, {side}, {agent}": value for name, value in rates.items()}
        seconds["test"] += time.perf_counter() - clock
        clock = time.perf_counter()
        figures |= accuracy_figures(grade(trained_agent(trainer), CONNECT_FOUR))
        seconds["grade"] = time.perf_counter() - clock
        figures |= self._training_figures(trainer.curve)
        curves = {"training score": _by_block(trainer.curve), "test score": tests}
        return Measured(figures, curves, seconds)

    def _training_figures(self, curve: list[CurvePoint]) -> dict[str, float]:
        last = curve[-1]
        wins = sum(point.wins * point.episodes for point in curve) / last.episode
        figures = {"training wins": PERCENT * wins, "states": float(last.states)}
        if "flags" in self.policy and last.iterations is not None:
            figures |= {"iterations": last.iterations, "oracle calls": last.oracle_calls / last.decisions}
        return figures


HARDER = tuple(HarderTraining(policy, opposition) for opposition in OPPONENTS for policy in POLICIES)


def trained_agent(trainer: Trainer) -> DqnAgent:
    """The trained net as an agent. Its name is no agent string: by the name `dqn`, `grade` would take the net that
    ships with the package.
    """
    return DqnAgent("the trained net", NetValues(trainer.net()))


def _score(test: TestResult) -> float:
    return PERCENT * (test.wins + test.draws / 2) / test.games


def _by_block(curve: list[CurvePoint]) -> list[tuple[float, float]]:
    """The score of training games, with exploration, in each of `BLOCKS` parts of the training."""
    points = []
    for part in np.array_split(np.arange(len(curve)), min(BLOCKS, len(curve))):
        batches = [curve[number] for number in part]
        games = sum(each.episodes for each in batches)
        score = sum(each.episodes * (each.wins + each.draws / 2) for each in batches)
        points.append((float(batches[-1].episode), PERCENT * score / games))
    return points


# --- The planned test ---


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """One of the planned differences, by Welch's test."""

    opposition: Opposition
    outcome: str
    pair: tuple[Exploration, Exploration]
    found: Difference
    adjusted: float  # its p after Holm's correction for all planned tests


def planned_tests(results: Results) -> list[PlannedTest]:
    """All planned tests, in order; empty unless each of their experiments has at least two runs."""
    tests = [(opposition, outcome, pair) for opposition in OPPONENTS for outcome in OUTCOMES for pair in CONTRASTS]
    found = []
    for opposition, outcome, pair in tests:
        runs = (results.values(HarderTraining(policy, opposition), "corrected", outcome) for policy in pair)
        found.append(difference(*map(spread, runs)))
    if not all(found):
        return []
    sure = [each for each in found if each is not None]
    adjusted = holm([each.p for each in sure])
    return [PlannedTest(*test, each, p) for test, each, p in zip(tests, sure, adjusted, strict=True)]


def holm(chances: list[float]) -> list[float]:
    """Holm's adjusted p-values: with those below 0.05 as findings, any is false with a probability of at most 5 %."""
    adjusted, highest = [0.0] * len(chances), 0.0
    for done, number in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        highest = max(highest, min(1.0, (len(chances) - done) * chances[number]))
        adjusted[number] = highest
    return adjusted
