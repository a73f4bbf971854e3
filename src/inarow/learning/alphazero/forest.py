"""The memory of searches with a network: one array per property, allocated once, for many games.

Every game has a tree of `slots` consecutive slots; its root is the first of them. The children of a
node lie next to each other, ascending by cell, and always behind it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.kernels import kernel
from inarow.games.layout import Layout
from inarow.games.rules import action_count
from inarow.games.wide import WORDS, Wide
from inarow.search.tree.memory import UNKNOWN, number_subtree


class Forest(NamedTuple):
    """Slots of nodes. Values and proofs (see `search/tree.py`) are for the side that moved into a node."""

    prior: np.ndarray  # [games * slots] float32, of the move that leads here; children's sum to 1
    visits: np.ndarray  # int32
    total: np.ndarray  # float32, sum of the values that came back through here, each in [-1, 1]
    first: np.ndarray  # int32, the first child
    size: np.ndarray  # int16, children; 0 before the node is expanded
    cell: np.ndarray  # int16, the stone that leads here
    proof: np.ndarray  # int16


SLOT_BYTES = 4 * 4 + 3 * 2


class Searches(NamedTuple):
    """Where each game's search is."""

    stones: np.ndarray  # [games, words] uint64, of the side to move at the root
    mask: np.ndarray  # [games, words] uint64
    ply: np.ndarray  # [games] int32
    used: np.ndarray  # [games] int32, slots taken
    done: np.ndarray  # [games] int32, simulations
    wanted: np.ndarray  # [games] int32
    noise: np.ndarray  # [games, actions] float32, Gumbel noise of the root's children
    value: np.ndarray  # [games] float32, the network's value of the root for its side to move; nan before
    path: np.ndarray  # [games, cells + 1] int32, nodes of the simulation that waits for the network
    length: np.ndarray  # [games] int32, moves in it
    leaf_stones: np.ndarray  # [games, words] uint64, its last position
    leaf_mask: np.ndarray  # [games, words] uint64


def make_forest(games: int, slots: int) -> Forest:
    """Empty trees; each must be planted."""
    count = games * slots
    return Forest(
        prior=np.empty(count, np.float32),
        visits=np.empty(count, np.int32),
        total=np.empty(count, np.float32),
        first=np.empty(count, np.int32),
        size=np.empty(count, np.int16),
        cell=np.empty(count, np.int16),
        proof=np.empty(count, np.int16),
    )


def make_searches(games: int, layout: Layout) -> Searches:
    """Searches of nothing."""
    words = WORDS if isinstance(layout.board, Wide) else 1
    cells = layout.rows * layout.columns
    actions = action_count(layout)

    def numbers(*shape: int, kind: Any = np.int32) -> np.ndarray:
        return np.zeros((games, *shape), kind)

    return Searches(
        stones=numbers(words, kind=np.uint64),
        mask=numbers(words, kind=np.uint64),
        ply=numbers(),
        used=numbers(),
        done=numbers(),
        wanted=numbers(),
        noise=numbers(actions, kind=np.float32),
        value=numbers(kind=np.float32),
        path=numbers(cells + 1),
        length=numbers(),
        leaf_stones=numbers(words, kind=np.uint64),
        leaf_mask=numbers(words, kind=np.uint64),
    )


@register_jitable
def plant(forest: Forest, searches: Searches, game: int, slots: int) -> None:
    """Leaves nothing of a game's tree but a fresh root, and its search before its first simulation."""
    root = game * slots
    forest.prior[root] = 1.0
    forest.visits[root] = 0
    forest.total[root] = 0.0
    forest.first[root] = forest.size[root] = forest.cell[root] = 0
    forest.proof[root] = UNKNOWN
    searches.used[game], searches.done[game] = 1, 0
    searches.value[game] = np.nan


def descend(forest: Forest, searches: Searches, cell: int) -> bool:
    """Makes the child on `cell` the root of a forest of one game and forgets the rest; False, and
    nothing done, without such a child or with one that was never visited.
    """
    children = np.arange(forest.first[0], forest.first[0] + forest.size[0])
    found = children[forest.cell[children] == cell]
    if not found.size or not forest.visits[found[0]]:
        return False
    _cut_down(forest, searches, int(found[0]), np.zeros(searches.used[0], np.int32))
    return True


@kernel
def _cut_down(forest: Forest, searches: Searches, root: int, place: np.ndarray) -> None:
    """Moves the subtree of `root` to the front. `place` is zero for every slot in use."""
    used = number_subtree(forest.first, forest.size, root, place)
    for old in range(root, len(place)):
        if place[old] != 0:
            new = place[old] - 1
            forest.prior[new], forest.visits[new] = forest.prior[old], forest.visits[old]
            forest.total[new] = forest.total[old]
            forest.first[new] = place[forest.first[old]] - 1 if forest.size[old] > 0 else 0
            forest.size[new], forest.cell[new] = forest.size[old], forest.cell[old]
            forest.proof[new] = forest.proof[old]
    searches.used[0], searches.done[0] = used, 0
    searches.value[0] = np.nan
