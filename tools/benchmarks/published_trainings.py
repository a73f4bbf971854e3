"""Times of the published trainings of three studies, at full length on one core.

Run: `python tools/benchmarks/published_trainings.py > tools/benchmarks/published_trainings.json`
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from inarow import CONNECT_FOUR, GameSpec
from inarow.learning.tabular.q_table import QTable
from inarow.studies.harman.agents import play_as_published
from inarow.studies.kumbhakern_2025.agents import GENERATIONS, RANDOM, PublishedTrainer, phases
from inarow.studies.paranji_2025.agents import train_as_published

SMALL = GameSpec.parse("4x5x4")


def kumbhakern_2025(episodes: int) -> None:
    """Trains all phases, `episodes` games each."""
    trainer = PublishedTrainer(np.random.default_rng(0))
    for phase in phases(RANDOM, GENERATIONS):
        trainer.run(phase, episodes)


def paranji_2025(episodes: int) -> None:
    """Trains against a default agent that blocks."""
    train_as_published(CONNECT_FOUR, episodes, np.random.default_rng(0), opponent_blocks=True)


def harman(episodes: int) -> None:
    """Trains on 4x5 against 40 playouts."""
    play_as_published(QTable(SMALL), episodes, playouts=40, rng=np.random.default_rng(0))


TRAININGS: dict[str, tuple[Callable[[int], None], int]] = {
    "kumbhakern-2025, 7 phases of 200,000 episodes": (kumbhakern_2025, 200_000),
    "paranji-2025, 6x7x4, 50,000 episodes": (paranji_2025, 50_000),
    "harman, 4x5x4, 40 playouts, 50,000 episodes": (harman, 50_000),
}


def timed(work: Callable[[], None]) -> dict[str, float]:
    """Wall-clock and CPU seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return {"seconds": time.perf_counter() - wall, "processor_seconds": time.process_time() - processor}


def main() -> None:
    """Prints the times as JSON."""
    found = {}
    for name, (train, episodes) in TRAININGS.items():
        train(10)  # compiles
        found[name] = {key: round(value, 2) for key, value in timed(partial(train, episodes)).items()}
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
