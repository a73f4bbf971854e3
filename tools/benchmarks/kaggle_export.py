"""Exported agents, and the agents themselves, against Kaggle's built-in `negamax` under Kaggle's own loader.

Run: `python tools/benchmarks/kaggle_export.py [AGENT@BOARD ...] > tools/benchmarks/kaggle_export.json`
"""

from __future__ import annotations

import io
import json
import random
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from inarow.adapters.kaggle import KaggleAgent
from inarow.adapters.kaggle_export.export import export_kaggle
from inarow.arena.statistics import wilson_interval
from inarow.games.spec import GameSpec

with redirect_stdout(io.StringIO()):  # it prints a line for every game that it cannot load
    import kaggle_environments

GAMES, OWN_GAMES, SEED, OPPONENT = 50, 20, 1, "negamax"
"""OWN_GAMES is the number for the agent itself, enough to show whether it beats the opponent."""
USUAL = ("minimax@6x7x4", "mcts@6x7x4", "q@4x4x4", "alphazero@6x7x4", "dqn@6x7x4")


def meet(player: Any, spec: GameSpec, games_wanted: int, title: str) -> dict[str, Any]:
    """Plays games of a file or a callable with alternating sides; the results and terminations."""
    counts = {side: {"wins": 0, "draws": 0, "losses": 0} for side in ("as_first", "as_second")}
    statuses: dict[str, int] = {}
    times: list[float] = []
    games = set()
    configuration = {"rows": spec.rows, "columns": spec.columns, "inarow": spec.inarow}
    for number in range(games_wanted):
        side = number % 2
        env = kaggle_environments.make("connectx", configuration=configuration)
        env.run([player, OPPONENT] if side == 0 else [OPPONENT, player])
        end = env.steps[-1]
        statuses[end[side].status] = statuses.get(end[side].status, 0) + 1
        # A faulty player has no reward, and loses.
        result = {1: "wins", 0: "draws", -1: "losses", None: "losses"}[end[side].reward]
        counts["as_second" if side else "as_first"][result] += 1
        times += [log[side]["duration"] for log in env.logs if log and "duration" in log[side]]
        games.add(tuple(step[(place - 1) % 2].action for place, step in enumerate(env.steps) if place))
        print(f"\r{title}: {number + 1} of {games_wanted} games", end="", file=sys.stderr)
    print(file=sys.stderr)
    wins, draws = (sum(side[result] for side in counts.values()) for result in ("wins", "draws"))
    score = (wins + draws / 2) / games_wanted
    return {
        "games": games_wanted,
        "distinct_games": len(games),
        **counts,
        "score": score,
        "score_interval": wilson_interval(score, games_wanted),
        "statuses": statuses,
        "moves": len(times),
        "mean_move_seconds": sum(times) / len(times),
        "slowest_move_seconds": max(times),
    }


def main(wanted: list[str]) -> None:
    """Prints one JSON document: a row for each agent."""
    rows = []
    for text in wanted or USUAL:
        agent, _, board = text.rpartition("@")
        spec = GameSpec.parse(board)
        random.seed(SEED)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "submission.py"
            export_kaggle(agent, file, spec)
            exported = meet(str(file), spec, GAMES, f"{text} exported")
        ours = KaggleAgent(agent, seed=SEED)
        ours(
            {"board": [0] * spec.cells, "mark": 1}, {"rows": spec.rows, "columns": spec.columns, "inarow": spec.inarow}
        )
        itself = meet(ours, spec, OWN_GAMES, text)  # its kernels are already compiled
        rows.append({"agent": agent, "board": board, "opponent": OPPONENT, "exported": exported, "itself": itself})
    versions = {"kaggle-environments": kaggle_environments.__version__, "seed": SEED}
    print(json.dumps({**versions, "rows": rows}, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
