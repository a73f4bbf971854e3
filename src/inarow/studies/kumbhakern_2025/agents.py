"""The agents of kumbhakern-2025 as published: a 4x4 Q-table, its training, and its use with windows.

Positions are for the learner, regardless of the side to move: the key is the learner's side, the learner's stones and
all stones. After every ply, of the learner or its opponent, where s' is the position after it,

    Q(s, a) += alpha (r + gamma max Q(s', .) - Q(s, a))

r is 1 if the learner wins by this ply, -1 if the opponent does, 0 for a draw, otherwise for a ply of the learner a
tenth of its block weight. At the end of the game the max is omitted. Faults, repeated here:

- max is also used where the opponent is to move, who minimises the learner's value.
- An opponent that plays by the table ("self-play") uses the same values, so it plays the action that is best for
  the learner and helps it to win.
- max includes full columns; their value stays 0.
- After a random start player 1 is to move, regardless of the stones on the board.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from numba.extending import register_jitable

from inarow.agents.agent import Decision, ImmediateAgent
from inarow.agents.window import check_window, find_windows
from inarow.errors import IllegalMoveError
from inarow.games import GameSpec, Position
from inarow.games.bits import Bits, single_cell
from inarow.games.kernels import compiled_layout, completes_line, hash_key, kernel
from inarow.games.layout import Layout, layout_of
from inarow.games.rules import has_line, landing_cell
from inarow.learning.tabular.moves import block_weight, random_action
from inarow.learning.tabular.q_table import QArrays, QTable, add_row, find_row, is_crowded

WINDOW = GameSpec(4, 4, 4)
RANDOM, FROZEN_FOR_LEARNER, FROZEN_FOR_ITSELF = range(3)
"""Opponents other than the table in training: random moves; the table at the start of the phase, playing the best
action for the learner (as committed) or for the opponent (as described)."""
GENERATIONS = 5
LOG = 5_000  # episodes between points of the curve, and between changes of epsilon
ALPHA, GAMMA, BLOCK = 0.05, 0.9, 0.1
_FIRST_EPSILON, _LAST_EPSILON = 0.8, 0.05
_BETTER, _WORSE, _TOLERANCE = 0.9, 1.01, 0.005
_MEMORY = 256 << 20  # bytes; enough for all positions
_TIE = 1e-5
_EMPTY, _FIRST_SIDE = 0.5, 0.75  # draws for a cell of a random start: below the one empty, below the other player 1
_SECOND_SIDE_BIT = np.uint64(1 << 63)
_ZERO = np.uint64(0)


# --- Agents ---


def published_values(table: QTable, position: Position) -> np.ndarray | None:
    """The values of a table as published, for the side to move. With the table bound, a `Lookup`."""
    (values,) = _look_up(table, [(position.stones, position.mask)], position.side_to_move)
    return values


def _look_up(table: QTable, boards: list[tuple[int, int]], side: int) -> list[np.ndarray | None]:
    """For each (own stones, all stones), the values for side 1 or 2; None if it was never met."""
    layout = layout_of(table.spec)
    keys = [learner_key(stones, mask, side - 1, layout) for stones, mask in boards]
    rows = table.find(np.array(keys, np.uint64)).tolist()
    return [table.values[row] if row >= 0 else None for row in rows]


class PublishedWindowParameters(msgspec.Struct, frozen=True, kw_only=True):
    episodes: Annotated[
        int, msgspec.Meta(ge=1, le=500_000, description="games in each of the seven phases of training")
    ] = 200_000
    random_starts: Annotated[
        float, msgspec.Meta(ge=0, le=1, description="share of games that begin with a random board")
    ] = 0.0
    training_seed: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1, description="random seed of the training")] = 0


class PublishedWindowAgent(ImmediateAgent):
    """Plays the best action of the window with the greatest value, the first of equal ones.

    Faults, repeated here: a column of any window is considered full if the same column counted from the left of the
    board is; a window that was never met has values 0, more than one known to be bad; a column may be chosen although
    its next free cell is above the window. So it may choose a full column. The published program stopped there; this
    agent raises IllegalMoveError and loses the game.
    """

    def __init__(self, name: str, table: Callable[[], QTable]) -> None:
        """`table` is called for every decision, so that training can be delayed until the first."""
        self.name = name
        self._table = table

    def _decide(self, position: Position) -> Decision:
        self.check_board(position.spec)
        windows = find_windows(position, WINDOW)
        found = _look_up(self._table(), [(window.stones, window.mask) for window in windows], position.side_to_move)
        legal = position.legal_actions
        highest, chosen = -np.inf, windows[0].column
        for window, known in zip(windows, found, strict=True):
            values = np.zeros(WINDOW.columns) if known is None else known
            masked = [value if place in legal else -np.inf for place, value in enumerate(values.tolist())]
            if max(masked) > highest:
                highest, chosen = max(masked), window.column + masked.index(max(masked))
        if chosen not in legal:
            raise IllegalMoveError(f"kumbhakern-2025/window chose column {chosen + 1}, which is full, and stopped")
        unseen = sum(known is None for known in found)
        return Decision(action=chosen, details={"windows": len(windows), "unseen": unseen})

    def check_board(self, spec: GameSpec) -> None:
        check_window(WINDOW, spec)


def build_published_window(
    name: str, parameters: PublishedWindowParameters, rng: np.random.Generator
) -> PublishedWindowAgent:
    """The agent `kumbhakern-2025/window`, which trains before its first move unless the table exists. Its play is
    deterministic.
    """
    settings = parameters.episodes, parameters.random_starts, parameters.training_seed
    return PublishedWindowAgent(name, partial(trained_table, *settings))


@lru_cache(maxsize=2)
def trained_table(episodes: int, random_starts: float, seed: int) -> QTable:
    """The table of these arguments. Agents share it, so it must not be changed."""
    trainer = PublishedTrainer(np.random.default_rng(seed), random_starts=random_starts)
    for phase in phases(RANDOM, GENERATIONS):
        trainer.run(phase, episodes)
    return trainer.table


# --- Training ---


@dataclass(frozen=True, slots=True)
class Phase:
    """Part of the training. Each phase starts with the initial epsilon."""

    name: str
    split: float  # share of episodes against the opponent; the others are "self-play"
    opponent: int = RANDOM


def phases(opponent: int, generations: int) -> tuple[Phase, ...]:
    """All phases; in the generations of the last phase, seven of ten episodes are against `opponent`.

    The published curve is for random opponents, although frozen opponents are described.
    """
    last = (Phase(f"generation {number}", 0.7, opponent) for number in range(1, generations + 1))
    return (Phase("random", 1.0), Phase("self-play", 0.0), *last)


class EpisodeRules(NamedTuple):
    """The settings of episodes, for kernels."""

    epsilon: float
    split: float  # share of episodes against `opponent`; the others are against the table in training
    opponent: int
    random_starts: float


class PublishedTrainer:
    """Trains a table phase by phase. All randomness comes from `rng`."""

    def __init__(self, rng: np.random.Generator, *, random_starts: float = 0.0) -> None:
        self.table = QTable(WINDOW, memory=_MEMORY)
        self._random_starts = random_starts
        self._rng = rng
        self._layout = compiled_layout(WINDOW)

    def run(self, phase: Phase, episodes: int) -> list[float]:
        """Trains one phase; returns the mean reward of every `LOG` episodes."""
        table, curve = self.table, []
        frozen = table.values[: len(table) if phase.opponent != RANDOM else 0].copy()
        epsilon, best = _FIRST_EPSILON, -np.inf
        for first in range(0, episodes, LOG):
            count = min(LOG, episodes - first)
            rules = EpisodeRules(epsilon, phase.split, phase.opponent, self._random_starts)
            mean = self._play(rules, frozen, first, count) / count
            epsilon *= _BETTER if mean - best > -_TOLERANCE else _WORSE
            epsilon = min(max(epsilon, _LAST_EPSILON), _FIRST_EPSILON)
            best = max(best, mean)
            curve.append(mean)
        assert table.refused == 0
        return curve

    def _play(self, rules: EpisodeRules, frozen: np.ndarray, first: int, episodes: int) -> float:
        """Plays episodes; returns the sum of the rewards."""
        table, rewards, done = self.table, np.zeros(1), 0
        while done < episodes:
            table.reserve()
            count = episodes - done
            done += _train(self._layout, first + done, count, rules, table.arrays, frozen, rewards, self._rng)
        return float(rewards[0])


@register_jitable
def learner_key(stones: Bits, mask: Bits, learner: int, layout: Layout) -> np.uint64:
    """The key of a position for the learner (0 moves first, 1 second) with the stones `stones`."""
    return hash_key(stones, mask, layout) ^ (_SECOND_SIDE_BIT if learner else _ZERO)


@kernel
def _train(
    layout: Layout,
    first: int,
    episodes: int,
    rules: EpisodeRules,
    table: QArrays,
    frozen: np.ndarray,
    rewards: np.ndarray,
    rng: np.random.Generator,
) -> int:
    """Plays episodes from number `first` until there are enough or the index is full; returns the number played.

    `frozen` are the values of the first rows at an earlier time. The learner's rewards are added to `rewards[0]`.
    """
    index, old, keys, state, values, visits = table
    for done in range(episodes):
        if is_crowded(index, state):
            return done
        learner = 1 - (first + done) % 2
        stones, mask, left = _start(layout, learner, rules.random_starts, rng)
        is_self = rng.random() >= rules.split
        side = 0
        row = add_row(learner_key(stones, mask, learner, layout), index, old, keys, state)
        while True:
            is_own = side == learner
            if is_own or is_self:
                if rng.random() < rules.epsilon:
                    action = random_action(mask, layout.columns, layout, rng)
                else:
                    action = _best_action(mask, row, values, layout, rng)
            elif rules.opponent == RANDOM:
                action = random_action(mask, layout.columns, layout, rng)
            else:
                known = row
                if rules.opponent == FROZEN_FOR_ITSELF:
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
    """(The learner's stones, all stones, number of empty cells) of the empty board or, with probability
    `random_starts`, of a random board.
    """
    area = layout.rows * layout.columns
    empty = layout.board ^ layout.board
    if random_starts == 0.0 or rng.random() >= random_starts:
        return empty, empty, area
    heights = np.empty(layout.columns, np.int64)
    while True:
        stones, mask, left = empty, empty, area
        heights[:] = 0
        for height in range(layout.rows):
            for column in range(layout.columns):
                if heights[column] == height:
                    draw = rng.random()
                    if draw >= _EMPTY:
                        stone = single_cell(landing_cell(mask, column, layout), mask)
                        mask |= stone
                        heights[column] += 1
                        left -= 1
                        if (draw >= _FIRST_SIDE) == (learner == 1):
                            stones |= stone
        if left > 0 and not has_line(stones, layout) and not has_line(mask ^ stones, layout):
            return stones, mask, left


@register_jitable
def _best_action(mask: Bits, row: int, values: np.ndarray, layout: Layout, rng: np.random.Generator) -> int:
    """A random open column with the greatest value, up to a small tolerance; without a row all values are 0."""
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
