"""Compiled: shallow minimax searches inside a tree search with rollouts, that prove wins and losses.

Two of the three hybrids of Baier and Winands (2013; 2015); the third plays rollouts by minimax (`rollouts.py`).
Their searches know finished games and nothing else.

selection  when a simulation reaches a node with a given number of visits (0: a new node), before it continues
backup     when a move is proven lost and other moves of its parent are open: a search of the parent may show that these
           lose as well, and the proof moves on

Neither is applied to the root, whose moves must be compared.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games import GameSpec
from inarow.games.bits import Bits, single_cell
from inarow.games.compiled_bits import compiles
from inarow.games.layout import Layout
from inarow.search.minimax.alphabeta import MinimaxContext, begin, walk_on
from inarow.search.minimax.heuristics import Heuristic
from inarow.search.minimax.minimax import Minimax
from inarow.search.plugged import implements
from inarow.search.tree.memory import DRAWN, SOONEST_WIN, UNKNOWN, TreeArrays, prove

_NO_LIMIT = 2**62


class NoProbe(NamedTuple):
    """No minimax: only finished games are known."""


class MinimaxProbe(NamedTuple):
    """Minimax of `depth` plies. Not thread-safe."""

    is_backup: bool
    visits: int  # of a node at which it is searched, if not `is_backup`
    depth: int
    minimax: MinimaxContext


@dataclass(frozen=True, slots=True)
class Probes:
    """Minimax searches of `depth` plies in selection, at nodes with `visits`, or in backpropagation."""

    place: Literal["selection", "backup"]
    depth: int = 2
    visits: int = 0

    def probe(self, spec: GameSpec, *, wide: bool | None = None) -> MinimaxProbe:
        """The probe for one thread."""
        minimax = Minimax(spec, Heuristic((), NoOpinion(), 1.0), wide=wide)
        return MinimaxProbe(self.place == "backup", self.visits, self.depth, minimax.context)


class NoOpinion(NamedTuple):
    """The weights of a heuristic for which all positions are equal."""


@implements(NoOpinion)
def no_opinion(weights: NoOpinion, own: Bits, other: Bits, layout: Layout) -> float:
    return 0.0


# --- Kernels ---


def look_ahead(probe: Any, layout: Layout, stones: Bits, mask: Bits, ply: int, visits: int) -> int:
    """The proof of a node that a simulation has just reached, for the side that moved into it."""
    return UNKNOWN if isinstance(probe, NoProbe) else _look_ahead(probe, layout, stones, mask, ply, visits)


@compiles(look_ahead)
def _compiled_look_ahead(probe: Any, layout: Any, stones: Any, mask: Any, ply: Any, visits: Any) -> Callable[..., int]:
    if probe.instance_class is NoProbe:
        return lambda probe, layout, stones, mask, ply, visits: UNKNOWN
    return _look_ahead


@register_jitable
def _look_ahead(probe: MinimaxProbe, layout: Layout, stones: Bits, mask: Bits, ply: int, visits: int) -> int:
    if probe.is_backup or visits != probe.visits:
        return UNKNOWN
    return proof_by_minimax(probe, layout, stones, mask, ply)


@register_jitable
def proof_by_minimax(probe: MinimaxProbe, layout: Layout, stones: Bits, mask: Bits, ply: int) -> int:
    """The proof of a position that is not over, for the side that moved into it."""
    walk, left = probe.minimax.walk, layout.rows * layout.columns - ply
    depth = min(probe.depth, left)
    begin(walk, stones, mask, ply, depth)
    walk_on(probe.minimax, _NO_LIMIT)
    value = walk.best[0]
    for stone in range(ply + 1, ply + depth + 1):
        if value == walk.wins[stone]:
            return stone - SOONEST_WIN
        if value == -walk.wins[stone]:
            return SOONEST_WIN - stone
    return DRAWN if depth == left else UNKNOWN


def back_up_proof(
    probe: Any, path: np.ndarray, length: int, tree: TreeArrays, layout: Layout, stones: Bits, mask: Bits, ply: int
) -> None:
    """Propagates the proof of the last node of a path upwards; the position is that of the root."""
    if isinstance(probe, NoProbe):
        prove(path, length, tree)
    else:
        _back_up(probe, path, length, tree, layout, stones, mask, ply)


@compiles(back_up_proof)
def _compiled_back_up_proof(
    probe: Any, path: Any, length: Any, tree: Any, layout: Any, stones: Any, mask: Any, ply: Any
) -> Callable[..., None]:
    if probe.instance_class is NoProbe:
        return lambda probe, path, length, tree, layout, stones, mask, ply: prove(path, length, tree)
    return _back_up


@register_jitable
def _back_up(
    probe: MinimaxProbe,
    path: np.ndarray,
    length: int,
    tree: TreeArrays,
    layout: Layout,
    stones: Bits,
    mask: Bits,
    ply: int,
) -> None:
    end = length
    while True:
        prove(path, end, tree)
        place = end - 1  # the lowest node that is not proven
        while place >= 0 and tree.proof[path[place]] != UNKNOWN:
            place -= 1
        if not probe.is_backup or place <= 0 or tree.proof[path[place + 1]] > 0:
            return
        mine, both = stones, mask
        for number in range(1, place + 1):
            placed = mine | single_cell(tree.cell[path[number]], mine)
            mine, both = both ^ mine, both | placed
        known = proof_by_minimax(probe, layout, mine, both, ply + place)
        if known == UNKNOWN:
            return
        tree.proof[path[place]] = known
        end = place
