"""Short trainings with quantum draws as circuits on Aer and in closed form, compared by Welch's test.

    python tools/benchmarks/aer_training.py docs/studies/santos-2025/aer.json

Tabular Q-learning of Tic-tac-toe as first player against `winblock`, with flags by reward, so that flags are few. The
seeds are the same for both back ends, but the random numbers of draws differ. Needs the extra `quantum`.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

from inarow.learning.exploration.config import Policy, Temperature
from inarow.learning.tabular.config import Phase, QConfig
from inarow.learning.tabular.trainer import Trainer
from inarow.studies.comparison import difference, spread

RUNS, GAMES = 12, 60
BACK_ENDS = "closed-form", "aer"


def train(backend: str, seed: int) -> dict[str, float]:
    """The figures of one training."""
    policy = Policy(backend=backend, flags="reward", temperature=Temperature(delta=97.0 * GAMES / 1800))
    phases = (Phase(episodes=GAMES, opponent="winblock", side="first"),)
    trainer = Trainer(QConfig(board="tictactoe", phases=phases, policy=policy, seed=seed, report=GAMES, memory=1))
    clock = time.process_time()
    trainer.run(GAMES)
    metrics, (point,) = trainer.explorer.metrics, trainer.curve
    return {
        "iterations": metrics.iterations,
        "oracle calls": metrics.oracle_calls / metrics.decisions,
        "draws": metrics.rounds,
        "hits": 100 * metrics.hits / metrics.decisions,
        "losses": 100 * point.losses,
        "seconds": time.process_time() - clock,
    }


def main() -> None:
    runs = {backend: [train(backend, seed) for seed in range(RUNS)] for backend in BACK_ENDS}
    compared = {}
    for figure in ("iterations", "oracle calls", "hits", "losses"):
        values = [[run[figure] for run in runs[backend]] for backend in reversed(BACK_ENDS)]
        found = difference(*map(spread, values))
        compared[figure] = {"aer": np.mean(values[0]), "closed-form": np.mean(values[1])}
        if found is not None:  # not all runs are equal
            compared[figure] |= {"difference": found.mean, "interval": found.interval, "p": found.p}
    per_draw = sum(run["seconds"] for run in runs["aer"]) / sum(run["draws"] for run in runs["aer"])
    content = {"runs": RUNS, "games": GAMES, "compared": compared, "aer_seconds_per_draw": per_draw, "trainings": runs}
    Path(sys.argv[1]).write_text(json.dumps(content, indent=1) + "\n")
    print(json.dumps({key: value for key, value in content.items() if key != "trainings"}, indent=1))


if __name__ == "__main__":
    main()
