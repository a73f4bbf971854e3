"""How well a table plays its own board, over a whole suite at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from inarow.arena.accuracy import Choices
from inarow.arena.suite import ILLEGAL, Suite
from inarow.games.layout import layout_of
from inarow.learning.tabular.q_table import QTable
from inarow.studies.kumbhakern_2025.episode import learner_key


def table_accuracy(table: QTable, suite: Suite, *, is_published: bool) -> dict[str, Any]:
    """The fields of an `Accuracy` of `LeftmostAgent` on a suite of the table's board.

    Keys are those of `published_values`, or else those of a trainer without symmetry.
    """
    layout = layout_of(suite.spec)
    keys = [
        learner_key(position.stones, position.mask, position.ply % 2 if is_published else 0, layout)
        for position in suite.positions
    ]
    rows = table.find(np.array(keys, np.uint64))
    values = np.where((rows >= 0)[:, None], table.values[rows], 0.0)
    actions = np.where(suite.scores != ILLEGAL, values, -np.inf).argmax(axis=1)
    return Choices.of(suite, actions).figures()
