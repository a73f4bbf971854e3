"""Search with a network, slowly: nodes are objects, positions are played, every rule is one expression."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from inarow.games.position import Position, cells_of
from inarow.search.tree.config import SearchConfig
from inarow.search.tree.memory import DRAWN, SOONEST_WIN, UNKNOWN
from inarow.search.tree.selection import halving_plan
from tests.twins.tactics import plain_look


def plain_planes(position: Position) -> np.ndarray:
    """The planes of `evaluation.py`, cell by cell."""
    spec, layout = position.spec, position.layout
    sides = position.to_array()
    planes = np.zeros((9, spec.rows, spec.columns), np.float32)
    planes[0], planes[1] = sides == position.side_to_move, sides == 3 - position.side_to_move
    for action in position.legal_actions:
        planes[2][layout.row_and_column(position.landing_cell(action))] = 1
    for plane, stones in ((3, position.stones), (4, position.mask ^ position.stones)):
        for cell in cells_of(layout.board & ~position.mask):
            for step in layout.steps:
                run = 1
                for direction in (step, -step):
                    at = cell + direction
                    while at >= 0 and stones >> at & 1:
                        run, at = run + 1, at + direction
                if run >= spec.inarow:
                    planes[plane][layout.row_and_column(cell)] = 1
    is_first = position.side_to_move == 1
    for row in range(spec.rows):
        planes[5, row] = ((spec.rows - 1 - row) % 2 == 0) == is_first
    planes[6], planes[7], planes[8] = is_first, spec.inarow / 8, 1
    return planes


def made_up_net(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An opinion about everything that depends on every cell."""
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(2, *planes.shape[1:]))
    first, second = np.array([[(plane * w).sum() for w in weights] for plane in planes]).T
    cells = np.arange(planes[0, 0].size).reshape(planes.shape[2:])
    logits = np.array([2 * np.sin(cells + value) for value in first])
    return logits.astype(np.float32), np.tanh(second).astype(np.float32)


@dataclass
class Node:
    position: Position
    prior: float = 1.0
    cell: int = 0
    visits: int = 0
    total: float = 0.0
    proof: int = UNKNOWN
    children: list[Node] = field(default_factory=list)

    def mean(self, otherwise: float) -> float:
        if self.proof != UNKNOWN:
            return _outcome(self.proof)
        return self.total / self.visits if self.visits else otherwise


class PlainSearch:
    """Without noise."""

    def __init__(self, position: Position, config: SearchConfig) -> None:
        self.root, self.config = Node(position), config
        self.value = math.nan

    def run(self, simulations: int) -> None:
        plan = halving_plan(self.config.considered, simulations)
        for _ in range(simulations):
            if self.root.proof != UNKNOWN:
                return
            path = [self.root]
            value = None
            while value is None:
                node = path[-1]
                if node.proof != UNKNOWN:
                    value = _outcome(node.proof)
                elif not node.children:
                    value = self._expand(node, path)
                if value is None:
                    is_root = node is self.root and self.config.root == "gumbel"
                    path.append(self._by_halving(plan) if is_root else self._by_puct(node))
            if len(path) == 1:
                self.value = -value
            for node in reversed(path):
                node.visits += 1
                node.total = float(np.float32(node.total + value))
                value = -value

    def _expand(self, node: Node, path: list[Node]) -> float | None:
        """The value of a new node for the side that moved into it; None where one move is safe."""
        position, tactics = node.position, self.config.tactics
        if position.is_over:
            known, cells = DRAWN if position.winner is None else SOONEST_WIN - position.ply, set()
        elif tactics:
            known, cells = plain_look(position)
        else:
            known, cells = UNKNOWN, {position.landing_cell(action) for action in position.legal_actions}
        if known != UNKNOWN:
            node.proof = known
            for parent in reversed(path[:-1] if tactics else []):
                proofs = [child.proof for child in parent.children]
                if max(proofs) > DRAWN or UNKNOWN not in proofs:
                    parent.proof = DRAWN if max(proofs) == DRAWN else -max(proofs)
            return _outcome(known)
        node.children = [Node(position.play(position.action_of(cell)), 1 / len(cells), cell) for cell in sorted(cells)]
        if len(cells) == 1 and tactics:
            return None
        logits, values = made_up_net(plain_planes(position)[None])
        chosen = [logits[0][position.layout.row_and_column(child.cell)] for child in node.children]
        weights = np.array(
            [math.exp(np.float32(logit - max(chosen)) / self.config.softness) for logit in chosen], np.float32
        )
        for child, weight in zip(node.children, weights, strict=True):
            child.prior = float(np.float32(weight / sum(float(each) for each in weights)))
        return -float(values[0])

    def _by_puct(self, node: Node) -> Node:
        config = self.config
        unseen = -node.total / max(1, node.visits) - config.first_play if config.unvisited == "parent" else 0.0

        def bound(child: Node) -> float:
            width = config.exploration * math.sqrt(node.visits)
            return child.mean(unseen) + width * child.prior / (1 + child.visits)

        return max((child for child in node.children if child.proof >= UNKNOWN), key=bound)

    def scale(self) -> float:
        most = max(child.visits for child in self.root.children)
        return self.config.value_weight * (self.config.value_visits + most)

    def _by_halving(self, plan: np.ndarray) -> Node:
        done = sum(child.visits for child in self.root.children)
        hopeful = [child for child in self.root.children if child.proof >= UNKNOWN]
        planned = plan[min(len(self.root.children), len(plan) - 1), done]
        if all(child.visits != planned for child in hopeful):
            planned = min(child.visits for child in hopeful)
        scale = self.scale()
        return max(
            (child for child in hopeful if child.visits == planned),
            key=lambda child: self.config.softness * math.log(child.prior) + scale * child.mean(0.0),
        )

    def plain_priors(self) -> list[float]:
        powers = [child.prior**self.config.softness for child in self.root.children]
        return [power / sum(powers) for power in powers]

    def policy(self) -> list[float]:
        """What Gumbel's improved policy is, over the children of a root that is not proven."""
        seen = [child for child in self.root.children if child.visits]
        otherwise = self.value
        if seen:
            weight = sum(child.prior for child in seen)
            mean = sum(child.prior * child.mean(0.0) for child in seen) / weight
            visits = sum(child.visits for child in seen)
            otherwise = (self.value + visits * mean) / (1 + visits)
        scores = [
            math.exp(self.config.softness * math.log(child.prior) + self.scale() * child.mean(otherwise))
            if child.proof >= UNKNOWN
            else 0.0
            for child in self.root.children
        ]
        return [score / sum(scores) for score in scores]


def _outcome(proof: int) -> float:
    assert abs(proof) < SOONEST_WIN
    return 0.0 if proof == DRAWN else 1.0 if proof > 0 else -1.0
