"""The moves that the perfect file has beside its search: how they are chosen, and the proof that it never errs."""

from pathlib import Path

import numpy as np

from inarow.adapters.kaggle_export.reachable import Report, Root, enumerate_positions
from inarow.games import CONNECT_FOUR, Position
from inarow.search.solver.api import solver_for
from inarow.storage.atomic import atomic_write


def choose_moves(report: Report = lambda root, count: None) -> dict[int, int]:
    """A column for every position, given as a key, that the perfect file can meet and its search does not decide: one
    of the best exact score, which keeps the number of further positions small. Takes long: see `inarow export verify`.
    """
    solver, moves = solver_for(CONNECT_FOUR), dict[int, int]()

    def column_for(key: int) -> int:
        if key not in moves:
            best = solver.analyse(Position.from_key(key), only_best=True).best
            moves[key] = min(best, key=lambda column: abs(column - CONNECT_FOUR.columns // 2))
        return moves[key]

    for root in Root.all():
        enumerate_positions(root, column_for, report)
    return moves


def save_moves(moves: dict[int, int], path: Path) -> None:
    keys = sorted(moves)
    with atomic_write(path) as file:
        columns = np.array([moves[key] for key in keys], dtype=np.uint8)
        np.savez_compressed(file, keys=np.array(keys, dtype=np.int64), columns=columns)
