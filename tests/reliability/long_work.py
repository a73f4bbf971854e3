"""Every kind of long work, small: how it is started and resumed, what of it is finished, and its result."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inarow.arena.store import Store
from inarow.errors import InarowError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.deep_q.run import load_checkpoint
from inarow.learning.tabular.q_table import QTable

PROJECT = Path(__file__).parents[2]
STORE_GAMES, STORE_BATCH = 40_000, 500


@dataclass(frozen=True)
class LongWork:
    """Work in a folder. The same command starts and resumes it."""

    name: str
    command: Callable[[Path], Sequence[str]]
    finished: Callable[[Path], int]
    """The amount of finished work; can be called at any moment and changes nothing."""
    result: Callable[[Path], Any]
    """The result of finished work; the same for every undisturbed run."""
    unit: str
    is_alone: bool = True
    """Whether a second process in the folder is rejected; if not, the two take turns."""


def start(
    work: LongWork, folder: Path, *, before: Sequence[str] = (), env: dict[str, str] | None = None, **options: Any
) -> subprocess.Popen[str]:
    """A process that does the work; `before` is a command that starts commands."""
    return subprocess.Popen(
        [*before, sys.executable, "-m", "tests.reliability.long_command", *work.command(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
        env={**os.environ, **(env or {})},
        **options,
    )


def run(work: LongWork, folder: Path, **options: Any) -> tuple[int, str]:
    """Its exit code and what it said on stderr."""
    process = start(work, folder, **options)
    _, said = process.communicate(timeout=500)
    return process.returncode, said


def _train(preset: str, *settings: str) -> Callable[[Path], Sequence[str]]:
    def command(folder: Path) -> Sequence[str]:
        if (folder / "run" / "config.json").exists():
            return ("train", "--resume", str(folder / "run"), "--json")
        options = [option for setting in settings for option in ("--set", setting)]
        return ("train", preset, *options, "--out", str(folder / "run"), "--json")

    return command


def _known(read: Callable[[], int]) -> int:
    """What a file says that may not be there yet, or be replaced just now."""
    try:
        return read()
    except (InarowError, OSError):
        return 0


def _table(folder: Path) -> tuple[QTable, dict[str, Any]]:
    return QTable.load(folder / "run" / "table.npz")


def _q_result(folder: Path) -> Any:
    table, about = _table(folder)
    rows = len(table)
    return table.keys[:rows].tolist(), table.values[:rows].tolist(), about["state"]["episodes"]


def _deep_q_state(folder: Path) -> dict[str, Any]:
    return load_checkpoint(folder / "run" / "checkpoint.safetensors").state


def _alphazero_state(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "run" / "state.json").read_bytes()))


def _alphazero_result(folder: Path) -> Any:
    """Games under way are begun anew after a kill, so two runs are equal in form only: their books must balance."""
    state = _alphazero_state(folder)
    header, *lines = (folder / "run" / "games.csv").read_text().splitlines()
    assert header == "board,opening,result,moves"
    assert len(lines) == state["games"]
    for line in lines:
        board, _, _, moves = line.split(",")
        assert Position.parse(moves, GameSpec.parse(board)).is_over or moves
    return state["iterations"]


def _trials(folder: Path) -> list[Any]:
    path = folder / "sweep" / "study.sqlite"
    query = (
        "SELECT trials.number, trials.state, param_name, param_value FROM trials JOIN trial_params USING (trial_id)"
        " ORDER BY trials.number, param_name"
    )
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as study:
            return study.execute(query).fetchall()
    except sqlite3.OperationalError:  # not there yet
        return []


def _games(folder: Path) -> list[Any]:
    with Store(folder / "lab.sqlite", readonly=True) as store:
        return [(game.first, game.second, game.moves, game.winner, game.seed) for game in store.games()]


def _count_games(folder: Path) -> int:
    with Store(folder / "lab.sqlite", readonly=True) as store:
        return sum(len(store.finished_numbers(match_id)) for match_id in store.matches())


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def _journal_lines(result: Path) -> int:
    """Of work that may be finished: then all of it is kept, and the journal gone."""
    return sys.maxsize if result.exists() else max(0, _lines(result.with_name(f"{result.name}.journal")) - 1)


WORKS = (
    LongWork(
        "train q",
        _train("tictactoe-q", "phases.0.episodes=200000", "report=10000"),
        lambda folder: _known(lambda: _table(folder)[1]["state"]["episodes"]),
        _q_result,
        "episodes",
    ),
    LongWork(
        "train deep-q",
        _train("4x4x4-dqn", "episodes=200", "batch=10", "network.filters=[4]", "network.dense=[8]"),
        lambda folder: _known(lambda: _deep_q_state(folder)["episodes"]),
        lambda folder: (folder / "run" / "net.onnx").read_bytes(),
        "episodes",
    ),
    LongWork(
        "train alphazero",
        _train(str(Path(__file__).parent / "alphazero.toml")),
        lambda folder: _known(lambda: _alphazero_state(folder)["games"]),
        _alphazero_result,
        "games",
    ),
    LongWork(
        "sweep",
        lambda folder: (
            *("sweep", str(Path(__file__).parent / "sweep.toml"), "--out", str(folder / "sweep"), "--json"),
        ),
        lambda folder: len({number for number, *_ in _trials(folder)}),
        _trials,
        "trials",
    ),
    LongWork(
        "tournament",
        lambda folder: (
            *("tournament", "random", "greedy", "winblock", "--games", "600", "--seed", "7", "--json"),
            *("--board", "tictactoe", "--out", str(folder)),
        ),
        lambda folder: _known(lambda: _count_games(folder)),
        _games,
        "games",
    ),
    LongWork(
        "reproduce",
        lambda folder: ("reproduce", "dice", "--out", str(folder), "--json"),
        lambda folder: _known(lambda: _lines(folder / "results.jsonl")),
        lambda folder: (folder / "results.jsonl").read_bytes(),
        "experiments",
    ),
    LongWork(
        "book build",
        lambda folder: ("book", "build", str(folder / "book.npz"), "--board", "5x5x4", "--plies", "5", "--json"),
        lambda folder: _known(lambda: _journal_lines(folder / "book.npz")),
        lambda folder: (folder / "book.npz").read_bytes(),
        "positions",
    ),
    LongWork(
        "suite build",
        lambda folder: (
            "suite",
            "build",
            str(folder / "suite.npz"),
            "--board",
            "4x5x4",
            "--positions",
            "300",
            "--json",
        ),
        lambda folder: _known(lambda: _journal_lines(folder / "suite.npz")),
        lambda folder: (folder / "suite.npz").read_bytes(),
        "positions",
    ),
    LongWork(
        "store",
        lambda folder: ("write-games", str(folder)),
        lambda folder: _known(lambda: _count_games(folder)),
        _games,
        "games",
        is_alone=False,
    ),
)
