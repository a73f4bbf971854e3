"""Minimax and alpha-beta of paranji-2025 as they were run, to the node.

What is known of them, and repeated here:

- Every agent was made as player 1, also the one that moved second: `believes_first`.
- Diagonal windows were compared in a way that is never true: `diagonals=false`.
- A finished game is worth 1 or -1, less than many heuristic sums.
- Window values 0.1, 0.3 and 0.8 were added up in binary fractions, in the order rows, columns,
  diagonals of each square. Sums that should be equal differ in their last bits, and since the
  first best move is taken, play depends on that order; so it is kept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from numba.extending import register_jitable

from inarow.agents.agent import Decision
from inarow.games.kernels import kernel
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.minimax.heuristics import WINDOW_UNIT, window_weights

_WIN, _USUAL_DEPTH, _NO_LIMIT = 1.0, 3, 1 << 30


class ParanjiMinimaxParameters(msgspec.Struct, frozen=True, kw_only=True):
    depth: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=256)] | Literal["none", "auto"],
        msgspec.Meta(description="plies to look ahead; none: to the end; auto: 3 with gravity, else none"),
    ] = "auto"
    prune: Annotated[bool, msgspec.Meta(description="alpha-beta cut-offs")] = True
    believes_first: Annotated[bool, msgspec.Meta(description="whether it takes itself for player 1 always")] = True
    diagonals: Annotated[bool, msgspec.Meta(description="whether diagonal windows count")] = False


class _Board(NamedTuple):
    """What the search asks about a board."""

    gravity: bool
    inarow: int
    windows: np.ndarray  # [windows that count, inarow] int64, cells counted row by row from the top left
    weights: np.ndarray  # [inarow] float64, by number of stones


class ParanjiMinimax:
    """Plays the first best move; a root move that wins for the side it believes to be ends the search."""

    def __init__(self, name: str, parameters: ParanjiMinimaxParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._parameters = parameters

    def decide(self, position: Position) -> Decision:
        position.check_ongoing()
        wanted = self._parameters
        board = _board(position.spec, wanted.diagonals)
        me = 1 if wanted.believes_first else position.side_to_move
        limit = wanted.depth
        if isinstance(limit, str):
            limit = _USUAL_DEPTH if limit == "auto" and position.spec.gravity else _NO_LIMIT
        nodes = np.zeros(1, np.int64)
        best, action = -np.inf, position.legal_actions[0]
        for move in position.legal_actions:
            after = position.play(move)
            if after.winner == me:
                action, best = move, _WIN
                break
            if after.is_over:
                value = 0.0 if after.winner is None else -_WIN
            else:
                value = _value(
                    board, after.to_array(), after.side_to_move, me, 1, limit, wanted.prune, best, np.inf, False, nodes
                )
            if value > best:
                action, best = move, float(value)
        return Decision(action=action, value=float(np.clip(best, -1, 1)), nodes=int(nodes[0]))


@lru_cache(maxsize=64)
def _board(spec: GameSpec, diagonals: bool) -> _Board:
    rows, columns, inarow = spec.rows, spec.columns, spec.inarow
    spots = [(row, column) for row in range(rows) for column in range(columns)]
    windows = [[(row, column + i) for i in range(inarow)] for row, column in spots if column + inarow <= columns]
    by_column = sorted(spots, key=lambda spot: spot[1])
    windows += [[(row + i, column) for i in range(inarow)] for row, column in by_column if row + inarow <= rows]
    if diagonals:
        for row, column in spots:
            if row + inarow <= rows and column + inarow <= columns:
                windows.append([(row + i, column + i) for i in range(inarow)])
                windows.append([(row + inarow - 1 - i, column + i) for i in range(inarow)])
    cells = np.array([[row * columns + column for row, column in window] for window in windows], np.int64)
    weights = np.array([0.0, *window_weights(inarow)]) / WINDOW_UNIT
    return _Board(spec.gravity, inarow, cells, weights)


@kernel
def _value(
    board: Any,
    cells: np.ndarray,
    player: int,
    me: int,
    level: int,
    limit: int,
    prune: bool,
    alpha: float,
    beta: float,
    maximise: bool,
    nodes: np.ndarray,
) -> float:
    """The value for `me` of an unfinished position, in which `player` is to move. Levels maximise and
    minimise in turn from the root, whoever moves. Only positions that are entered are counted.
    """
    nodes[0] += 1
    if level >= limit:
        return _heuristic(board, cells, me)
    rows, columns = cells.shape
    best = -np.inf if maximise else np.inf
    for action in range(columns if board.gravity else rows * columns):
        row, column = 0, action
        if board.gravity:
            while row < rows and cells[row, column] == 0:
                row += 1
            row -= 1
        else:
            row = action // columns
            column = action - row * columns
        if row < 0 or cells[row, column] != 0:
            continue
        cells[row, column] = player
        if _makes_line(cells, row, column, board.inarow):
            value = _WIN if player == me else -_WIN
        elif np.all(cells != 0):
            value = 0.0
        else:
            value = _value(board, cells, 3 - player, me, level + 1, limit, prune, alpha, beta, not maximise, nodes)
        cells[row, column] = 0
        if maximise:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if prune and beta <= alpha:
            break
    return best


@register_jitable
def _makes_line(cells: np.ndarray, row: int, column: int, inarow: int) -> bool:
    rows, columns = cells.shape
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < rows and 0 <= c < columns and cells[r, c] == cells[row, column]:
                length += 1
                r, c = r + sign * down, c + sign * right
        if length >= inarow:
            return True
    return False


@register_jitable
def _heuristic(board: Any, cells: np.ndarray, me: int) -> float:
    columns = cells.shape[1]
    total = 0.0
    for window in range(board.windows.shape[0]):
        mine = others = 0
        for place in range(board.windows.shape[1]):
            cell = board.windows[window, place]
            stone = cells[cell // columns, cell % columns]
            mine += stone == me
            others += stone == 3 - me
        if mine > 0 and others == 0:
            total += board.weights[mine]
        elif others > 0 and mine == 0:
            total -= board.weights[others]
    return total
