"""Search with a network of AlphaZero: PUCT, and one look at every position for wins, threats and forced moves."""

from __future__ import annotations

import math

import numpy as np

from inarow.adapters.kaggle_export.player.clock import Deadline
from inarow.adapters.kaggle_export.player.mcts import DRAWN, SOONEST_WIN, UNKNOWN
from inarow.adapters.kaggle_export.player.net import NumpyNet
from inarow.adapters.kaggle_export.player.rules import Rules
from inarow.adapters.kaggle_export.player.threats import examine, single_cells, winning_cells

LONGEST_LINE = 8.0
"""What the length of a line is divided by, for the network."""


class NetNode:
    """A position in the tree; its numbers are for the side that moved here."""

    __slots__ = ("bit", "children", "prior", "proof", "total", "visits")

    def __init__(self, bit: int, prior: float) -> None:
        self.bit, self.prior = bit, prior
        self.visits, self.total, self.proof = 0, 0.0, UNKNOWN
        self.children: list[NetNode] = []

    def mean(self, otherwise: float) -> float:
        """Its proven result, its mean, or without a visit `otherwise`."""
        if self.proof != UNKNOWN:
            return proven_result(self.proof)
        return self.total / self.visits if self.visits else otherwise


def proven_result(proof: int) -> float:
    """1, 0 or -1 for the side that a proof is for."""
    return 0.0 if proof == DRAWN else 1.0 if proof > 0 else -1.0


class AlphaZeroPlayer:
    """Runs `simulations`, or as many as time allows, and plays the move of most visits.

    PUCT visits the largest Q + c P sqrt(N) / (1 + n): c is `exploration`, P is softmax(logits / `softness`), and a
    move without a visit has the value of its parent less `first_play`.
    """

    def __init__(self, simulations: int, exploration: float, first_play: float, softness: float, net: NumpyNet) -> None:
        self._simulations = max(1, simulations)
        self._exploration, self._first_play, self._softness = exploration, first_play, softness
        self._net = net

    def choose(self, rules: Rules, own: int, both: int, deadline: Deadline) -> int:
        root = NetNode(0, 1.0)
        for done in range(self._simulations):
            if root.proof != UNKNOWN or (done and deadline.is_over()):
                break
            self._simulate(root, own, both, rules)
        if not root.children:  # one look was enough
            cells = single_cells(examine(own, both, rules)[1])
            return column_of(cells[len(cells) // 2], rules)
        return column_of(best_child(root).bit, rules)

    def _simulate(self, root: NetNode, own: int, both: int, rules: Rules) -> None:
        node, path = root, [root]
        while True:
            if node.proof != UNKNOWN:
                value = proven_result(node.proof)
                break
            if not node.children:
                node.proof, cells = examine(own, both, rules)
                if node.proof != UNKNOWN:
                    carry_proof(path)
                    value = proven_result(node.proof)
                    break
                bits = single_cells(cells)
                node.children = [NetNode(bit, 1.0 / len(bits)) for bit in bits]
                if len(bits) > 1:  # else the only safe move is followed
                    value = -self._ask(node, own, both, rules)
                    break
            node = self._child_to_visit(node)
            path.append(node)
            both |= node.bit
            own = both ^ (own | node.bit)
        for node in reversed(path):
            node.visits += 1
            node.total += value
            value = -value

    def _ask(self, node: NetNode, own: int, both: int, rules: Rules) -> float:
        """Sets the priors of the children by the network; its value for the side to move."""
        logits, values = self._net.run(network_planes(own, both, rules)[None])
        chosen = [float(logits[(0, *place_of(child.bit, rules))]) for child in node.children]
        weights = [math.exp((logit - max(chosen)) / self._softness) for logit in chosen]
        for child, weight in zip(node.children, weights, strict=True):
            child.prior = weight / sum(weights)
        return float(values[0])

    def _child_to_visit(self, node: NetNode) -> NetNode:
        if len(node.children) == 1:
            return node.children[0]
        unseen = -node.total / max(1, node.visits) - self._first_play
        width = self._exploration * math.sqrt(node.visits)
        hopeful = [child for child in node.children if child.proof >= UNKNOWN]
        return max(hopeful, key=lambda child: child.mean(unseen) + width * child.prior / (1 + child.visits))


def best_child(root: NetNode) -> NetNode:
    """The quickest proven win; else the most visited of those that are not lost; else the slowest loss."""
    best = max(root.children, key=lambda child: child.proof)
    hopeful = [child for child in root.children if child.proof >= UNKNOWN]
    if best.proof > DRAWN or not hopeful:
        return best
    return max(hopeful, key=lambda child: (child.visits, child.prior))


def carry_proof(path: list[NetNode]) -> None:
    """Carries the proof of the last node up as far as it reaches; moves without a child lose anyhow."""
    for node, child in zip(path[-2::-1], path[:0:-1], strict=True):
        best = child.proof
        if best < SOONEST_WIN // 2:  # no win: every move must be known
            if any(each.proof == UNKNOWN for each in node.children):
                return
            best = max(each.proof for each in node.children)
        node.proof = DRAWN if best == DRAWN else -best


def place_of(bit: int, rules: Rules) -> tuple[int, int]:
    """(Row from the top, column) of a cell."""
    column, height = divmod(bit.bit_length() - 1, rules.stride)
    return rules.rows - 1 - height, column


def column_of(bit: int, rules: Rules) -> int:
    return place_of(bit, rules)[1]


def network_planes(own: int, both: int, rules: Rules) -> np.ndarray:
    """float32 [9, rows, columns], row 0 on top: own stones, others, free cells, winning cells of both, parity of rows,
    whether the first side is to move, length of a line, cells of the board. All for the side to move.
    """
    other, stones = both ^ own, both.bit_count()
    sets = (
        own,
        other,
        (both + rules.bottom) & rules.board,
        winning_cells(own, both, rules),
        winning_cells(other, both, rules),
    )
    planes = np.zeros((9, rules.rows, rules.columns), np.float32)
    for number, cells in enumerate(sets):
        for bit in single_cells(cells):
            planes[(number, *place_of(bit, rules))] = 1
    heights = np.arange(rules.rows)[::-1]
    planes[5] = ((heights + stones + 1) % 2)[:, None]
    planes[6] = (stones + 1) % 2
    planes[7] = rules.inarow / LONGEST_LINE
    planes[8] = 1
    return planes
