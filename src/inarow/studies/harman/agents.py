"""The agents of harman as published: a tree search, and a Q-learner trained against it.

Faults of the tree search, repeated here:

- Results are 1, 0, -1 for the root's side in every node, and every node prefers high results: the
  tree treats the opponent as cooperative.
- The end of the game is not recognised in the tree. A won position is played on, and only a line through the
  stone placed last counts in a playout. So an immediate win has no higher value than any other move.
- A playout from a full board ends in a "stone" on the full last column, which may still win.

The published program needs five columns; for other numbers this is the obvious generalisation.

The learner always moves second, against this tree search. At each of its turns, where s, a is its last move and s' the
current position,

    Q(s, a) += alpha (-1 + gamma max Q(s', .) - Q(s, a))

and at the end, where r is 50 for a win, -50 for a loss and -10 for a draw, for its last move

    Q(s, a) += alpha (r - Q(s, a))

Its faults, repeated here:

- Every position and its mirror image have separate entries. A new value is written to both, except when the
  opponent's move ended the game: losses must be learnt twice.
- A draw is punished, though on many boards a good first player can force one.

The program adds zeros for a position and its mirror image when either is first met; here a missing row means the same.
"""

import math
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numba.extending import register_jitable

from inarow.agents.agent import Decision, ImmediateAgent, ParameterisedAgent
from inarow.errors import InvalidAgentError, InvalidLimitError, TableError
from inarow.games import GameSpec, Position
from inarow.games.bits import Bits, single_cell
from inarow.games.kernels import bits_of, compiled_layout, completes_line, hash_key, kernel
from inarow.games.layout import Layout
from inarow.games.playout import fill_heights, random_cell
from inarow.games.rules import has_line_through, landing_cell, mirror
from inarow.learning.tabular.moves import draw_best_action, random_action
from inarow.learning.tabular.q_table import QArrays, QTable, add_row, is_crowded
from inarow.storage.atomic import content_hash
from inarow.studies.play import TablePlayer, values_by_position

ALPHA, GAMMA, EPSILON = 0.6, 0.8, 0.1
WIN, LOSS, DRAW, STEP = 50.0, -50.0, -10.0, -1.0
WON, DRAWN, LOST = 1, 0, -1
_C = 2.0
_LEARNER = "harman/q"
_TRAIN = "none"
_FULL_DEPTH = 4  # plies of the tree that exist from the start; below, a node gets children when it is first visited


class HarmanMctsParameters(msgspec.Struct, frozen=True, kw_only=True):
    playouts: Annotated[int, msgspec.Meta(ge=1, le=10**6, description="playouts per move")] = 40
    c: Annotated[float, msgspec.Meta(ge=0, le=100, description="exploration constant")] = _C


class HarmanMcts(ParameterisedAgent[HarmanMctsParameters], ImmediateAgent):
    """Plays the first of the most visited moves of a new tree."""

    def _decide(self, position: Position) -> Decision:
        self.check_board(position.spec)
        layout = compiled_layout(position.spec)
        tree = make_tree(position.spec, self._parameters.playouts, self._parameters.c)
        action = most_visited(layout, *bits_of(position, layout), position.ply, tree, self._rng)
        children = tuple(tree.visits[1 : position.spec.columns + 1].tolist())
        return Decision(action=int(action), visits=children, nodes=int(np.count_nonzero(tree.visits)))

    def check_board(self, spec: GameSpec) -> None:
        if not spec.gravity:
            raise InvalidLimitError(f"harman/mcts needs a board with gravity; {spec} has none")


class HarmanQParameters(msgspec.Struct, frozen=True, kw_only=True):
    episodes: Annotated[int, msgspec.Meta(ge=1, le=200_000, description="training games")] = 50_000
    playouts: Annotated[
        int, msgspec.Meta(ge=1, le=1000, description="playouts per move of its opponent in training")
    ] = 40
    training_seed: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1, description="random seed of the training")] = 0
    table: Annotated[
        str,
        msgspec.Meta(description="file of `inarow reproduce harman --set tables=save`; none: train"),
    ] = _TRAIN


