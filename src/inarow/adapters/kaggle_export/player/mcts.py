"""Monte Carlo tree search: upper confidence bounds applied to trees, with proven results.

Results count for the side that moved into a node: two points for a win, one for a draw.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

from inarow.adapters.kaggle_export.player.base import Deadline, OutOfTimeError, Rules, single_cells
from inarow.adapters.kaggle_export.player.minimax import Minimax, WindowSum

UNKNOWN, DRAWN, SOONEST_WIN = 0, 1, 1000
"""A proof: SOONEST_WIN - n if the side that moved into the node wins with stone n, negative if it loses so."""

Playout = Callable[[int, int, Deadline], int]
"""(Stones of the side to move, of both, deadline) -> 2 if that side wins, 1 for a draw, 0."""


class Node:
    """A position in the tree; its points, or sum of values, are for the side that moved here."""

    __slots__ = ("bit", "children", "points", "proof", "untried", "visits")

    def __init__(self, bit: int) -> None:
        self.bit = bit
        self.visits = self.points = 0
        self.proof = UNKNOWN
        self.children: list[Node] = []
        self.untried: list[int] | None = None


def random_playout(rules: Rules) -> Playout:
    """Games of random moves."""
    board, bottom, has_line = rules.board, rules.bottom, rules.has_line

    def play(own: int, both: int, deadline: Deadline) -> int:
        landing = single_cells((both + bottom) & board)
        other, result = both ^ own, 2
        while landing:
            place = int(random.random() * len(landing))
            bit = landing[place]
            own |= bit
            if has_line(own):
                return result
            if bit << 1 & board:
                landing[place] = bit << 1
            else:
                landing[place] = landing[-1]
                landing.pop()
            own, other, result = other, own, 2 - result
        return 1

    return play


def informed_playout(rules: Rules, search: Minimax, informed: int, depth: int) -> Playout:
    """Games that begin with `informed` moves of minimax, drawn among the best."""
    rest = random_playout(rules)

    def play(own: int, both: int, deadline: Deadline) -> int:
        result = 2
        for _ in range(informed):
            left = rules.cells - both.bit_count()
            if left == 0:
                return 1
            best, _ = search.best_columns(own, both, min(depth, left), deadline)
            bit = rules.landing_bit(both, random.choice(best))
            if rules.has_line(own | bit):
                return result
            own, both, result = both ^ own, both | bit, 2 - result
        after = rest(own, both, deadline)
        return after if result == 2 else 2 - after

    return play


class Tree:
    """The tree of one decision."""

    def __init__(self, rules: Rules, own: int, both: int, exploration: float, solve: bool, playout: Playout) -> None:
        self.root = Node(0)
        self._rules, self._own, self._both = rules, own, both
        self._exploration, self._solve, self._playout = exploration, solve, playout

    def simulate(self, deadline: Deadline) -> None:
        """One simulation: down the tree to a new node, a game from there, its result back up."""
        rules, node, path = self._rules, self.root, [self.root]
        own, both = self._own, self._both  # of the side to move, of both
        is_new = False
        while node.proof == UNKNOWN and not is_new:
            if node.untried is None:
                columns = rules.legal_columns(both)
                random.shuffle(columns)
                node.untried = [rules.landing_bit(both, column) for column in columns]
            if node.untried:
                child = Node(node.untried.pop())
                node.children.append(child)
                is_new = True
            else:
                child = self._best_child(node)
            mine, both = own | child.bit, both | child.bit
            if is_new:
                if rules.has_line(mine):
                    child.proof = SOONEST_WIN - both.bit_count()
                elif both.bit_count() == rules.cells:
                    child.proof = DRAWN
            own = both ^ mine
            node = child
            path.append(node)
        if node.proof != UNKNOWN:
            result = 1 if node.proof == DRAWN else 2 if node.proof > 0 else 0
            if self._solve:
                carry_proof(path)
        else:
            result = 2 - self._playout(own, both, deadline)
        for node in reversed(path):
            node.visits += 1
            node.points += result
            result = 2 - result

    def _best_child(self, node: Node) -> Node:
        breadth = self._exploration * math.sqrt(math.log(node.visits))
        best, highest = node.children[0], -1.0
        for child in node.children:
            if self._solve and child.proof < 0:
                continue
            bound = child.points / (2 * child.visits) + breadth / math.sqrt(child.visits)
            if bound > highest:
                best, highest = child, bound
        return best


def carry_proof(path: Sequence[Any]) -> None:
    """Carries the proof of the last of these nodes up as far as it reaches."""
    for node, child in zip(path[-2::-1], path[:0:-1], strict=True):
        best = child.proof
        if best < SOONEST_WIN // 2:  # no win: every move must be known
            if node.untried or any(each.proof == UNKNOWN for each in node.children):
                return
            best = max(each.proof for each in node.children)
        node.proof = DRAWN if best == DRAWN else -best


class MctsPlayer:
    """Runs `simulations`, or as many as time allows. `by_points` plays the move of most points, not of most visits.

    With `informed` moves of minimax of `depth` plies at the start of each game, judged by windows `own` and `other`.
    """

    def __init__(
        self,
        simulations: int,
        exploration: float,
        by_points: bool,
        solve: bool,
        informed: int = 0,
        depth: int = 1,
        own: Sequence[int] = (),
        other: Sequence[int] = (),
    ) -> None:
        self._simulations, self._exploration = simulations, exploration
        self._by_points, self._solve = by_points, solve
        self._informed, self._depth, self._own, self._other = informed, depth, own, other

    def choose(self, rules: Rules, own: int, both: int, deadline: Deadline) -> int:
        playout = random_playout(rules)
        if self._informed:
            search = Minimax(rules, WindowSum(rules, self._own, self._other))
            playout = informed_playout(rules, search, self._informed, self._depth)
        tree = Tree(rules, own, both, self._exploration, self._solve, playout)
        try:
            for _ in range(self._simulations):
                if tree.root.proof != UNKNOWN or deadline.is_over():
                    break
                tree.simulate(deadline)
        except OutOfTimeError:  # in a game that minimax begins; its simulation does not count
            pass
        legal = rules.legal_columns(both)
        by_bit = {child.bit: child for child in tree.root.children}
        moves = [(column, by_bit.get(rules.landing_bit(both, column), Node(0))) for column in legal]
        return max(moves, key=lambda move: self._rank(move[1]))[0]

    def _rank(self, child: Node) -> tuple[int, int, int]:
        """The fastest proven win, else the most points or visits without a proven loss, else the slowest loss."""
        if child.proof < 0 or child.proof > DRAWN:
            return child.proof, 0, 0
        return (0, child.points, child.visits) if self._by_points else (0, child.visits, child.points)
