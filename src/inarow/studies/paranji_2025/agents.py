"""The agents of paranji-2025 as published: minimax and alpha-beta with the same node counts, the default agent, and the
Q-learner.

Faults of minimax, repeated here:

- Every agent was created as player 1, even the one that moved second: `believes_first`.
- Diagonal windows were compared in a way that is always false: `diagonals=false`.
- A finished game has the value 1 or -1, less than many heuristic sums.
- Window values 0.1, 0.3 and 0.8 were added in floating point, in the order rows, columns, diagonals of each square.
  Sums that should be equal differ in their last bits, and since the first best move is played, play depends on that
  order, which is therefore kept.

The Q-learner always moves first, against the default agent, which assumes that it is player 1 and so never blocks.
(The commands in the report start another training, in which it blocks: `opponent_blocks`. That training does not
give the published results of Tic Tac Toe.) After each move of the learner, where s is the position before the move
and s' the position after it,

    Q(s, a) += alpha (r + gamma max Q(s', .) - Q(s, a))

Its faults, repeated here:

- No position in which the opponent is to move is ever stored, so max Q(s', .) is 0 always.
- r is 1 for a winning move and 0 for all others; the rewards of losses (-1) and draws (0.2) were given after the
  last move had been discarded. So only winning moves ever get a value, 1 - 0.9^n after n wins.
- Epsilon decays only in episodes that end with the learner's own move.

A position whose values are all 0 is not stored here: a missing row means the same.
"""

from functools import lru_cache, partial
from itertools import product
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from numba.extending import register_jitable

from inarow.agents.agent import Decision, ImmediateAgent, ParameterisedAgent
from inarow.agents.simple import NoParameters, draw
from inarow.games import GameSpec, Position
from inarow.games.bits import Bits, any_cell, has_cell, single_cell
from inarow.games.kernels import bits_of, compiled_layout, completes_line, hash_key, kernel
from inarow.games.layout import Layout, layout_of
from inarow.games.rules import action_count, landing_cell
from inarow.learning.tabular.moves import draw_best_action, urgent_action
from inarow.learning.tabular.q_table import QArrays, QTable, add_row, find_row, is_crowded
from inarow.search.limits import Limits, Watch
from inarow.search.minimax.heuristics import WINDOW_UNIT, window_weights
from inarow.studies.play import TablePlayer, values_by_position

_WIN, _USUAL_DEPTH, _NO_LIMIT = 1.0, 3, 1 << 30
_EPISODES_WITH_GRAVITY, _EPISODES_WITHOUT = 50_000, 5_000
_ALPHA, _FIRST_EPSILON, _DECAY, _LAST_EPSILON = 0.1, 0.3, 0.995, 0.01
_MEMORY = 64 << 20  # bytes; on 6x7x4 enough for 600,000 positions, more than any number of episodes can reach


class ParanjiWinBlock(ParameterisedAgent[NoParameters], ImmediateAgent):
    """The default agent: plays wins of player 1, else cells where player 2 would win, else a random move.

    It assumes that it is player 1. So as the second player it finds no win by its first rule,
    plays its own wins by the rule for blocks, and never blocks.
    """

    def _decide(self, position: Position) -> Decision:
        urgent = position.winning_actions()
        if not urgent and position.side_to_move == 1:
            urgent = position.winning_actions(of_opponent=True)
        return draw(position, urgent[:1], self._rng)


# --- Minimax ---


class ParanjiMinimaxParameters(msgspec.Struct, frozen=True, kw_only=True):
    depth: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=256)] | Literal["none", "auto"],
        msgspec.Meta(description="search depth in plies; none: to the end; auto: 3 with gravity, else none"),
    ] = "auto"
    prune: Annotated[bool, msgspec.Meta(description="use alpha-beta cut-offs")] = True
    believes_first: Annotated[bool, msgspec.Meta(description="whether it always assumes that it is player 1")] = True
    diagonals: Annotated[bool, msgspec.Meta(description="whether diagonal windows count")] = False


class ParanjiMinimax(ParameterisedAgent[ParanjiMinimaxParameters]):
    """Plays the first best move; a root move that wins for the side that it assumes to be ends the search.

    Can be cancelled between root moves; then it plays the best move so far.
    """

    def decide(
        self, position: Position, *, limits: Limits | None = None, watch: Watch[Decision] | None = None
    ) -> Decision:
        position.check_ongoing()
        wanted, spec, layout = self._parameters, position.spec, compiled_layout(position.spec)
        me = 1 if wanted.believes_first else position.side_to_move
        depth = wanted.depth
        if isinstance(depth, str):
            depth = _USUAL_DEPTH if depth == "auto" and spec.gravity else _NO_LIMIT
        weights = np.array([0.0, *window_weights(spec.inarow)]) / WINDOW_UNIT
        windows, nodes = _windows(spec, wanted.diagonals), np.zeros(1, np.int64)
        search = _Search(layout, windows, weights, depth, wanted.prune, nodes)
        best, action = -np.inf, position.legal_actions[0]
        for move in position.legal_actions:
            if limits is not None and limits.cancelled is not None and limits.cancelled():
                break
            after = position.play(move)
            if after.winner == me:
                action, best = move, _WIN
                break
            if after.is_over:
                worth = 0.0 if after.winner is None else -_WIN
            else:
                worth = _value(search, *bits_of(after, layout), after.side_to_move == me, 1, best, np.inf)
            if worth > best:
                action, best = move, float(worth)
        value = None if best == -np.inf else float(np.clip(best, -1, 1))
        return Decision(action=action, value=value, nodes=int(nodes[0]))


