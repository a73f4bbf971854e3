"""Compiled: tree search with rollouts, the classical Monte Carlo tree search.

A simulation descends to a node that is over, proven, or has an untried move; that move becomes a new node, from which
a leaf evaluator plays to the end; the result is backed up. A leaf evaluator is a registered function (see
`plugged.py`) `(leaf, layout, stones, mask, ply, heights, rng) -> result`. It gets a position that is not over and
returns 1, 0 or -1 for its side to move; if the type of `leaf` has `is_fractional = True`, any number from -1 to 1.
`heights` is scratch memory, one int64 per column.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.random import Generator

from inarow.games import GameSpec
from inarow.games.bits import Bits, count_cells, first_cell, single_cell
from inarow.games.compiled_bits import compiles
from inarow.games.kernels import completes_line, kernel
from inarow.games.layout import Layout
from inarow.games.playout import fill_heights, playout
from inarow.games.rules import landing_cell, playable
from inarow.search.minimax.alphabeta import MinimaxContext, WalkRecord, begin, walk_on
from inarow.search.minimax.heuristics import Heuristic, make_heuristic
from inarow.search.minimax.minimax import Minimax
from inarow.search.plugged import implementation_of, implements
from inarow.search.tree.memory import DRAWN, IS_FULL, SOONEST_WIN, UNKNOWN, USED, VISITED, TreeArrays
from inarow.search.tree.probes import NoProbe, back_up_proof, look_ahead
from inarow.search.tree.selection import NodeStats, upper_bound

_NO_LIMIT = 2**62
_NEVER = np.float32(-np.inf)

# --- Leaf evaluators ---


class RandomRollout(NamedTuple):
    """Plays random moves."""


class InformedRollout(NamedTuple):
    """Plays the first `moves` moves by minimax and all others at random. Not thread-safe."""

    moves: int
    depth: int
    minimax: MinimaxContext


@dataclass(frozen=True, slots=True)
class Rollouts:
    """Rollouts from a leaf: `informed` moves drawn among the best of a minimax search of `depth`, then random moves."""

    informed: int = 0
    depth: int = 2
    heuristic: Heuristic | None = None

    def leaf(self, spec: GameSpec, *, wide: bool | None = None) -> RandomRollout | InformedRollout:
        """A leaf evaluator for one thread."""
        if self.informed == 0:
            return RandomRollout()
        heuristic = self.heuristic or make_heuristic("windows", spec, wide=wide)
        minimax = Minimax(spec, heuristic, all_best=True, wide=wide)
        return InformedRollout(self.informed, self.depth, minimax.context)


def evaluate_leaf(
    leaf: Any, layout: Layout, stones: Bits, mask: Bits, ply: int, heights: np.ndarray, rng: Generator
) -> int:
    """The result for the side to move in a position that is not over."""
    result: int = implementation_of(type(leaf))(leaf, layout, stones, mask, ply, heights, rng)
    return result


@compiles(evaluate_leaf)
def _evaluate_leaf(
    leaf: Any, layout: Any, stones: Any, mask: Any, ply: Any, heights: Any, rng: Any
) -> Callable[..., int]:
    return implementation_of(leaf.instance_class)


@implements(RandomRollout)
def random_rollout(
    leaf: RandomRollout, layout: Layout, stones: Bits, mask: Bits, ply: int, heights: np.ndarray, rng: Generator
) -> int:
    fill_heights(heights, mask, layout)
    return playout(layout, stones, mask, ply, heights, rng)[0]


@implements(InformedRollout)
def informed_rollout(
    leaf: InformedRollout, layout: Layout, stones: Bits, mask: Bits, ply: int, heights: np.ndarray, rng: Generator
) -> int:
    """The result of a rollout that begins with minimax moves."""
    area = layout.rows * layout.columns
    walk = leaf.minimax.walk
    result = 1
    for _ in range(min(leaf.moves, area - ply)):
        begin(walk, stones, mask, ply, min(leaf.depth, area - ply))
        walk_on(leaf.minimax, _NO_LIMIT)
        cell = landing_cell(mask, _one_of_the_best(walk, rng), layout)
        mine = stones | single_cell(cell, stones)
        if completes_line(mine, cell, layout):
            return result
        mask, stones = mask | mine, mask ^ stones
        ply += 1
        result = -result
    if ply == area:
        return 0
    fill_heights(heights, mask, layout)
    return result * playout(layout, stones, mask, ply, heights, rng)[0]


@register_jitable
def _one_of_the_best(walk: WalkRecord, rng: Generator) -> int:
    """Draws uniformly among the best root actions of a finished walk with `all_best`."""
    best, seen = -1, 0
    for action in range(walk.actions):
        if walk.values[action] == walk.best[0]:
            seen += 1
            if rng.random() * seen < 1.0:
                best = action
    return best


# --- Simulations ---


class RolloutContext(NamedTuple):
    """The data of a search with rollouts."""

    layout: Layout
    tree: TreeArrays
    rule: Any  # a selection rule: `Uct`, or another registered NamedTuple
    leaf: Any  # a leaf evaluator: `RandomRollout`, `InformedRollout`, or another registered NamedTuple
    solve: bool  # whether proven results are propagated up the tree
    probe: Any = NoProbe()  # or a `MinimaxProbe`, which needs `solve`


@kernel
def grow(search: RolloutContext, stones: Bits, mask: Bits, ply: int, rng: Generator, simulations: int) -> int:
    """Runs simulations from a root that is not over; returns their number, less than `simulations` if it is proven."""
    layout, tree, rule, leaf, solve, probe = search
    visits, total, spread = tree.visits, tree.total, tree.spread
    first, size, tried, cells, proof = tree.first, tree.size, tree.tried, tree.cell, tree.proof
    counts = tree.counts
    area = layout.rows * layout.columns
    path = np.empty(area + 1, np.int64)
    heights = np.empty(layout.columns, np.int64)
    for done in range(simulations):
        if proof[0] != UNKNOWN:
            return done
        node = length = 0
        mine, both, stone = stones, mask, ply  # of the side to move, of both, number of stones
        path[0] = 0
        is_new = False
        while proof[node] == UNKNOWN and not is_new:
            if size[node] == 0 and not _expand(tree, node, playable(both, layout), rng):
                break  # the tree is full: another rollout from here
            if tried[node] < size[node]:
                child = first[node] + tried[node]
                tried[node] += 1
                is_new = True
            else:
                parent = NodeStats(visits[node], total[node], UNKNOWN, spread[node], 0.0)
                highest = _NEVER
                child = -1
                for candidate in range(first[node], first[node] + size[node]):
                    stats = NodeStats(visits[candidate], total[candidate], proof[candidate], spread[candidate], 0.0)
                    bound = upper_bound(rule, parent, stats)
                    if bound > highest and proof[candidate] >= UNKNOWN:
                        highest = bound
                        child = candidate
            cell = cells[child]
            placed = mine | single_cell(cell, mine)
            mine, both = both ^ mine, both | placed
            stone += 1
            length += 1
            path[length] = node = child
            if is_new:
                counts[0, VISITED] += 1
                if completes_line(placed, cell, layout):
                    proof[node] = SOONEST_WIN - stone
                elif stone == area:
                    proof[node] = DRAWN
            if proof[node] == UNKNOWN:
                known = look_ahead(probe, layout, mine, both, stone, visits[node])
                if known != UNKNOWN:
                    proof[node] = known
        if proof[node] != UNKNOWN:
            result = 1 if proof[node] == DRAWN else 2 if proof[node] > 0 else 0
            if solve:
                back_up_proof(probe, path, length, tree, layout, stones, mask, ply)
        else:
            result = 1 - evaluate_leaf(leaf, layout, mine, both, stone, heights, rng)
        for place in range(length, -1, -1):
            node = path[place]
            visits[node] += 1
            total[node] += result
            spread[node] = np.float32(1.0) / np.float32(math.sqrt(visits[node]))
            result = 2 - result
    return simulations


@register_jitable
def _expand(tree: TreeArrays, node: int, free: Bits, rng: Generator) -> bool:
    """Gives a node its children on the cells `free`, shuffled; False if they do not fit."""
    block, size = tree.counts[0, USED], count_cells(free)  # not by `take_slots`, whose call would cost 3 %
    if block + size > len(tree.visits):
        tree.counts[0, IS_FULL] = 1
        return False
    tree.counts[0, USED] += size
    tree.first[node], tree.size[node] = block, size
    for child in range(block, block + size):
        tree.visits[child] = tree.total[child] = 0
        tree.first[child] = tree.size[child] = tree.tried[child] = 0
        tree.proof[child] = UNKNOWN
        tree.spread[child] = 0.0
        cell = first_cell(free)
        free = free ^ single_cell(cell, free)
        other = block + int(rng.random() * (child + 1 - block))
        tree.cell[child] = tree.cell[other]
        tree.cell[other] = cell
    return True
