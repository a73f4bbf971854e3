"""The same work done by others. A peer that is not installed is no peer."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from inarow.games.position import Position


@dataclass(frozen=True, slots=True)
class Peer:
    """Somebody else's work: like ours, it returns how many units it did."""

    name: str
    work: Callable[[], int]


def openspiel_playouts(start: Position) -> Peer | None:
    """Random games of OpenSpiel, driven from Python as its users do."""
    try:
        import pyspiel
    except ImportError:
        return None
    spec = start.spec
    game = pyspiel.load_game(f"connect_four(rows={spec.rows},columns={spec.columns},x_in_row={spec.inarow})")
    rng = np.random.default_rng(0)

    def work(games: int = 200) -> int:
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(rng.random() * len(legal))])
        return games

    return Peer("OpenSpiel from Python", work)


def c_perft(start: Position, depth: int) -> Peer | None:
    """The loop of `count_sequences` written in C for 6x7x4, compiled here and now."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    c_file = as_file(files(__package__) / "perft.c")
    with tempfile.TemporaryDirectory(prefix="inarow-bench-") as folder, c_file as source:
        library = Path(folder) / "perft.so"
        subprocess.run(
            [compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(source)], check=True
        )
        count = ctypes.CDLL(str(library)).count_sequences
    count.restype = ctypes.c_uint64
    count.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int]
    return Peer("C (cc -O3)", lambda: [count(start.stones, start.mask, plies) for plies in range(1, depth + 1)][-1])
