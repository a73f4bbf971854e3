"""Compiled: steps of many games at once.

Game i has the learner's stones in `own[i]` and all stones in `mask[i]`, uint64 [N, words] as `bits.load` reads them.
`games` lists those that take part. `results[i]` is GOING_ON until the game ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import count_cells, has_cell, load, single_cell, store
from inarow.games.kernels import completes_line, hash_key, kernel
from inarow.games.layout import Layout
from inarow.games.rules import landing_cell
from inarow.learning.exploration.flags import decision_of
from inarow.search.minimax.negamax import negamax_move

GOING_ON, WON, DRAWN, LOST = range(4)
"""Results, for the learner."""


@kernel
def list_afterstates(
    layout: Layout,
    own: np.ndarray,
    mask: np.ndarray,
    games: np.ndarray,
    actions: int,
    keys: np.ndarray,
    legal: np.ndarray,
    after_keys: np.ndarray,
    places: np.ndarray,
    planes: np.ndarray,
) -> int:
    """What the learner, to move in all `games`, can reach: returns how many boards.

    Writes for the n-th game its `keys[n]` and `legal[n]` as `decision_of` gives them; for the k-th board its key, its
    place n * actions + action, and the board itself, float32 [rows, columns]: 1 own, -1 other stones.
    """
    count = 0
    for number in range(len(games)):
        stones, both = load(own, games[number], layout.board), load(mask, games[number], layout.board)
        keys[number], legal[number] = decision_of(stones, both, actions, layout)
        for action in range(actions):
            cell = landing_cell(both, action, layout)
            if cell >= 0:
                placed = stones | single_cell(cell, stones)
                after_keys[count] = hash_key(placed, both | placed, layout)
                places[count] = number * actions + action
                draw_board(layout, placed, both | placed, planes[count])
                count += 1
    return count


@register_jitable
def draw_board(layout: Layout, own: Any, mask: Any, plane: np.ndarray) -> None:
    """Writes a board, float32 [rows, columns], row 0 on top."""
    for column in range(layout.columns):
        for height in range(layout.rows):
            cell = column * layout.stride + height
            value = 0.0
            if has_cell(own, cell):
                value = 1.0
            elif has_cell(mask, cell):
                value = -1.0
            plane[layout.rows - 1 - height, column] = value


@kernel
def play_actions(
    layout: Layout,
    own: np.ndarray,
    mask: np.ndarray,
    games: np.ndarray,
    actions: np.ndarray,
    is_learner: bool,
    results: np.ndarray,
) -> None:
    """Plays the n-th action in the n-th of `games`, by the learner or by its opponent."""
    for number in range(len(games)):
        game = games[number]
        stones, both = load(own, game, layout.board), load(mask, game, layout.board)
        cell = landing_cell(both, int(actions[number]), layout)  # int: plain Python shifts no word by an np.int64
        stone = single_cell(cell, both)
        both = both | stone
        if is_learner:
            stones = stones | stone
            store(own, game, stones)
        store(mask, game, both)
        mine = stones if is_learner else both ^ stones
        if completes_line(mine, cell, layout):
            results[game] = WON if is_learner else LOST
        elif count_cells(both) == layout.rows * layout.columns:
            results[game] = DRAWN


@kernel
def choose_by_negamax(
    layout: Layout,
    starts: Any,
    weights: Any,
    walk: Any,
    table: np.ndarray,
    own: np.ndarray,
    mask: np.ndarray,
    games: np.ndarray,
    depth: int,
    omega: float,
    rng: np.random.Generator,
    actions: np.ndarray,
) -> None:
    """Writes the opponent's action in each of `games`, one after the other."""
    for number in range(len(games)):
        stones, both = load(own, games[number], layout.board), load(mask, games[number], layout.board)
        actions[number] = negamax_move(
            layout, starts, weights, walk, table, both ^ stones, both, count_cells(both), depth, omega, rng
        )
