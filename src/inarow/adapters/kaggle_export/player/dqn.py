"""Playing from a deep Q-learning net: the move after which the net values the board highest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inarow.adapters.kaggle_export.player.base import Deadline, Rules, check_board
from inarow.adapters.kaggle_export.player.net import NumpyNet


class DqnPlayer:
    """Takes the first of the best. `nets` is one for both sides, or one for each."""

    def __init__(self, rows: int, columns: int, inarow: int, nets: Sequence[NumpyNet]) -> None:
        self._board = rows, columns, inarow
        self._nets = nets

    def choose(self, rules: Rules, own: int, both: int, deadline: Deadline) -> int:
        check_board(rules, self._board, "net")
        legal = rules.legal_columns(both)
        after = [rules.landing_bit(both, column) for column in legal]
        boards = np.stack([signed_board(own | bit, both | bit, rules) for bit in after])
        (values,) = self._nets[both.bit_count() % len(self._nets)].run(boards[:, None])
        return legal[int(values[:, 0].argmax())]


def signed_board(own: int, both: int, rules: Rules) -> np.ndarray:
    """float32 [rows, columns], row 0 on top: 1 own stones, -1 those of the other side."""
    cells = (np.arange(rules.rows)[::-1, None] + rules.stride * np.arange(rules.columns)).tolist()
    return np.array([[2 * (own >> cell & 1) - (both >> cell & 1) for cell in row] for row in cells], np.float32)
