"""Compiled: the Q-learner of paranji-2025 as it was trained.

It always moves first, against the default agent, which takes itself for player 1 and so never blocks.
(The commands that the report lists start another training, in which it blocks: `opponent_blocks`. That
one does not lead to the published results of Tic Tac Toe.) After each move of its own, with s the
position it moved in and s' the one its opponent then has to move in,

    Q(s, a) += alpha (r + gamma max Q(s', .) - Q(s, a))

What is known of its faults, and repeated here:

- No position in which the opponent is to move is ever stored, so max Q(s', .) is 0 always.
- r is 1 for a winning move and 0 for all others; what was to teach losses (-1) and draws (0.2) came
  after the last move had been forgotten. So only winning moves ever get a value, 1 - 0.9^n after n wins.
- Epsilon decays only in episodes that end with the learner's own move.

A position whose values are all 0 is not stored here: an absent one says the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, any_cell, has_cell, single_cell
from inarow.games.kernels import compiled_layout, completes_line, hash_key, kernel
from inarow.games.layout import Layout
from inarow.games.rules import action_count, landing_cell, playable, winning_cells
from inarow.games.spec import GameSpec
from inarow.learning.tabular.greedy import draw_best_action
from inarow.learning.tabular.q_index import add_row, find_row, is_crowded
from inarow.learning.tabular.q_table import QTable

_ALPHA = 0.1
_FIRST_EPSILON, _DECAY, _LAST_EPSILON = 0.3, 0.995, 0.01
_MEMORY = 64 << 20
"""Bytes: on 6x7x4 room for 600,000 positions, more than there can be after the most episodes."""


def train_as_published(
    spec: GameSpec, episodes: int, rng: np.random.Generator, *, opponent_blocks: bool = False
) -> QTable:
    """A table after so many episodes. It needs a row for each at most."""
    table = QTable(spec, memory=_MEMORY)
    layout = compiled_layout(spec)
    epsilon = np.full(1, _FIRST_EPSILON)
    while episodes > 0:
        table.reserve()
        episodes -= _train(
            layout,
            episodes,
            opponent_blocks,
            epsilon,
            table.index,
            table.old_index,
            table.keys,
            table.values,
            table.visits,
            table.state,
            rng,
        )
    return table


@kernel
def _train(
    layout: Layout,
    episodes: int,
    opponent_blocks: bool,
    epsilon: np.ndarray,
    index: np.ndarray,
    old: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    visits: np.ndarray,
    state: Any,
    rng: np.random.Generator,
) -> int:
    """Plays until there are enough episodes or the index is crowded; how many it played."""
    cells = layout.rows * layout.columns
    for done in range(episodes):
        if is_crowded(index, state):
            return done
        stones = mask = layout.board ^ layout.board
        for ply in range(cells):
            is_own = ply & 1 == 0
            if is_own:
                row = find_row(hash_key(stones, mask, layout), index, old, keys)
                if rng.random() < epsilon[0]:
                    row = -1  # without values, all moves are equal
                action = _best_action(mask, row, values, layout, rng)
            else:
                action = _default_action(stones, mask, opponent_blocks, layout, rng)
            cell = landing_cell(mask, action, layout)
            mine = stones | single_cell(cell, stones)
            is_won = completes_line(mine, cell, layout)
            if is_own and is_won:
                row = add_row(hash_key(stones, mask, layout), index, old, keys, state)
                if row >= 0:  # a full table learns nothing new
                    values[row, action] += _ALPHA * (1.0 - values[row, action])
                    visits[row, action] += 1
            if is_own and (is_won or ply + 1 == cells):
                epsilon[0] = max(_LAST_EPSILON, epsilon[0] * _DECAY)
            if is_won:
                break
            stones, mask = mask ^ stones, mask | mine
    return episodes


@register_jitable
def _best_action(mask: Bits, row: int, values: np.ndarray, layout: Layout, rng: np.random.Generator) -> int:
    """Uniformly one of the legal actions with the greatest value; all have 0 without a row."""
    action, _ = draw_best_action(mask, action_count(layout), row, False, values, layout, rng)
    return action


@register_jitable
def _default_action(stones: Bits, mask: Bits, blocks: bool, layout: Layout, rng: np.random.Generator) -> int:
    """What the default agent plays: the first win, else if it `blocks` the first action with which the
    other side would win, else anything.
    """
    urgent = winning_cells(stones, mask, layout) & playable(mask, layout)
    if blocks and not any_cell(urgent):
        urgent = winning_cells(mask ^ stones, mask, layout) & playable(mask, layout)
    if any_cell(urgent):
        for action in range(action_count(layout)):
            cell = landing_cell(mask, action, layout)
            if cell >= 0 and has_cell(urgent, cell):
                return action
    return _best_action(mask, -1, np.zeros((0, 0)), layout, rng)
