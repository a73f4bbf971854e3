"""Times of analyses of 6x7x4 positions with the shipped book, on one core from an empty table.

First random positions of every ply; then a search for the slowest ones: the most expensive positions found so far are
varied repeatedly by replacing some moves by random ones.

Run: `python tools/benchmarks/analysis_times.py > tools/benchmarks/analysis_times.json`
"""

from __future__ import annotations

import json
import random
import statistics
import time
from typing import TypedDict

from inarow import CONNECT_FOUR, Position, Solver
from inarow.search.solver.api import shipped_book

PLIES = range(42)
PER_PLY = 50
HUNTED = range(8, 19)
ROUNDS = 60
VARIATIONS = 40
KEPT = 20
SEED = 1


class Run(TypedDict):
    moves: str
    nodes: int
    milliseconds: float


def analyse(solver: Solver, position: Position) -> Run:
    """Analyses a position exactly."""
    solver.clear()
    clock = time.process_time()
    analysis = solver.analyse(position)
    return {
        "moves": position.moves,
        "nodes": analysis.nodes,
        "milliseconds": round((time.process_time() - clock) * 1e3, 3),
    }


def random_position(start: Position, plies: int, choice: random.Random) -> Position | None:
    """The position after some random moves, None if the game ended."""
    position = start
    while position.ply < plies and not position.is_over:
        position = position.play(choice.choice(position.legal_actions))
    return None if position.is_over else position


def variation(moves: str, choice: random.Random) -> Position | None:
    """A position with its last moves replaced."""
    kept = Position.parse(moves[: -choice.randint(1, 4)])
    return random_position(kept, choice.choice(HUNTED), choice)


def hunt(solver: Solver, runs: dict[str, Run], choice: random.Random) -> None:
    """Adds the analyses of increasingly expensive positions."""
    for _ in range(ROUNDS):
        dearest = sorted(runs.values(), key=lambda run: -run["nodes"])[:KEPT]
        for _ in range(VARIATIONS):
            position = variation(choice.choice(dearest)["moves"], choice)
            if position is not None and position.moves not in runs:
                runs[position.moves] = analyse(solver, position)


def main() -> None:
    """Prints medians and worst cases as JSON."""
    solver = Solver(CONNECT_FOUR, book=shipped_book(CONNECT_FOUR))
    solver.analyse(Position.parse("4444441235671"))  # compiles
    choice = random.Random(SEED)
    by_ply: dict[int, list[Run]] = {}
    for plies in PLIES:
        drawn = (random_position(Position.start(), plies, choice) for _ in range(PER_PLY))
        by_ply[plies] = [analyse(solver, position) for position in drawn if position is not None]
    at_random = [run for runs in by_ply.values() for run in runs]
    runs = {run["moves"]: run for run in at_random if len(run["moves"]) in HUNTED}
    hunt(solver, runs, choice)
    print(
        json.dumps(
            {
                "random positions": {
                    "count": len(at_random),
                    "median milliseconds": statistics.median(run["milliseconds"] for run in at_random),
                    "worst": max(at_random, key=lambda run: run["milliseconds"]),
                    "by ply, median and worst milliseconds": {
                        plies: [
                            statistics.median(run["milliseconds"] for run in runs),
                            max(run["milliseconds"] for run in runs),
                        ]
                        for plies, runs in by_ply.items()
                        if runs
                    },
                },
                "hunted positions": {
                    "count": len(runs),
                    "dearest": sorted(runs.values(), key=lambda run: -run["nodes"])[:KEPT],
                },
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
