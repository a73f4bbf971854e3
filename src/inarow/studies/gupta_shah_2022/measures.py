"""What gupta-shah-2022 did not measure, or measured on another machine: moves against perfect play, and speed.

Figures of a grade: `outcome_accuracy`, `critical_accuracy`, `optimal_accuracy` in percent, `mean_regret` and its ends
`mean_regret.low` and `mean_regret.high`, `positions` and `critical`, how many there are. Speed is in the timings:
seconds of processor time for a simulation, by player, the median over positions, which other work on the machine does
not change much.
"""

from __future__ import annotations

import time

import numpy as np

from inarow.agents.registry import make_agent
from inarow.arena.grading import grade
from inarow.arena.known_suites import standard_suite
from inarow.arena.openings import find_openings
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR
from inarow.studies.experiment import Experiment, Measured
from inarow.studies.gupta_shah_2022.players import agent_string
from inarow.studies.gupta_shah_2022.published import published

ACCURACIES = ("outcome_accuracy", "critical_accuracy", "optimal_accuracy")
_PERCENT = 100.0
_OPENING_PLIES = 6


def grade_player(player: str, experiment: Experiment) -> Measured:
    """A player in positions of the standard suite, spread evenly over it."""
    (stream,) = experiment.random_streams(1)
    whole = standard_suite(CONNECT_FOUR)
    count = min(experiment.size["positions"], len(whole))
    suite = whole.part(np.linspace(0, len(whole) - 1, count).astype(np.int64))
    graded = grade(agent_string(player, experiment), suite=suite, seed=int(stream.generate_state(1)[0]))
    if graded.fault is not None:
        raise RuntimeError(f"{graded.agent}: {graded.fault}")
    figures = {name: _PERCENT * (getattr(graded, name) or 0.0) for name in ACCURACIES}
    figures |= {"positions": float(graded.positions), "critical": float(graded.critical)}
    low, high = graded.intervals["mean_regret"] or (0.0, 0.0)
    figures |= {"mean_regret": graded.mean_regret or 0.0, "mean_regret.low": low, "mean_regret.high": high}
    return Measured(figures)


def measure_speed(experiment: Experiment) -> Measured:
    """Searches with the time of a move, or a part of it, at the start of the game and in openings that are exact draws:
    where the game is decided, simulations cost next to nothing.
    """
    share = experiment.size["percent of a move"] / _PERCENT
    (stream,) = experiment.random_streams(1)
    seed = int(stream.generate_state(1)[0])
    openings = find_openings(CONNECT_FOUR, experiment.size["openings"], "balanced", seed=seed, plies=_OPENING_PLIES)
    timings = {}
    for player, reserve in published().reserve.items():
        make_agent(agent_string(player, experiment)).decide(Position.start())  # compiles
        limited = agent_string(player, experiment, seconds=share * (published().seconds - reserve))
        found = []
        for position in (Position.start(), *openings):
            clock = time.process_time()
            details = make_agent(limited).decide(position).details or {}
            found.append((time.process_time() - clock) / details["simulations"])
        timings[player] = float(np.median(found))
    return Measured(timings=timings)
