"""What santos-2025 trains: the rows of its tables, and what its authors left open."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inarow.games.spec import CONNECT_FOUR
from inarow.learning.deep_q.config import DeepQConfig, Side
from inarow.learning.exploration.config import Amplification, Policy, Rule
from inarow.learning.exploration.schedules import Temperature
from inarow.studies.experiment import Experiment


@dataclass(frozen=True, slots=True)
class Training:
    """One side with one policy against one opponent."""

    side: Side
    rule: Rule
    opponent: str = "negamax"
    lockstep: int = 300
    presamples: int = 0


LEARNERS: dict[str, Training] = {
    "first, epsilon-greedy": Training("first", "epsilon-greedy"),
    "first, classical": Training("first", "classical"),
    "first, quantum": Training("first", "quantum"),
    "second, classical": Training("second", "classical"),
    "second, quantum": Training("second", "quantum"),
    "second, epsilon-greedy": Training("second", "epsilon-greedy"),
}
"""The rows of Tables I and II, and what the authors did not run."""
OPPONENTS = ("negamax:depth=4", "negamax:depth=6", "mcts:simulations=200")
"""Deeper ones, which the authors ask for."""
STRONGER: dict[str, Training] = {
    f"{name} against {opponent}": replace(LEARNERS[name], opponent=opponent)
    for opponent in OPPONENTS
    for name in ("first, classical", "first, quantum")
}
PRESAMPLED = "first, quantum after plain draws"
"""The textbook's order: a few plain draws come before amplified ones."""
LOCKSTEPS = {"first, quantum in lockstep": 300, "first, quantum one by one": 1}
TRAININGS: dict[str, Training] = {
    **LEARNERS,
    **STRONGER,
    PRESAMPLED: replace(LEARNERS["first, quantum"], presamples=5),
    **{name: replace(LEARNERS["first, quantum"], lockstep=lockstep) for name, lockstep in LOCKSTEPS.items()},
}

EPISODES: dict[Side, int] = {"first": 1800, "second": 3600}
DELTAS: dict[Side, float] = {"first": 97.0, "second": 194.0}


def training_config(experiment: Experiment, seed: int) -> DeepQConfig:
    """What an experiment trains. The temperature falls as fast as published, relative to the episodes."""
    training = TRAININGS[experiment.name]
    is_published = experiment.variant == "as-published"
    episodes = experiment.size["episodes"]
    temperature = Temperature(delta=DELTAS[training.side] * episodes / EPISODES[training.side])
    return DeepQConfig(
        learner="deep-q",
        board=str(CONNECT_FOUR),
        episodes=episodes,
        side=training.side,
        opponent=training.opponent,
        lockstep=training.lockstep,
        seed=seed,
        policy=Policy(
            rule=training.rule,
            column_oracle=is_published and training.rule == "quantum",
            amplification=_amplification(training, is_published=is_published),
            presamples=training.presamples,
            temperature=temperature,
        ),
        terminal="blend" if is_published else "reward",
    )


def _amplification(training: Training, *, is_published: bool) -> Amplification:
    """Corrected, the best single m; after plain draws the textbook's range of m."""
    if is_published or training.rule != "quantum":
        return "ceil-inclusive"
    return "ceil-exclusive" if training.presamples else "optimal"
