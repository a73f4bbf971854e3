"""What an exported file needs of a Q-table: the best columns of every position, packed."""

from __future__ import annotations

import numpy as np

from inarow.adapters.kaggle_export.player.q_table import packed
from inarow.errors import KaggleFileError
from inarow.learning.tabular.lookup import TableValues


def best_columns(table: TableValues) -> tuple[str, str, bool]:
    """(Packed keys, packed sets of best columns, whether positions share rows with their mirror images)."""
    spec = table.spec
    if not (spec.gravity and spec.fits_word):
        raise KaggleFileError(f"a table of {spec} cannot be exported: its keys are no positions")
    keys, values = table.rows()
    order = np.argsort(keys)
    keys, values = keys[order], values[order]
    # A column is full when the marker above its stones, the topmost bit of a key, is above the board.
    stride = spec.rows + 1
    tops = keys[:, None] >> np.arange(spec.rows, stride * spec.columns, stride, dtype=np.uint64)
    legal = (tops & np.uint64(1)) == 0
    best = np.where(legal, values, -np.inf)
    is_best = legal & (best == best.max(axis=1, keepdims=True))
    sets = (is_best.astype(np.uint64) << np.arange(spec.columns, dtype=np.uint64)).sum(axis=1)
    return packed(keys.tolist()), packed(sets.tolist()), bool(table.config.symmetry)
