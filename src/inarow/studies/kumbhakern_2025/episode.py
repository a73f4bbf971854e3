"""Compiled: the games by which kumbhakern-2025 trained its table.

A position belongs to the learner, whoever is to move: its key is the learner's side, the learner's stones
and all stones. After every ply, of the learner and of its opponent, with s' the position after it,

    Q(s, a) += alpha (r + gamma max Q(s', .) - Q(s, a))

r is 1 if the learner's ply wins, -1 if the opponent's does, 0 for a draw, else for a ply of the learner a
tenth of its block weight. At the end of the game the max is left out. What is known of its faults, and
repeated here:

- max is also taken where the opponent is to move, which wants the least for the learner.
- An opponent that plays by the table ("self-play") is asked the same way, takes the action that is best
  for the learner, and so helps it to win.
- max runs over full columns as well; their value stays 0.
- After a random start player 1 is to move, whatever stones are there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, single_cell
from inarow.games.kernels import completes_line, hash_key, kernel
from inarow.games.layout import Layout
from inarow.games.rules import has_line, landing_cell
from inarow.learning.tabular.blocking import block_weight
from inarow.learning.tabular.opponents import random_action
from inarow.learning.tabular.q_index import add_row, find_row, is_crowded

RANDOM, FROZEN_FOR_LEARNER, FROZEN_FOR_ITSELF = range(3)
"""Opponents other than the table in training: any move; the table as it was when the phase began, asked for
what is best for the learner (as committed), or for what is best for the opponent (as described)."""

ALPHA, GAMMA, BLOCK = 0.05, 0.9, 0.1
_TIE = 1e-5
_EMPTY, _FIRST_SIDE = 0.5, 0.75  # a cell of a random start: below the one empty, below the other player 1
_SECOND_SIDE_BIT = np.uint64(1 << 63)
_ZERO = np.uint64(0)


@register_jitable
def learner_key(stones: Bits, mask: Bits, learner: int, layout: Layout) -> np.uint64:
    """Of a position as the learner (0 moves first, 1 second) sees it; `stones` are the learner's."""
    return hash_key(stones, mask, layout) ^ (_SECOND_SIDE_BIT if learner else _ZERO)


@kernel
def train_episodes(
    layout: Layout,
    first: int,
    episodes: int,
    epsilon: float,
    split: float,
    opponent: int,
    random_starts: float,
    index: np.ndarray,
    old: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    visits: np.ndarray,
    state: Any,
    frozen: np.ndarray,
    rewards: np.ndarray,
    rng: np.random.Generator,
) -> int:
    """Plays episodes number `first` and following until there are enough or the index is crowded; how many it played.

    A share `split` of them is against `opponent`, the others against the table in training. `frozen` are the
    values of the first rows at an earlier time. The learner's rewards are added to `rewards[0]`.
    """
    for done in range(episodes):
        if is_crowded(index, state):
            return done
        learner = 1 - (first + done) % 2
        stones, mask, left = _start(layout, learner, random_starts, rng)
        is_self = rng.random() >= split
        side = 0
        row = add_row(learner_key(stones, mask, learner, layout), index, old, keys, state)
        while True:
            is_own = side == learner
            if is_own or is_self:
                if rng.random() < epsilon:
                    action = random_action(mask, layout.columns, layout, rng)
                else:
                    action = _best_action(mask, row, values, layout, rng)
            elif opponent == RANDOM:
                action = random_action(mask, layout.columns, layout, rng)
            else:
                known = row
                if opponent == FROZEN_FOR_ITSELF:
                    known = find_row(learner_key(mask ^ stones, mask, side, layout), index, old, keys)
                action = _best_action(mask, known, frozen, layout, rng)
            cell = landing_cell(mask, action, layout)
            stone = single_cell(cell, mask)
            mask |= stone
            if is_own:
                stones |= stone
            left -= 1
            is_won = completes_line(stones if is_own else mask ^ stones, cell, layout)
            reward, future, after = 0.0, 0.0, row
            if is_won:
                reward = 1.0 if is_own else -1.0
            elif left > 0:
                if is_own:
                    reward = BLOCK * block_weight(mask ^ stones, mask, cell, layout)
                after = add_row(learner_key(stones, mask, learner, layout), index, old, keys, state)
                future = values[after].max()
            values[row, action] += ALPHA * (reward + GAMMA * future - values[row, action])
            visits[row, action] += 1
            rewards[0] += reward
            if is_won or left == 0:
                break
            row = after
            side = 1 - side
    return episodes


@register_jitable
def _start(layout: Layout, learner: int, random_starts: float, rng: np.random.Generator) -> tuple[Any, Any, int]:
    """(The learner's stones, all stones, empty cells): the empty board, or at times a random filling of it."""
    area = layout.rows * layout.columns
    empty = layout.board ^ layout.board
    if random_starts == 0.0 or rng.random() >= random_starts:
        return empty, empty, area
    while True:
        stones, mask, left = empty, empty, area
        for height in range(layout.rows):
            for column in range(layout.columns):
                if landing_cell(mask, column, layout) == column * layout.stride + height:
                    draw = rng.random()
                    if draw >= _EMPTY:
                        stone = single_cell(column * layout.stride + height, mask)
                        mask |= stone
                        left -= 1
                        if (draw >= _FIRST_SIDE) == (learner == 1):
                            stones |= stone
        if left > 0 and not has_line(stones, layout) and not has_line(mask ^ stones, layout):
            return stones, mask, left


@register_jitable
def _best_action(mask: Bits, row: int, values: np.ndarray, layout: Layout, rng: np.random.Generator) -> int:
    """Any of the open columns whose value is the greatest but for a small tolerance; all are 0 without a row."""
    is_known = 0 <= row < len(values)
    best, ties = -np.inf, 0
    for action in range(layout.columns):
        if landing_cell(mask, action, layout) >= 0:
            best = max(best, values[row, action] if is_known else 0.0)
    for action in range(layout.columns):
        if landing_cell(mask, action, layout) >= 0 and (values[row, action] if is_known else 0.0) >= best - _TIE:
            ties += 1
    chosen = int(rng.random() * ties)
    for action in range(layout.columns):
        if landing_cell(mask, action, layout) >= 0 and (values[row, action] if is_known else 0.0) >= best - _TIE:
            if chosen == 0:
                return action
            chosen -= 1
    return -1
