"""Compiled: steps of many games at once. `games` lists those that take part."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import WORDS, count_cells, has_cell, load, single_cell, store
from inarow.games.kernels import completes_line, hash_key, kernel
from inarow.games.layout import Layout
from inarow.games.rules import action_count, landing_cell
from inarow.games.spec import GameSpec
from inarow.learning.exploration.explorer import decision_of
from inarow.search.minimax.alphabeta import MinimaxContext
from inarow.search.minimax.negamax import negamax_move

ONGOING, WON, DRAWN, LOST = range(4)  # results, for the learner


class Boards(NamedTuple):
    """N games, as `bits.load` reads them."""

    own: np.ndarray  # [N, words] uint64, the learner's stones
    mask: np.ndarray  # [N, words] uint64, all stones


class Afterstates(NamedTuple):
    """What the learner can reach: n counts games, k boards after a move, of which there are at most n * actions."""

    keys: np.ndarray  # [n] uint64, as `legal` what `decision_of` returns
    legal: np.ndarray  # [n] int64
    after_keys: np.ndarray  # [k] uint64
    places: np.ndarray  # [k] int64: n * actions + action
    planes: np.ndarray  # [k, rows, columns] float32: 1 own, -1 other stones


def empty_boards(spec: GameSpec, count: int) -> Boards:
    """Games without stones."""
    shape = count, 1 if spec.fits_word else WORDS
    return Boards(np.zeros(shape, np.uint64), np.zeros(shape, np.uint64))


def empty_afterstates(spec: GameSpec, count: int) -> Afterstates:
    """Memory for this many games."""
    most = count * spec.actions
    planes = np.empty((most, spec.rows, spec.columns), np.float32)
    games, moves = ((np.empty(size, np.uint64), np.empty(size, np.int64)) for size in (count, most))
    return Afterstates(*games, *moves, planes)


@kernel
def list_afterstates(layout: Layout, boards: Boards, games: np.ndarray, found: Afterstates) -> int:
    """Writes what the learner, to move in all `games`, can reach; returns the number of boards."""
    own, mask = boards.own, boards.mask
    keys, legal, after_keys, places, planes = found.keys, found.legal, found.after_keys, found.places, found.planes
    count, actions = 0, action_count(layout)
    for number in range(len(games)):
        stones, both = load(own, games[number], layout.board), load(mask, games[number], layout.board)
        keys[number], legal[number] = decision_of(stones, both, layout)
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
    layout: Layout, boards: Boards, games: np.ndarray, actions: np.ndarray, is_learner: bool, results: np.ndarray
) -> None:
    """Plays the n-th action in the n-th of `games`. A game that ends gets its result, int64 [N], which was ONGOING."""
    own, mask = boards.own, boards.mask
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
    context: MinimaxContext,
    boards: Boards,
    games: np.ndarray,
    depth: int,
    omega: float,
    rng: np.random.Generator,
    actions: np.ndarray,
) -> None:
    """Writes the opponent's action in each of `games`, one after the other."""
    own, mask, board = boards.own, boards.mask, context.layout.board
    for number in range(len(games)):
        stones, both = load(own, games[number], board), load(mask, games[number], board)
        actions[number] = negamax_move(context, both ^ stones, both, count_cells(both), depth, omega, rng)