class HarmanQ(ParameterisedAgent[HarmanQParameters], ImmediateAgent):
    """Trains on the board before its first move, unless it has the file of a table. It only learns positions with the
    second side to move, so as first player it moves at random.
    """

    def __init__(self, name: str, parameters: HarmanQParameters, rng: np.random.Generator) -> None:
        super().__init__(name, parameters, rng)
        self._loaded: QTable | None = None
        if parameters.table != _TRAIN:
            if parameters != HarmanQParameters(table=parameters.table):
                raise InvalidAgentError("harman/q: a table is already trained; leave out all other parameters")
            self._loaded = load_table(Path(parameters.table))

    def _decide(self, position: Position) -> Decision:
        spec, wanted = position.spec, self._parameters
        self.check_board(spec)
        table = self._loaded
        if table is None:
            table = _trained_table(spec, wanted.episodes, wanted.playouts, wanted.training_seed)
        return TablePlayer(self.name, partial(values_by_position, table), self._rng).decide(position)

    def check_board(self, spec: GameSpec) -> None:
        if self._loaded is not None and self._loaded.spec != spec:
            raise TableError(f"the table of harman/q is for {self._loaded.spec}, not for {spec}")
        if not spec.gravity:
            raise InvalidLimitError(f"harman/q needs a board with gravity; {spec} has none")
        if not spec.fits_word:
            raise InvalidLimitError(f"harman/q needs a board that fits one 64-bit word; {spec} is too large")


@lru_cache(maxsize=4)
def _trained_table(spec: GameSpec, episodes: int, playouts: int, seed: int) -> QTable:
    """The table of these arguments. Agents share it, so it must not be changed."""
    table = QTable(spec)
    play_as_published(table, episodes, playouts=playouts, rng=np.random.default_rng(seed))
    return table


def table_hash(parameters: HarmanQParameters) -> str | None:
    """A hash of the table file; None without one."""
    return None if parameters.table == _TRAIN else content_hash(Path(parameters.table), TableError)


def save_table(path: Path, table: QTable, *, episodes: int, playouts: int) -> None:
    """Writes a trained table for `harman/q:table=...`, with its number of training games and the playouts of its
    opponent.
    """
    table.save(path, learner=_LEARNER, episodes=episodes, playouts=playouts)


