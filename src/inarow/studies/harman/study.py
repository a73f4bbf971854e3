"""The study harman: what it runs."""

from __future__ import annotations

from inarow.games.spec import GameSpec
from inarow.studies.experiment import Experiment, Measured, Scale
from inarow.studies.harman.games import PLAYOUTS, play_tree_searches, train_and_test, train_by_self_play
from inarow.studies.harman.sections import BOARDS, SELF_PLAY, TREES, sections, training
from inarow.studies.study import Repeated, Study

_FIGURES = (training("4x5x4", 40), training("4x5x4", 10))
"""Experiments that may be behind the published picture of 100,000 episodes."""


def _experiments(scale: Scale) -> list[Repeated]:
    is_quick = scale == "quick"
    runs, episodes = (2, 15_000) if is_quick else (10, 50_000)
    figure_runs, figure_episodes = (2, 51_000) if is_quick else (10, 100_000)
    names = [training(board, playouts) for playouts in PLAYOUTS for board in reversed(BOARDS)]  # the longest first
    return [
        *(Repeated(name, figure_runs, {"games": 100, "episodes": figure_episodes}) for name in _FIGURES),
        *(Repeated(name, runs, {"games": 100, "episodes": episodes}) for name in names if name not in _FIGURES),
        *(
            Repeated(
                f"{board} {SELF_PLAY}",
                runs,
                {"games": 100, "episodes": 500_000 if is_quick else 4_000_000},
                variants=("corrected",),
            )
            for board in ("4x5x4", "3x5x4")
        ),
        Repeated(f"6x5x4 {TREES}", runs, {"games": 100}),
    ]


def _run(experiment: Experiment) -> Measured:
    board, _, kind = experiment.name.partition(" ")
    spec = GameSpec.parse(board)
    if kind == SELF_PLAY:
        return train_by_self_play(spec, experiment)
    if kind == TREES:
        return play_tree_searches(spec, experiment)
    return train_and_test(spec, int(kind.rpartition(" ")[2]), experiment)


HARMAN = Study(
    name="harman",
    title="harman: tabular Q-learning against Monte Carlo tree search on small boards",
    source="M. Harman, QLearning_and_MCTS-Reinforcement_Learning, program and documentation",
    experiments=_experiments,
    run=_run,
    sections=sections,
)
