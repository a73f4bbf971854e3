"""The memory of a Monte Carlo tree search: one array per property, allocated once.

The children of a node lie next to each other, in random order. Node 0 is the root. A block of
children is always behind its parent, which lets a tree be cut down to a subtree in place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.kernels import kernel
from inarow.games.spec import GameSpec

USED, VISITED, EXHAUSTED = range(3)
"""Places in `Tree.counts`: slots taken, slots with a visit, whether a block did not fit."""

UNKNOWN, DRAWN, SOONEST_WIN = 0, 1, 1000
"""Values of `Tree.proof` besides SOONEST_WIN - n: the side that moved into the node wins with stone
number n, and the negative: it loses so. The better for that side, the greater, DRAWN between."""

MAX_NODES = 2**31 - 1
MAX_VISITS = 2**30 - 1
"""Of the root: more would let the points, two for a win, overflow."""


class Tree(NamedTuple):
    """Results count for the side that moved into a node: two points for a win, one for a draw."""

    visits: np.ndarray  # [slots] int32
    points: np.ndarray  # [slots] int32
    spread: np.ndarray  # [slots] float32, 1 / sqrt(visits)
    first: np.ndarray  # [slots] int32, the first child
    size: np.ndarray  # [slots] int16, children; 0 before they get their slots
    tried: np.ndarray  # [slots] int16, children with a visit, which come first
    cell: np.ndarray  # [slots] int16, the stone that leads here
    proof: np.ndarray  # [slots] int16
    counts: np.ndarray  # [3] int64


SLOT_BYTES = 4 * 4 + 4 * 2


def bytes_for_game(spec: GameSpec, simulations: int) -> int:
    """What a tree can fill in a game of so many simulations a move; each gives slots to the children of one node."""
    decisions = spec.cells // 2 + 1
    return SLOT_BYTES * (1 + simulations * spec.actions * decisions)


def make_tree(memory: int) -> Tree:
    """An empty tree of at most `memory` bytes, and at least a root."""
    slots = min(max(1, memory // SLOT_BYTES), MAX_NODES)
    tree = Tree(
        visits=np.empty(slots, np.int32),
        points=np.empty(slots, np.int32),
        spread=np.empty(slots, np.float32),
        first=np.empty(slots, np.int32),
        size=np.empty(slots, np.int16),
        tried=np.empty(slots, np.int16),
        cell=np.empty(slots, np.int16),
        proof=np.empty(slots, np.int16),
        counts=np.zeros(3, np.int64),
    )
    plant(tree)
    return tree


@register_jitable
def plant(tree: Tree) -> None:
    """Leaves nothing but a fresh root."""
    tree.counts[USED], tree.counts[VISITED], tree.counts[EXHAUSTED] = 1, 0, 0
    tree.visits[0] = tree.points[0] = 0
    tree.spread[0] = 0.0
    tree.first[0] = tree.size[0] = tree.tried[0] = tree.cell[0] = 0
    tree.proof[0] = UNKNOWN


@register_jitable
def number_subtree(first: np.ndarray, size: np.ndarray, root: int, place: np.ndarray) -> int:
    """Writes 1, 2, ... to `place` for the nodes below and with `root`, in their order, where children always
    lie behind; returns how many they are. `place` is zero for every slot in use.
    """
    used = 0
    place[root] = 1
    for node in range(root, len(place)):
        if place[node] != 0:
            used += 1
            place[node] = used
            for child in range(first[node], first[node] + size[node]):
                place[child] = 1
    return used


def descend(tree: Tree, cell: int) -> bool:
    """Makes the child on `cell` the root and forgets the rest; False, and nothing done, without such a child."""
    children = np.arange(tree.first[0], tree.first[0] + tree.tried[0])
    found = children[tree.cell[children] == cell]
    if not found.size:
        return False
    _cut_down(tree, int(found[0]), np.zeros(tree.counts[USED], np.int32))
    return True


@kernel
def _cut_down(tree: Tree, root: int, place: np.ndarray) -> None:
    """Moves the subtree of `root` to the front. `place` is zero for every slot in use."""
    used, visited = number_subtree(tree.first, tree.size, root, place), 0
    for old in range(root, len(place)):
        if place[old] != 0:
            new = place[old] - 1
            tree.visits[new], tree.points[new] = tree.visits[old], tree.points[old]
            tree.spread[new] = tree.spread[old]
            tree.first[new] = place[tree.first[old]] - 1 if tree.size[old] > 0 else 0
            tree.size[new], tree.tried[new] = tree.size[old], tree.tried[old]
            tree.cell[new], tree.proof[new] = tree.cell[old], tree.proof[old]
            visited += tree.visits[new] > 0
    tree.counts[USED], tree.counts[VISITED], tree.counts[EXHAUSTED] = used, visited, 0


@register_jitable
def prove(path: np.ndarray, length: int, first: np.ndarray, size: np.ndarray, proof: np.ndarray) -> None:
    """Carries the proof of the last node of a path up as far as it reaches. Moves of a node that have no
    child must be worse than all that have one.
    """
    for place in range(length - 1, -1, -1):
        node = path[place]
        best = proof[path[place + 1]]
        if best < SOONEST_WIN // 2:  # no win: every child must be known
            for child in range(first[node], first[node] + size[node]):
                if proof[child] == UNKNOWN:
                    return
                best = max(best, proof[child])
        proof[node] = DRAWN if best == DRAWN else -best