class _Search(NamedTuple):
    """The constants of a search, and its node counter."""

    layout: Layout
    windows: np.ndarray  # [windows, inarow] int64: bits of cells
    weights: np.ndarray  # [inarow] float64, by number of stones
    depth: int
    prune: bool
    nodes: np.ndarray  # [1] int64


@lru_cache(maxsize=64)
def _windows(spec: GameSpec, diagonals: bool) -> np.ndarray:
    """The windows in the published order: rows, columns, the two diagonals of each square."""
    rows, columns, inarow = spec.rows, spec.columns, spec.inarow
    spots = list(product(range(rows), range(columns)))
    windows = [[(row, column + i) for i in range(inarow)] for row, column in spots if column + inarow <= columns]
    by_column = sorted(spots, key=lambda spot: spot[1])
    windows += [[(row + i, column) for i in range(inarow)] for row, column in by_column if row + inarow <= rows]
    if diagonals:
        for row, column in spots:
            if row + inarow <= rows and column + inarow <= columns:
                windows.append([(row + i, column + i) for i in range(inarow)])
                windows.append([(row + inarow - 1 - i, column + i) for i in range(inarow)])
    layout = layout_of(spec)
    return np.array([[layout.cell(*spot) for spot in window] for window in windows], np.int64)


@kernel
def _value(search: _Search, stones: Bits, mask: Bits, is_mine: bool, level: int, alpha: float, beta: float) -> float:
    """The value of an unfinished position for the assumed side, which is to move if `is_mine`.

    Levels alternately minimise (the first, after a root move) and maximise, regardless of the side to move. Only
    entered positions are counted.
    """
    layout = search.layout
    search.nodes[0] += 1
    if level >= search.depth:
        return _heuristic(search, stones, mask ^ stones) if is_mine else _heuristic(search, mask ^ stones, stones)
    maximise = level % 2 == 0
    best = -np.inf if maximise else np.inf
    for action in range(action_count(layout)):
        cell = landing_cell(mask, action, layout)
        if cell < 0:
            continue
        placed = stones | single_cell(cell, stones)
        if completes_line(placed, cell, layout):
            value = _WIN if is_mine else -_WIN
        elif not any_cell((mask | placed) ^ layout.board):
            value = 0.0
        else:
            value = _value(search, mask ^ stones, mask | placed, not is_mine, level + 1, alpha, beta)
        if maximise:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if search.prune and beta <= alpha:
            break
    return best


@register_jitable
def _heuristic(search: _Search, mine: Bits, others: Bits) -> float:
    total = 0.0
    for window in range(search.windows.shape[0]):
        own = other = 0
        for place in range(search.windows.shape[1]):
            own += has_cell(mine, search.windows[window, place])
            other += has_cell(others, search.windows[window, place])
        if own > 0 and other == 0:
            total += search.weights[own]
        elif other > 0 and own == 0:
            total -= search.weights[other]
    return total


# --- The Q-learner ---


class ParanjiQParameters(msgspec.Struct, frozen=True, kw_only=True):
    episodes: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=200_000)] | Literal["auto"],
        msgspec.Meta(description="training games; auto: 50,000 with gravity, else 5,000"),
    ] = "auto"
    opponent_blocks: Annotated[
        bool, msgspec.Meta(description="whether its training opponent knows its own side, as in the listed commands")
    ] = False
    training_seed: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1, description="random seed of the training")] = 0


class ParanjiQ(ParameterisedAgent[ParanjiQParameters], ImmediateAgent):
    """Plays the action with the greatest value, drawn among equal ones. Trains before its first move.

    It only learns positions with the first side to move, so as second player it moves at random.
    """

    def _decide(self, position: Position) -> Decision:
        wanted, spec = self._parameters, position.spec
        episodes = wanted.episodes
        if isinstance(episodes, str):
            episodes = _EPISODES_WITH_GRAVITY if spec.gravity else _EPISODES_WITHOUT
        table = _trained_table(spec, episodes, wanted.training_seed, wanted.opponent_blocks)
        return TablePlayer(self.name, partial(values_by_position, table), self._rng).decide(position)


@lru_cache(maxsize=4)
def _trained_table(spec: GameSpec, episodes: int, seed: int, opponent_blocks: bool) -> QTable:
    """The table of these arguments. Agents share it, so it must not be changed."""
    return train_as_published(spec, episodes, np.random.default_rng(seed), opponent_blocks=opponent_blocks)


def train_as_published(
    spec: GameSpec, episodes: int, rng: np.random.Generator, *, opponent_blocks: bool = False
) -> QTable:
    """A table after `episodes` episodes, with at most one new row per episode."""
    table = QTable(spec, memory=_MEMORY)
    layout = compiled_layout(spec)
    epsilon = np.full(1, _FIRST_EPSILON)
    while episodes > 0:
        table.reserve()
        episodes -= _train(layout, episodes, opponent_blocks, epsilon, table.arrays, rng)
    return table


@kernel
def _train(
    layout: Layout, episodes: int, opponent_blocks: bool, epsilon: np.ndarray, table: QArrays, rng: np.random.Generator
) -> int:
    """Plays until there are enough episodes or the index is full; returns the number played."""
    cells = layout.rows * layout.columns
    index, old, keys, state, values, visits = table
    for done in range(episodes):
        if is_crowded(index, state):
            return done
        stones = mask = layout.board ^ layout.board
        for ply in range(cells):
            is_own = ply & 1 == 0
            row = -1  # without values, all moves are equal
            action = -1 if is_own else urgent_action(stones, mask, opponent_blocks, layout)
            if is_own and rng.random() >= epsilon[0]:
                row = find_row(hash_key(stones, mask, layout), index, old, keys)
            if action < 0:
                action, _ = draw_best_action(mask, action_count(layout), row, False, values, layout, rng)
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
