"""The memory of a Monte Carlo tree search: one array per property, allocated once.

Every tree owns a range of consecutive slots, the root first. The children of a node are next to each other, always
after their parent, so a tree can be reduced to a subtree in place.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games import GameSpec, Position
from inarow.games.kernels import kernel, new_arrays

ROOT, SLOTS, USED, VISITED, IS_FULL = range(5)
"""Columns of `TreeArrays.counts`: first slot, number of slots, slots in use, visited nodes except the root (only with
rollouts), whether a block of children did not fit."""

UNKNOWN, DRAWN, SOONEST_WIN = 0, 1, 1000
"""Values of `TreeArrays.proof` besides SOONEST_WIN - n: the side that moved into the node wins with stone number n;
the negative: it loses with stone number n. Greater is better for that side, with DRAWN in between."""

MAX_NODES = 2**31 - 1
MAX_VISITS = 2**30 - 1  # of a root with rollouts: more could overflow `total`, where a win counts 2


class TreeArrays(NamedTuple):
    """Nodes of one or more trees. Results are for the side that moved into a node. Arrays that a kind of tree does not
    need are empty: `tried` and `spread` with a network, `prior` with rollouts.
    """

    visits: Annotated[np.ndarray, np.int32, "slots"]
    total: Annotated[np.ndarray, np.int32, "slots"]
    """Sum of results: with rollouts 2 for a win and 1 for a draw, float64 if results may lie in between; with a network
    float32 of [-1, 1]."""
    first: Annotated[np.ndarray, np.int32, "slots"]  # the first child
    size: Annotated[np.ndarray, np.int16, "slots"]  # number of children; 0 before they are added
    cell: Annotated[np.ndarray, np.int16, "slots"]  # the stone that leads here
    proof: Annotated[np.ndarray, np.int16, "slots"]
    tried: Annotated[np.ndarray, np.int16, "rollout_slots"]  # children with a visit, which come first
    spread: Annotated[np.ndarray, np.float32, "rollout_slots"]  # 1 / sqrt(visits)
    prior: Annotated[np.ndarray, np.float32, "network_slots"]  # of the move that leads here; those of siblings sum to 1
    counts: Annotated[np.ndarray, np.int64, "trees counters"]


ROLLOUT_SLOT_BYTES = 4 * 4 + 4 * 2
FRACTIONAL_SLOT_BYTES = ROLLOUT_SLOT_BYTES + 4
NETWORK_SLOT_BYTES = 4 * 4 + 3 * 2


def bytes_for_game(spec: GameSpec, simulations: int, *, fractional: bool = False) -> int:
    """The largest size of a rollout tree in a game; each simulation adds the children of one node."""
    decisions = spec.cells // 2 + 1
    return (FRACTIONAL_SLOT_BYTES if fractional else ROLLOUT_SLOT_BYTES) * (1 + simulations * spec.actions * decisions)


def make_rollout_tree(memory: int, *, fractional: bool = False) -> TreeArrays:
    """One tree of at most `memory` bytes (but at least one node); `fractional` if results may be fractions."""
    slots = min(max(1, memory // (FRACTIONAL_SLOT_BYTES if fractional else ROLLOUT_SLOT_BYTES)), MAX_NODES)
    tree = _laid_out(1, slots, rollout_slots=slots, network_slots=0)
    return tree._replace(total=np.zeros(slots)) if fractional else tree


def rollout_bytes(tree: TreeArrays) -> int:
    """The memory of a rollout tree in use."""
    return int(tree.counts[0, USED]) * (ROLLOUT_SLOT_BYTES - 4 + tree.total.itemsize)


def make_network_trees(trees: int, slots: int) -> TreeArrays:
    """Trees of `slots` nodes each."""
    tree = _laid_out(trees, slots, rollout_slots=0, network_slots=trees * slots)
    return tree._replace(total=tree.total.view(np.float32))


def _laid_out(trees: int, slots: int, **sizes: int) -> TreeArrays:
    """Trees of the same number of slots, each with an unvisited root."""
    tree = new_arrays(TreeArrays, np.empty, slots=trees * slots, trees=trees, counters=5, **sizes)  # faster than zeros
    tree.counts[:] = 0
    tree.counts[:, ROOT], tree.counts[:, SLOTS] = np.arange(trees) * slots, slots
    for number in range(trees):
        reset_tree(tree, number)
    return tree


@register_jitable
def reset_tree(tree: TreeArrays, number: int) -> None:
    """Reduces a tree to an unvisited root."""
    root = tree.counts[number, ROOT]
    tree.counts[number, USED], tree.counts[number, VISITED], tree.counts[number, IS_FULL] = 1, 0, 0
    tree.visits[root] = tree.first[root] = tree.size[root] = tree.cell[root] = 0
    tree.total[root] = 0
    tree.proof[root] = UNKNOWN
    if len(tree.tried) > 0:
        tree.tried[root] = 0
        tree.spread[root] = 0.0
    if len(tree.prior) > 0:
        tree.prior[root] = 1.0


@register_jitable
def take_slots(counts: np.ndarray, number: int, size: int) -> int:
    """Allocates a block of slots of a tree for the children of a node; returns the first, or -1 if it does not fit."""
    used = counts[number, USED]
    if used + size > counts[number, SLOTS]:
        counts[number, IS_FULL] = 1
        return -1
    counts[number, USED] = used + size
    return counts[number, ROOT] + used


def descend(tree: TreeArrays, cell: int) -> bool:
    """Makes the visited child on `cell` the root of a single tree and drops the rest; False if it does not exist."""
    children = np.arange(tree.first[0], tree.first[0] + tree.size[0])
    found = children[(tree.cell[children] == cell) & (tree.visits[children] > 0)]
    if not len(found):
        return False
    place = np.zeros(tree.counts[0, USED], np.int32)
    used = _number_subtree(tree.first, tree.size, int(found[0]), place)
    kept = np.flatnonzero(place)
    first = np.where(tree.size[kept] > 0, place[tree.first[kept]] - 1, 0)
    for array in tree[:-1]:
        if len(array):
            array[:used] = array[kept]
    tree.first[:used] = first
    tree.counts[0, USED:] = used, np.count_nonzero(tree.visits[:used]), 0
    return True


@kernel
def _number_subtree(first: np.ndarray, size: np.ndarray, root: int, place: np.ndarray) -> int:
    """Writes 1, 2, ... to `place` (zeros before) for `root` and the nodes below it, in order; returns their number."""
    used = 0
    place[root] = 1
    for node in range(root, len(place)):
        if place[node] != 0:
            used += 1
            place[node] = used
            for child in range(first[node], first[node] + size[node]):
                place[child] = 1
    return used


def follow_game(tree: TreeArrays, root: Position | None, position: Position) -> bool:
    """Reduces a tree to a later position of the game of its root; returns whether that was possible."""
    plies = 0 if root is None else len(root.actions)
    if root is None or position.spec != root.spec or position.actions[:plies] != root.actions:
        return False
    played = position.actions[plies:]
    for action in played:
        if not descend(tree, root.landing_cell(action)):
            return False
        root = root.play(action)
    return bool(played)


# --- Proofs ---


@register_jitable
def proven_value(proof: int) -> float:
    """1, 0 or -1 for the side that moved into a proven node."""
    return 0.0 if proof == DRAWN else 1.0 if proof > 0 else -1.0


@register_jitable
def prove(path: np.ndarray, length: int, tree: TreeArrays) -> None:
    """Propagates the proof of the last node of a path upwards. Not checked: moves without a child are worse than all
    others.
    """
    first, size, proof = tree.first, tree.size, tree.proof
    for place in range(length - 1, -1, -1):
        node = path[place]
        best = proof[path[place + 1]]
        if best < SOONEST_WIN // 2:  # not a win: every child must be proven
            for child in range(first[node], first[node] + size[node]):
                if proof[child] == UNKNOWN:
                    return
                best = max(best, proof[child])
        proof[node] = DRAWN if best == DRAWN else -best


def forget_root_proof(tree: TreeArrays) -> None:
    """Drops a proof of the root of a single tree that does not follow from the proofs of its children."""
    proofs = tree.proof[tree.first[0] : tree.first[0] + tree.size[0]]
    if not (proofs > DRAWN).any() and (not len(proofs) or UNKNOWN in proofs):
        tree.proof[0] = UNKNOWN


# --- Searches with a network ---


class SearchState(NamedTuple):
    """The state of the search in each network tree."""

    stones: Annotated[np.ndarray, np.uint64, "games words"]  # of the side to move at the root
    mask: Annotated[np.ndarray, np.uint64, "games words"]
    ply: Annotated[np.ndarray, np.int32, "games"]
    done: Annotated[np.ndarray, np.int32, "games"]  # simulations
    wanted: Annotated[np.ndarray, np.int32, "games"]
    noise: Annotated[np.ndarray, np.float32, "games actions"]  # Gumbel or gamma variates for the root's children
    value: Annotated[np.ndarray, np.float32, "games"]
    """The network's value of the root for its side to move; nan until it is known."""
    path: Annotated[np.ndarray, np.int32, "games plies"]  # nodes of the simulation that waits for the network
    length: Annotated[np.ndarray, np.int32, "games"]  # moves in it
    leaf_stones: Annotated[np.ndarray, np.uint64, "games words"]  # its last position
    leaf_mask: Annotated[np.ndarray, np.uint64, "games words"]


@register_jitable
def reset_search(state: SearchState, game: int) -> None:
    """Resets a search to the state before its first simulation."""
    state.done[game] = 0
    state.value[game] = np.nan


def array_bytes(*parts: NamedTuple) -> int:
    """The bytes of all arrays in these tuples."""
    return sum(array.nbytes for part in parts for array in part)
