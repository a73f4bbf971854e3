"""The empty 6x7x4 board without a book: one thread against two, and the latency of cancelling a search.

Run: `python tools/benchmarks/empty_board.py > tools/benchmarks/empty_board.json`
"""

from __future__ import annotations

import json
import random
import statistics
import threading
import time
from typing import TypedDict

from inarow import CONNECT_FOUR, Limits, Position, Solver

ROUNDS = 20
CANCELS = 40
MEMORY = 66 << 20


class Run(TypedDict):
    score: int | None
    nodes: int
    seconds: float


def solve(solver: Solver) -> Run:
    """Solves from an empty table; wall-clock seconds."""
    solver.clear()
    clock = time.perf_counter()
    solution = solver.solve(Position.start())
    return {"score": solution.score, "nodes": solution.nodes, "seconds": time.perf_counter() - clock}


def cancel(solver: Solver, choice: random.Random) -> float:
    """Milliseconds from a cancellation at a random time to the end of the search."""
    solver.clear()
    cancelled = threading.Event()
    moments: list[float] = []

    def set_off() -> None:
        moments.append(time.perf_counter())
        cancelled.set()

    timer = threading.Timer(choice.uniform(0.1, 1.0), set_off)
    timer.start()
    solver.solve(Position.start(), limits=Limits(cancelled=cancelled.is_set))
    return (time.perf_counter() - moments[0]) * 1e3


def main() -> None:
    """Prints all runs and their summary as JSON; the two kinds alternate."""
    solvers = {threads: Solver(CONNECT_FOUR, memory=MEMORY, threads=threads) for threads in (1, 2)}
    for solver in solvers.values():
        solver.solve(Position.parse("444444"))  # compiles
    runs: dict[int, list[Run]] = {threads: [] for threads in solvers}
    for _ in range(ROUNDS):
        for threads, solver in solvers.items():
            runs[threads].append(solve(solver))
    seconds = {threads: [run["seconds"] for run in each] for threads, each in runs.items()}
    choice = random.Random(1)
    delays = {threads: [cancel(solver, choice) for _ in range(CANCELS)] for threads, solver in solvers.items()}
    summary = {
        f"{threads} threads": {
            "scores": list({run["score"] for run in runs[threads]}),
            "seconds, min median max": [
                min(seconds[threads]),
                statistics.median(seconds[threads]),
                max(seconds[threads]),
            ],
            "cancel ms, median max": [statistics.median(delays[threads]), max(delays[threads])],
        }
        for threads in solvers
    }
    speed_up = min(seconds[1]) / min(seconds[2]), statistics.median(seconds[1]) / statistics.median(seconds[2])
    print(json.dumps({"summary": summary, "speed-up, best and median": speed_up, "runs": runs}, indent=1))


if __name__ == "__main__":
    main()
