"""The speed-up of the solver's kernels for 6x7x4 with the size of the board as constants.

Kernels for all boards and kernels for this board alternately answer the same questions. The ratio is that of their best
CPU times, since other work on the machine can only increase a time.

Run: `python tools/benchmarks/general_geometry.py > tools/benchmarks/general_geometry.json`
"""

from __future__ import annotations

import json
import time

from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR
from inarow.search.solver.engines import FastEngine

ROUNDS = 15
MEMORY = 64 << 20
QUESTIONS = [(moves, beta) for moves in ("4444", "1726", "43", "3357") for beta in (0, 1)]
"""Positions and bounds: whether the side to move has at least a draw, at least a win."""


def answer(engine: FastEngine) -> tuple[float, int]:
    """CPU seconds and nodes for all questions, from an empty table."""
    engine.clear()
    worker = engine.open_worker()
    clock = time.process_time()
    for moves, beta in QUESTIONS:
        worker.search(Position.parse(moves), beta)
    return time.process_time() - clock, worker.nodes


def main() -> None:
    """Prints the times of both and the ratio of the best as JSON."""
    engines = {name: FastEngine(CONNECT_FOUR, MEMORY, constant=name == "constant") for name in ("general", "constant")}
    for engine in engines.values():
        engine.open_worker().search(Position.parse("444444"), 0)  # compiles
    times: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(ROUNDS):
        answers = {name: answer(engine) for name, engine in engines.items()}
        assert len({nodes for _, nodes in answers.values()}) == 1, "both must do the same work"
        for name, (seconds, _) in answers.items():
            times[name].append(seconds)
    best = {name: min(each) for name, each in times.items()}
    print(json.dumps({"seconds": best, "ratio": best["general"] / best["constant"], "times": times}, indent=2))


if __name__ == "__main__":
    main()
