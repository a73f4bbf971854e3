"""Measures `inarow assign grade` on a made-up class of mixed quality, a tenth of it endless loops and memory hogs.

    python tools/benchmarks/assignment_class.py FOLDER [--files 50] [--workers 2]

writes the files to FOLDER/class, grades them with the usual settings, and prints the time, CPU time of all processes
included, as one line of JSON.
"""

import argparse
import json
import os
import time
from pathlib import Path

import inarow

LEGAL = """
import random

def legal(obs, config):
    return [column for column in range(config.columns) if obs.board[column] == 0]
"""
DROP = """
def drop(board, column, mark):
    for row in range(5, -1, -1):
        if board[row * 7 + column] == 0:
            after = list(board)
            after[row * 7 + column] = mark
            return after
    return None

def wins(board, mark):
    for row in range(6):
        for column in range(7):
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * dr, column + i * dc) for i in range(4)]
                if all(0 <= r < 6 and 0 <= c < 7 and board[r * 7 + c] == mark for r, c in cells):
                    return True
    return False
"""
SEARCH = (
    LEGAL
    + DROP
    + """
def value(board, mark, depth, alpha, beta):
    if wins(board, 3 - mark):
        return -100 - depth
    moves = [c for c in (3, 2, 4, 1, 5, 0, 6) if board[c] == 0]
    if not moves or depth == 0:
        return 0
    for c in moves:
        alpha = max(alpha, -value(drop(board, c, mark), 3 - mark, depth - 1, -beta, -alpha))
        if alpha >= beta:
            break
    return alpha

def agent(obs, config):
    scored = [(-value(drop(obs.board, c, obs.mark), 3 - obs.mark, DEPTH, -999, 999), -abs(c - 3), c)
              for c in legal(obs, config)]
    return max(scored)[2]
"""
)
KINDS: dict[str, tuple[int, str]] = {
    "random": (7, LEGAL + "def agent(obs, config):\n    return random.choice(legal(obs, config))\n"),
    "first": (2, LEGAL + "def agent(obs, config):\n    return legal(obs, config)[0]\n"),
    "centre": (3, "def agent(position):\n    return min(position.legal_actions, key=lambda c: abs(c - 3))\n"),
    "numpy": (2, "import numpy as np\ndef agent(obs):\n    return np.flatnonzero(np.array(obs.board[:7]) == 0)[-1]\n"),
    "winblock": (
        6,
        LEGAL
        + DROP
        + """
def agent(obs, config):
    for mark in (obs.mark, 3 - obs.mark):
        for column in legal(obs, config):
            if wins(drop(obs.board, column, mark), mark):
                return column
    return random.choice(legal(obs, config))
""",
    ),
    "tactics": (
        4,
        """
class Agent:
    def __init__(self, rng):
        self.rng = rng

    def decide(self, position):
        for column in (*position.winning_actions(), *position.winning_actions(of_opponent=True)):
            return column
        return int(self.rng.choice(position.legal_actions))
""",
    ),
    "minimax1": (4, SEARCH.replace("DEPTH", "1")),
    "minimax2": (4, SEARCH.replace("DEPTH", "2")),
    "minimax3": (3, SEARCH.replace("DEPTH", "3")),
    "rollouts": (
        2,
        LEGAL
        + DROP
        + """
def rollout(board, mark):
    while True:
        moves = [c for c in range(7) if board[c] == 0]
        if not moves:
            return 0
        board = drop(board, random.choice(moves), mark)
        if wins(board, mark):
            return mark
        mark = 3 - mark

def agent(obs, config):
    score = {c: 0 for c in legal(obs, config)}
    for c in score:
        for _ in range(5):
            score[c] += rollout(drop(obs.board, c, obs.mark), 3 - obs.mark) == obs.mark
    return max(score, key=score.get)
""",
    ),
    "loop": (2, "def agent(obs):\n    while True:\n        pass\n"),
    "sometimes": (1, LEGAL + "def agent(obs, config):\n    while obs.step > 20:\n        pass\n    return 0\n"),
    "memory": (2, "def agent(obs):\n    kept = []\n    while True:\n        kept.append(bytearray(10**7))\n"),
    "full": (3, "def agent(obs):\n    return 3\n"),
    "syntax": (1, "def agent(obs)\n    return 3\n"),
    "missing": (1, "import nosuchpackage\n\ndef agent(obs):\n    return 3\n"),
    "none": (1, "def agent(obs, config):\n    if obs.board[0] == 0:\n        return 0\n"),
    "index": (1, LEGAL + "def agent(obs, config):\n    return legal(obs, config)[3]\n"),
    "exit": (1, "import os\n\ndef agent(obs):\n    os._exit(3)\n"),
}  # fmt: skip


def write_class(folder: Path, files: int) -> None:
    """`files` files, of each kind about as many as its share of 50."""
    folder.mkdir(parents=True, exist_ok=True)
    kinds = [(name, number) for name, (count, _) in KINDS.items() for number in range(count)]
    for place in range(files):
        name, number = kinds[place * len(kinds) // files]
        (folder / f"{name}-{number}-{place}.py").write_text(f"# {name} {place}\n{KINDS[name][1]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    write_class(options.folder / "class", options.files)
    clock = time.perf_counter()
    made = inarow.grade_assignment(options.folder / "class", workers=options.workers, out=options.folder / "grades")
    wall, times = time.perf_counter() - clock, os.times()
    thinking = sum((file.result.seconds_per_move or 0) * file.result.moves for file in made.files)
    print(
        json.dumps(
            {
                **{"files": len(made), "workers": options.workers, "seconds": round(wall, 1)},
                "cpu_seconds": round(times.user + times.system + times.children_user + times.children_system, 1),
                "thinking_seconds": round(thinking, 1),
                "loaded": sum(file.is_loaded for file in made.files),
            }
        )
    )


if __name__ == "__main__":
    main()
