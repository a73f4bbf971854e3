"""Compiled: steps of many games at once. `games` lists the indices of those that take part."""

from typing import Annotated, Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import count_cells, has_cell, load, single_cell, store
from inarow.games.kernels import board_sizes, completes_line, hash_key, kernel, new_arrays
from inarow.games.layout import Layout
from inarow.games.rules import action_count, landing_cell
from inarow.learning.exploration.action_sets import empty_rows
from inarow.learning.exploration.explorer import decision_of
from inarow.search.minimax.alphabeta import MinimaxContext
from inarow.search.minimax.negamax import negamax_move

ONGOING, WON, DRAWN, LOST = range(4)  # results, for the learner


class Boards(NamedTuple):
    """N games, in the form that `bits.load` reads."""

    own: Annotated[np.ndarray, np.uint64, "games words"]  # the learner's stones
    mask: Annotated[np.ndarray, np.uint64, "games words"]  # all stones


class Afterstates(NamedTuple):
    """The boards after each move of the learner, at most games * actions."""

    keys: Annotated[np.ndarray, np.uint64, "games"]  # this and `legal`: the results of `decision_of`
    legal: Annotated[np.ndarray, np.int64, "games"]  # on boards of many actions in another form, see `action_sets.py`
    after_keys: Annotated[np.ndarray, np.uint64, "boards"]
    places: Annotated[np.ndarray, np.int64, "boards"]  # game * actions + action
    planes: Annotated[np.ndarray, np.float32, "boards rows columns"]  # 1 own, -1 other stones


def empty_boards(layout: Layout, games: int) -> Boards:
    """Empty boards of this many games."""
    return new_arrays(Boards, games=games, **board_sizes(layout))


def empty_afterstates(layout: Layout, games: int) -> Afterstates:
    """Memory for this many games."""
    found = new_arrays(Afterstates, games=games, boards=games * action_count(layout), **board_sizes(layout))
    return found._replace(legal=empty_rows(games, action_count(layout)))


@kernel
def list_afterstates(layout: Layout, boards: Boards, games: np.ndarray, found: Afterstates) -> int:
    """Writes the boards after each move of the learner, who is to move in all `games`; returns their number."""
    own, mask = boards.own, boards.mask
    keys, legal, after_keys, places, planes = found.keys, found.legal, found.after_keys, found.places, found.planes
    count, actions = 0, action_count(layout)
    for number in range(len(games)):
        stones, both = load(own, games[number], layout.board), load(mask, games[number], layout.board)
        keys[number] = decision_of(stones, both, layout, legal, number)
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
    """Plays the n-th action in the n-th of `games`, and writes the results, int64 [N], of games that end."""
    own, mask = boards.own, boards.mask
    for number in range(len(games)):
        game = games[number]
        stones, both = load(own, game, layout.board), load(mask, game, layout.board)
        cell = landing_cell(both, int(actions[number]), layout)  # int: plain Python cannot shift a word by an np.int64
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
    """Writes the opponent's action in each of `games`, in order."""
    own, mask, board = boards.own, boards.mask, context.layout.board
    for number in range(len(games)):
        stones, both = load(own, games[number], board), load(mask, games[number], board)
        actions[number] = negamax_move(context, both ^ stones, both, count_cells(both), depth, omega, rng)
