"""The study paranji-2025: what it runs."""

from __future__ import annotations

from inarow.games.spec import GameSpec
from inarow.studies.experiment import Experiment, Measured, Scale
from inarow.studies.paranji_2025.games import play_depth_test, play_listed_training, play_round_robin
from inarow.studies.paranji_2025.published import BOARDS
from inarow.studies.paranji_2025.sections import sections
from inarow.studies.study import Repeated, Study

_EPISODES = {"tictactoe": 5_000, "connect4": 50_000}
_KINDS = {
    "round robin": play_round_robin,
    "training as listed": play_listed_training,
    "depth test": play_depth_test,
}
"""Experiments are named by board and kind."""


def _experiments(scale: Scale) -> list[Repeated]:
    runs = 4 if scale == "quick" else 20
    sizes = {board: {"games": 100, "episodes": _EPISODES[board]} for board in reversed(BOARDS)}  # the longest first
    return [
        *(Repeated(f"{board} round robin", runs, size) for board, size in sizes.items()),
        *(
            Repeated(f"{board} training as listed", runs, size, variants=("as-published",))
            for board, size in sizes.items()
        ),
        Repeated("connect4 depth test", 20 if scale == "quick" else 40, {"games": 1}),
    ]


def _run(experiment: Experiment) -> Measured:
    board, _, kind = experiment.name.partition(" ")
    return _KINDS[kind](GameSpec.parse(board), experiment)


PARANJI_2025 = Study(
    name="paranji-2025",
    title="paranji-2025: minimax, alpha-beta and tabular Q-learning",
    source="K. Paranji Ramkumar, CS7IS2 Artificial Intelligence, assignment 3, Trinity College Dublin, April 2025",
    experiments=_experiments,
    run=_run,
    sections=sections,
)