def load_table(path: Path) -> QTable:
    """A table of `save_table`; raises TableError. Cached until the file changes, so it must not be changed."""
    try:
        status = path.stat()
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}") from None
    return _load(path.resolve(), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _load(path: Path, changed: int, size: int) -> QTable:
    table, about = QTable.load(path)
    if about.get("learner") != _LEARNER:
        raise TableError(f"{path} is not a table of harman/q")
    return table


# --- The tree search ---


class PublishedTree(NamedTuple):
    """Node 0 is the root; the children of a node are next to each other, one for each column."""

    playouts: int
    c: float
    visits: np.ndarray  # [nodes] int64
    totals: np.ndarray  # [nodes] int64, sum of results for the root's side
    first: np.ndarray  # [nodes] int64, the first child; 0 if there is none


def make_tree(spec: GameSpec, playouts: int, c: float = _C) -> PublishedTree:
    """An empty tree with space for its playouts."""
    upper = sum(spec.columns**level for level in range(_FULL_DEPTH))
    nodes = 1 + spec.columns * (min(upper, _FULL_DEPTH * playouts) + playouts)
    return PublishedTree(playouts, c, np.zeros(nodes, np.int64), np.zeros(nodes, np.int64), np.zeros(nodes, np.int64))


@kernel
def most_visited(
    layout: Layout, stones: Bits, mask: Bits, ply: int, tree: PublishedTree, rng: np.random.Generator
) -> int:
    """The most visited action of a new tree, the first of several. Overwrites the contents of `tree`."""
    columns, area = layout.columns, layout.rows * layout.columns
    visits, totals, first = tree.visits, tree.totals, tree.first
    heights = np.empty(columns, np.int64)
    path = np.empty(area + 1, np.int64)
    visits[0] = totals[0] = first[0] = 0
    used = 1
    for _ in range(tree.playouts):
        mine, both, stone = stones, mask, ply
        node = path[0] = 0
        while stone < area and (stone - ply < _FULL_DEPTH or visits[node] > 0):
            if first[node] == 0:
                for child in range(used, used + columns):
                    visits[child] = totals[child] = first[child] = 0
                first[node] = used
                used += columns
            action = _selected(layout, both, node, tree, rng)
            placed = single_cell(landing_cell(both, action, layout), both)
            mine, both = both ^ mine, both | placed
            stone += 1
            node = first[node] + action
            path[stone - ply] = node
        result = _play_on(layout, mine, both, stone, heights, rng)
        if (stone - ply) % 2 == 1:
            result = -result
        for place in range(stone - ply + 1):
            visits[path[place]] += 1
            totals[path[place]] += result
    return int(np.argmax(visits[1 : columns + 1]))


@register_jitable
def _selected(layout: Layout, mask: Bits, node: int, tree: PublishedTree, rng: np.random.Generator) -> int:
    """A random unvisited action, else the action with the highest bound; of equal ones the most visited."""
    visits, totals, first = tree.visits, tree.totals, tree.first
    chosen, unseen, highest = -1, 0, -np.inf
    for action in range(layout.columns):
        child = first[node] + action
        if landing_cell(mask, action, layout) < 0:
            continue
        if visits[child] == 0:
            unseen += 1
            if rng.random() * unseen < 1.0:
                chosen = action
        elif unseen == 0:
            bound = totals[child] / visits[child] + tree.c * math.sqrt(math.log(visits[node]) / visits[child])
            if bound > highest or (bound == highest and visits[child] > visits[first[node] + chosen]):
                highest, chosen = bound, action
    return chosen


@register_jitable
def _play_on(layout: Layout, mine: Bits, both: Bits, stone: int, heights: np.ndarray, rng: np.random.Generator) -> int:
    """The result for the side to move of random moves until one makes a line through its own stone."""
    area, result = layout.rows * layout.columns, 1
    fill_heights(heights, both, layout)
    while True:
        if stone < area:
            cell = random_cell(both, heights, layout, rng)
        else:
            cell = (layout.columns - 1) * layout.stride + layout.rows - 1
        placed = single_cell(cell, both)
        if has_line_through(mine | placed, cell, layout):
            return result
        stone += 1
        if stone >= area:
            return 0
        mine, both = both ^ mine, both | placed
        result = -result


# --- The learner ---


class Episodes(NamedTuple):
    """The rewards and results of games, for the learner."""

    rewards: np.ndarray  # [N] float64, sum per game
    results: np.ndarray  # [N] int64: WON, DRAWN or LOST


def play_as_published(
    table: QTable,
    episodes: int,
    *,
    playouts: int,
    rng: np.random.Generator,
    alpha: float = ALPHA,
    epsilon: float = EPSILON,
) -> Episodes:
    """Plays and learns. With alpha = epsilon = 0 this is the published evaluation. It still writes: it adds positions,
    and copies the value of a move that it plays to the mirror image, where it may differ after losses.
    """
    layout, tree = compiled_layout(table.spec), make_tree(table.spec, playouts)
    found = Episodes(np.zeros(episodes), np.zeros(episodes, np.int64))
    done = 0
    while done < episodes:
        table.reserve()
        rest = Episodes(found.rewards[done:], found.results[done:])
        done += _play(layout, alpha, epsilon, table.arrays, tree, rest, rng)
    return found


@kernel
def _play(
    layout: Layout,
    alpha: float,
    epsilon: float,
    table: QArrays,
    tree: PublishedTree,
    episodes: Episodes,
    rng: np.random.Generator,
) -> int:
    """Plays until all episodes are done or the index is crowded; returns the number of games played."""
    area = layout.rows * layout.columns
    index, old, keys, state, values, visits = table
    rewards, results = episodes.rewards, episodes.results
    for done in range(len(rewards)):
        if is_crowded(index, state):
            return done
        mine = both = layout.board ^ layout.board
        row, action = -1, -1  # of the learner's last move
        image = np.uint64(0)  # the key of the mirror image of the position before it
        for ply in range(area):
            is_own = ply & 1 == 1
            if is_own:
                before, moved, image_before = row, action, image
                image = hash_key(mirror(mine, layout), mirror(both, layout), layout)
                row = add_row(hash_key(mine, both, layout), index, old, keys, state)
                action, best = draw_best_action(both, layout.columns, row, False, values, layout, rng)
                if rng.random() < epsilon:
                    action = random_action(both, layout.columns, layout, rng)
                if before >= 0:
                    _teach(before, moved, STEP + GAMMA * best, alpha, values, visits)
                    _copy(before, moved, add_row(image_before, index, old, keys, state), values, visits)
                if moved >= 0:
                    rewards[done] += STEP
                chosen = action
            else:
                chosen = most_visited(layout, mine, both, ply, tree, rng)
            cell = landing_cell(both, chosen, layout)
            placed = mine | single_cell(cell, mine)
            mine, both = both ^ mine, both | placed
            is_won = completes_line(placed, cell, layout)
            if is_won or ply + 1 == area:
                results[done] = DRAWN if not is_won else WON if is_own else LOST
                reward = DRAW if not is_won else WIN if is_own else LOSS
                rewards[done] += reward
                if row >= 0:
                    _teach(row, action, reward, alpha, values, visits)
                    if is_own:
                        _copy(row, action, add_row(image, index, old, keys, state), values, visits)
                break
    return len(rewards)


@register_jitable
def _teach(row: int, action: int, target: float, alpha: float, values: np.ndarray, visits: np.ndarray) -> None:
    values[row, action] += alpha * (target - values[row, action])
    visits[row, action] += 1


@register_jitable
def _copy(row: int, action: int, twin: int, values: np.ndarray, visits: np.ndarray) -> None:
    """Writes a new value to the mirror image, whose row may be the same or, in a full table, -1."""
    if twin >= 0:
        image = values.shape[1] - 1 - action
        values[twin, image] = values[row, action]
        visits[twin, image] += 1
