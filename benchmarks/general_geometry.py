"""What it costs that the solver reads the size of the board at run time.

Makes a copy of the package in which the numbers of 6x7x4 are written into the kernels as constants,
lets both solve the same positions in turn, and prints the ratio of their best processor times: other
work on the machine only adds to a time.

Run: `python benchmarks/general_geometry.py > benchmarks/general_geometry.json`
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import inarow
from inarow.games.spec import CONNECT_FOUR
from inarow.search.geometry import make_geometry

ROUNDS = 15
KERNELS = ("fast_kernel.py", "forced.py", "geometry.py")
FIELDS = "cells|bottom|sentinels|odd_rows|even_rows|stride|key_bits|key_mask|columns|area|inarow|is_four|has_even_rows"
SOLVE = """
import sys, time
from inarow import Solver, Position, CONNECT_FOUR
solver = Solver(CONNECT_FOUR, memory=64 << 20)
solver.solve(Position.parse("444444"))
for line in sys.stdin:
    solver.clear()
    clock = time.process_time()
    nodes = sum(solver.solve(Position.parse(moves)).nodes for moves in ("4444", "1726", "43", "3357"))
    print(time.process_time() - clock, nodes, flush=True)
"""


def write_constants(package: Path) -> None:
    """Replaces what the kernels read from the geometry of 6x7x4 by numbers."""
    geometry = make_geometry(CONNECT_FOUR)[0]

    def constant(match: re.Match[str]) -> str:
        value = getattr(geometry, match.group(1))
        return f"np.uint64({int(value)})" if isinstance(value, np.uint64) else str(int(value))

    for name in KERNELS:
        file = package / "search" / name
        head, mark, kernels = file.read_text().partition("@register_jitable")
        file.write_text(head + mark + re.sub(rf"\bgeometry\.({FIELDS})\b", constant, kernels))


def start(folder: Path) -> subprocess.Popen[str]:
    """A process that solves once for every line it gets."""
    environment = {"PYTHONPATH": str(folder), "PATH": "", "HOME": str(folder)}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", SOLVE], env=environment, stdin=pipe, stdout=pipe, text=True)


def ask(process: subprocess.Popen[str]) -> tuple[float, int]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    seconds, nodes = process.stdout.readline().split()
    return float(seconds), int(nodes)


def main() -> None:
    """Prints the times of both and the ratio of the best as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(inarow.__file__).parent
        folders = {name: Path(folder) / name for name in ("general", "constant")}
        for each in folders.values():
            shutil.copytree(package, each / "inarow")
        write_constants(folders["constant"] / "inarow")
        processes = {name: start(each) for name, each in folders.items()}
        for process in processes.values():
            ask(process)  # the first one also fills the caches
        times = {name: [] for name in folders}
        for _ in range(ROUNDS):
            answers = {name: ask(process) for name, process in processes.items()}
            assert len({nodes for _, nodes in answers.values()}) == 1, "both must do the same work"
            for name, (seconds, _) in answers.items():
                times[name].append(seconds)
        for process in processes.values():
            process.kill()
    best = {name: min(each) for name, each in times.items()}
    print(json.dumps({"seconds": best, "ratio": best["general"] / best["constant"], "times": times}, indent=2))


if __name__ == "__main__":
    main()
