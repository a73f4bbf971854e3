"""Tree search with shallow minimax in selection or backpropagation, slowly: nodes are objects, positions are played."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from inarow.games.position import Position
from inarow.search.tree.memory import DRAWN, SOONEST_WIN, UNKNOWN


def plain_leaf(position: Position) -> int:
    """A made-up result for the side to move; that of `CountingLeaf` in `tests/search/tree/test_hybrids.py`."""
    return (position.stones & position.stones >> 1).bit_count() % 3 - 1


@dataclass
class Node:
    position: Position
    cell: int = 0
    visits: int = 0
    total: int = 0
    proof: int = UNKNOWN
    children: list[Node] = field(default_factory=list)
    tried: int = 0


def proof_by_minimax(position: Position, depth: int) -> int:
    """For the side that moved into the position: SOONEST_WIN - n or its negative, DRAWN or UNKNOWN."""
    if position.is_over:
        return DRAWN if position.winner is None else SOONEST_WIN - position.ply
    if depth == 0:
        return UNKNOWN
    proofs = [proof_by_minimax(position.play(action), depth - 1) for action in position.legal_actions]
    if max(proofs) > DRAWN:  # the side to move wins, as soon as it can
        return -max(proofs)
    if UNKNOWN in proofs:
        return UNKNOWN
    return DRAWN if DRAWN in proofs else -max(proofs)


class PlainHybrid:
    """`place` is selection, backup, or None for the ordinary search."""

    def __init__(
        self, rng: np.random.Generator, exploration: float, place: str | None, depth: int, visits: int
    ) -> None:
        self._rng, self._exploration, self._place, self._depth, self._visits = rng, exploration, place, depth, visits
        self.root: Node | None = None

    def run(self, position: Position, simulations: int) -> Node:
        root = Node(position)
        for _ in range(simulations):
            if root.proof != UNKNOWN:
                break
            path = [root]
            is_new = False
            while path[-1].proof == UNKNOWN and not is_new:
                node = path[-1]
                if not node.children:
                    node.children = self._shuffled(node.position)
                is_new = node.tried < len(node.children)
                child = node.children[node.tried] if is_new else self._best(node)
                node.tried += is_new
                if is_new and child.position.is_over:
                    child.proof = proof_by_minimax(child.position, 0)
                elif self._place == "selection" and child.visits == self._visits and child.proof == UNKNOWN:
                    child.proof = proof_by_minimax(child.position, self._depth)
                path.append(child)
            last = path[-1]
            if last.proof == UNKNOWN:
                result = 1 - plain_leaf(last.position)
            else:
                result = 1 if last.proof == DRAWN else 2 if last.proof > 0 else 0
                self._back_up(path)
            for node in reversed(path):
                node.visits += 1
                node.total += result
                result = 2 - result
        return root

    def _shuffled(self, position: Position) -> list[Node]:
        children: list[Node] = []
        for cell in sorted(position.landing_cell(action) for action in position.legal_actions):
            node = Node(position.play(position.action_of(cell)), cell)
            place = int(self._rng.random() * (len(children) + 1))
            children.insert(len(children), node)
            children[place], children[-1] = children[-1], children[place]
        return children

    def _best(self, node: Node) -> Node:
        breadth = np.float32(self._exploration * math.sqrt(math.log(node.visits)))

        def bound(child: Node) -> np.float32:
            spread = np.float32(1) / np.float32(math.sqrt(child.visits))
            return spread * (np.float32(0.5) * np.float32(child.total) * spread + breadth)

        return max((child for child in node.children if child.proof >= UNKNOWN), key=bound)

    def _back_up(self, path: list[Node]) -> None:
        for number in range(len(path) - 2, -1, -1):
            parent, child = path[number], path[number + 1]
            proofs = [each.proof for each in parent.children]
            if child.proof > DRAWN or UNKNOWN not in proofs:
                parent.proof = DRAWN if max(proofs) == DRAWN else -max(proofs)
            elif self._place == "backup" and child.proof < 0 and number > 0:
                parent.proof = proof_by_minimax(parent.position, self._depth)
            if parent.proof == UNKNOWN:
                return
