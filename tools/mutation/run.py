"""Mutation testing of the rules: checks that the tests notice a changed operator or number in `games/`.

    pip install "inarow[mutation]"
    python tools/mutation/run.py [--mutants 400] [--seed 0] [--workers 2] [--json FILE]

cosmic-ray creates the mutants; the tests of `games` run on a random sample of them, which depends on the seed, in
copies of the project and without the compiler. Files that are only used compiled and operators in annotations, which
are not evaluated, are excluded. A mutant survives if all tests pass; a mutant that runs too long is killed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from inarow.arena.statistics import wilson_interval

ROOT = Path(__file__).parents[2]
RULES = Path("src") / "inarow" / "games"
COMPILED_ONLY = ("__init__.py", "compiled_bits.py", "kernel_cache.py", "kernels.py", "warm_up.py")
TESTS = ("spec", "position", "rules", "record", "playout", "counts", "diagram")
"""The fast ones first, which kill most mutants."""
SECONDS = 100.0
"""Several times the duration of all tests."""


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as name:
        folders = [_copy(Path(name) / str(number)) for number in range(arguments.workers)]
        _cosmic_ray(folders[0], "init", "mutation.toml", "session.sqlite")
        chosen, number = _sample(folders[0], arguments.mutants, arguments.seed)
        for index, folder in enumerate(folders):
            if index:
                shutil.copy(folders[0] / "session.sqlite", folder)
        for index, folder in enumerate(folders):
            _keep(folder, chosen[index :: len(folders)])
        with ThreadPoolExecutor(len(folders)) as threads:
            list(threads.map(lambda folder: _cosmic_ray(folder, "exec", "mutation.toml", "session.sqlite"), folders))
        outcomes = [each for folder in folders for each in _outcomes(folder)]
    survivors = [diff for outcome, diff in outcomes if outcome == "SURVIVED"]
    killed = len(outcomes) - len(survivors)
    low, high = wilson_interval(killed / len(outcomes), len(outcomes))
    result = {
        "mutants": number,
        "sample": len(outcomes),
        "seed": arguments.seed,
        "killed": killed,
        "percent": round(100 * killed / len(outcomes), 1),
        "interval": [round(100 * low, 1), round(100 * high, 1)],
        "survivors": sorted(survivors),
    }
    text = json.dumps(result, indent=2)
    if arguments.json:
        arguments.json.write_text(text + "\n")
    print(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _copy(folder: Path) -> Path:
    """A copy of the files that the tests of the rules need, with the config of cosmic-ray."""
    folder.mkdir()
    for part in ("src", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / part, folder)
    tests = " ".join(f"tests/games/test_{each}.py" for each in TESTS)
    excluded = json.dumps([str(RULES / each) for each in COMPILED_ONLY])
    command = f"{sys.executable} -m pytest -x -q -p no:cacheprovider -m 'not compiled' {tests}"
    (folder / "mutation.toml").write_text(
        f'[cosmic-ray]\nmodule-path = "{RULES}"\ntimeout = {SECONDS}\nexcluded-modules = {excluded}\n'
        f'test-command = "{command}"\n[cosmic-ray.distributor]\nname = "local"\n'
    )
    return folder


def _cosmic_ray(folder: Path, *words: str) -> None:
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"),
        "NUMBA_DISABLE_JIT": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / ".hypothesis"),
    }
    program = Path(sys.executable).with_name("cosmic-ray")
    subprocess.run([str(program), *words], cwd=folder, env=environment, check=True)


def _sample(folder: Path, count: int, seed: int) -> tuple[list[str], int]:
    """A random sample of mutants, and their total number."""
    with sqlite3.connect(folder / "session.sqlite") as session:
        rows = session.execute(
            "select job_id, module_path, operator_name, start_pos_row, start_pos_col, occurrence from mutation_specs"
        ).fetchall()
    spans = {path: list(_annotations(folder / path)) for path in {row[1] for row in rows}}
    alive = sorted(
        (path, operator, row, column, occurrence, job)
        for job, path, operator, row, column, occurrence in rows
        if not any(begin <= (row, column) <= end for begin, end in spans[path])
    )
    order = np.random.default_rng(seed).permutation(len(alive))[:count]
    return [alive[place][-1] for place in order], len(alive)


def _annotations(path: Path) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The positions of annotations: lines and columns of their starts and ends."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        for name in ("annotation", "returns"):
            found = getattr(node, name, None)
            if isinstance(found, ast.expr):
                yield (
                    (found.lineno, found.col_offset),
                    (found.end_lineno or found.lineno, found.end_col_offset or found.col_offset),
                )


def _keep(folder: Path, jobs: list[str]) -> None:
    """Removes all other mutants from a session."""
    marks = ",".join("?" * len(jobs))
    with sqlite3.connect(folder / "session.sqlite") as session:
        for table in ("mutation_specs", "work_items"):
            session.execute(f"delete from {table} where job_id not in ({marks})", jobs)


def _outcomes(folder: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(folder / "session.sqlite") as session:
        return session.execute("select test_outcome, diff from work_results").fetchall()


if __name__ == "__main__":
    main()
