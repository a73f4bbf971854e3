"""Search with an AlphaZero network: PUCT, usually with a check of every position for wins, threats and forced moves."""

from __future__ import annotations

import math

import numpy as np

from inarow.adapters.kaggle_export.player.base import Deadline, Rules, single_cells
from inarow.adapters.kaggle_export.player.mcts import DRAWN, SOONEST_WIN, UNKNOWN, carry_proof
from inarow.adapters.kaggle_export.player.net import NumpyNet

LONGEST_LINE = 8.0  # divisor of the line length in the input of the network


class NetNode:
    """A position in the tree; its numbers are for the side that moved here."""

    __slots__ = ("bit", "children", "prior", "proof", "total", "visits")
    untried = ()  # moves without a child lose anyway

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
    move without a visit has the value of its parent less `first_play`, or 0 if that is None. Without `tactics`, only
    finished games are known.
    """

    def __init__(
        self,
        simulations: int,
        exploration: float,
        first_play: float | None,
        softness: float,
        net: NumpyNet,
        tactics: bool = True,
    ) -> None:
        self._simulations = max(1, simulations)
        self._exploration, self._first_play, self._softness = exploration, first_play, softness
        self._net, self._tactics = net, tactics

    def choose(self, rules: Rules, own: int, both: int, deadline: Deadline) -> int:
        root = NetNode(0, 1.0)
        for done in range(self._simulations):
            if root.proof != UNKNOWN or (done and deadline.is_over()):
                break
            self._simulate(root, own, both, rules)
        if not root.children:  # one look was enough
            cells = single_cells(examine(own, both, rules)[1])
            return place_of(cells[len(cells) // 2], rules)[1]
        return place_of(best_child(root, self._tactics).bit, rules)[1]

    def _simulate(self, root: NetNode, own: int, both: int, rules: Rules) -> None:
        node, path, value = root, [root], 0.0
        while node.proof == UNKNOWN:
            if not node.children:
                node.proof, cells = (examine if self._tactics else look_for_end)(own, both, rules)
                if node.proof != UNKNOWN:
                    if self._tactics:
                        carry_proof(path)
                    break
                bits = single_cells(cells)
                node.children = [NetNode(bit, 1.0 / len(bits)) for bit in bits]
                if len(bits) > 1 or not self._tactics:  # else the only safe move is followed
                    value = -self._evaluate(node, own, both, rules)
                    break
            node = self._child_to_visit(node)
            path.append(node)
            both |= node.bit
            own = both ^ (own | node.bit)
        if node.proof != UNKNOWN:
            value = proven_result(node.proof)
        for node in reversed(path):
            node.visits += 1
            node.total += value
            value = -value

    def _evaluate(self, node: NetNode, own: int, both: int, rules: Rules) -> float:
        """Sets the priors of the children; returns the value for the side to move."""
        logits, values = self._net.run(network_planes(own, both, rules)[None])
        chosen = [float(logits[(0, *place_of(child.bit, rules))]) for child in node.children]
        weights = [math.exp((logit - max(chosen)) / self._softness) for logit in chosen]
        for child, weight in zip(node.children, weights, strict=True):
            child.prior = weight / sum(weights)
        return float(values[0])

    def _child_to_visit(self, node: NetNode) -> NetNode:
        if len(node.children) == 1:
            return node.children[0]
        unseen = 0.0 if self._first_play is None else -node.total / max(1, node.visits) - self._first_play
        width = self._exploration * math.sqrt(node.visits)
        hopeful = [child for child in node.children if child.proof >= UNKNOWN]
        return max(hopeful, key=lambda child: child.mean(unseen) + width * child.prior / (1 + child.visits))


def best_child(root: NetNode, tactics: bool) -> NetNode:
    """The fastest proven win; else the most visited move that is not lost; else the slowest loss. Without tactics the
    most visited move.
    """
    best = max(root.children, key=lambda child: child.proof)
    hopeful = [child for child in root.children if child.proof >= UNKNOWN]
    if (tactics and best.proof > DRAWN) or not hopeful:
        return best
    return max(hopeful, key=lambda child: (child.visits, child.prior))


def place_of(bit: int, rules: Rules) -> tuple[int, int]:
    """(Row from the top, column) of a cell."""
    column, height = divmod(bit.bit_length() - 1, rules.stride)
    return rules.rows - 1 - height, column


def network_planes(own: int, both: int, rules: Rules) -> np.ndarray:
    """float32 [9, rows, columns], row 0 on top: own stones, others, free cells, winning cells of both, parity of rows,
    whether the first side is to move, length of a line, cells of the board. All for the side to move.
    """
    other, stones = both ^ own, both.bit_count()
    free = (both + rules.bottom) & rules.board
    sets = (own, other, free, winning_cells(own, both, rules), winning_cells(other, both, rules))
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


# --- Proofs without search ---


def winning_cells(stones: int, both: int, rules: Rules) -> int:
    """The empty cells on which one more stone of this side makes a line, reachable now or later."""
    found = 0
    for step in rules.steps:
        before = -1  # cells with `ahead` stones directly before them
        for ahead in range(rules.inarow):
            gaps = before
            for distance in range(1, rules.inarow - ahead):
                gaps &= stones >> step * distance
            found |= gaps
            before = (before & stones) << step
    return found & rules.board & ~both


def look_for_end(own: int, both: int, rules: Rules) -> tuple[int, int]:
    """(proof for the side that moved here, free cells) of any position."""
    stones = both.bit_count()
    if rules.has_line(both ^ own):
        return SOONEST_WIN - stones, 0
    return (DRAWN, 0) if stones == rules.cells else (UNKNOWN, (both + rules.bottom) & rules.board)


def examine(own: int, both: int, rules: Rules) -> tuple[int, int]:
    """(proof for the side that moved here, cells) of a position without a line.

    Without a proof the cells are the safe ones; all others lose at once. With a proof they are the
    cells that win, or that meet a threat, or all that are free.
    """
    stones = both.bit_count()
    if stones == rules.cells:
        return DRAWN, 0
    free = (both + rules.bottom) & rules.board
    wins = winning_cells(own, both, rules) & free
    if wins:
        return stones + 1 - SOONEST_WIN, wins
    other_wins = winning_cells(both ^ own, both, rules)
    threats = other_wins & free
    if threats & (threats - 1):
        return SOONEST_WIN - stones - 2, threats
    candidates = threats or free
    safe = candidates & ~(other_wins >> 1)
    return (UNKNOWN, safe) if safe else (SOONEST_WIN - stones - 2, candidates)
