"""Compiled: the best action by a row of a Q-table."""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits
from inarow.games.layout import Layout
from inarow.games.rules import landing_cell


@register_jitable
def slot_of(action: int, mirrored: bool, layout: Layout) -> int:
    """The place of an action in a row, and the action of a place."""
    return action + layout.columns - 1 - 2 * (action % layout.columns) if mirrored else action


@register_jitable
def draw_best_action(
    mask: Bits,
    actions: int,
    row: int,
    mirrored: bool,
    values: np.ndarray,
    layout: Layout,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """(Uniformly one of the legal actions with the greatest value, this value), of a position that is not
    over. Without a row, or with one that `values` does not have yet, all are 0.
    """
    is_known = 0 <= row < len(values)
    action, best, ties = -1, -np.inf, 0
    for each in range(actions):
        if landing_cell(mask, each, layout) < 0:
            continue
        value = values[row, slot_of(each, mirrored, layout)] if is_known else 0.0
        if value > best:
            action, best, ties = each, value, 1
        elif value == best:
            ties += 1
            if rng.random() * ties < 1.0:
                action = each
    return action, best
