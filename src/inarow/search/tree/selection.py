"""Compiled: selection rules, and the final choice and policy of a search.

Kernels get selection rules as NamedTuples, as `plugged.py` describes; `parts.py` registers rules of users by name.

A selection rule is a function `(rule, parent: NodeStats, child: NodeStats) -> bound`. The search visits the child with
the largest bound, the first if several are equal, but none that is proven lost for the side to move. In a rollout tree
every child gets a first visit before the rule is used. The root of a network tree may use sequential halving with
Gumbel noise instead (Danihelka and others, 2022), which improves on the network's policy with any number of
simulations. Priors are softer than the network's policy, which is overconfident (measured on Connect Four).
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.compiled_bits import compiles
from inarow.search.plugged import implementation_of
from inarow.search.plugged import implements as implements
from inarow.search.tree.config import Puct, SearchRules, Uct
from inarow.search.tree.memory import DRAWN, UNKNOWN, TreeArrays, proven_value

MAX_PLANNED_SIMULATIONS = 100_000  # of a search with sequential halving
_HALF = np.float32(0.5)
_NEVER = -np.inf

# --- Selection rules ---


class NodeStats(NamedTuple):
    """The statistics of a node that a selection rule gets. Results are for the side that moved into it."""

    visits: int
    total: (
        float  # sum of results: each from 0 to 2 in a rollout tree, where a draw is 1; in a network tree from -1 to 1
    )
    proof: int  # UNKNOWN, or as in `TreeArrays`
    spread: float  # 1 / sqrt(visits) in float32 in a rollout tree, else 0
    prior: float  # in a network tree, else 0


def upper_bound(rule: Any, parent: NodeStats, child: NodeStats) -> float:
    """The bound of a child by any rule."""
    bound: float = implementation_of(type(rule))(rule, parent, child)
    return bound


@compiles(upper_bound)
def _upper_bound(rule: Any, parent: Any, child: Any) -> Callable[..., float]:
    return implementation_of(rule.instance_class)


@implements(Uct)
def uct_bound(rule: Uct, parent: NodeStats, child: NodeStats) -> float:
    """Mean + c sqrt(ln N / n) in float32; the square of `spread` is 1 / n."""
    breadth = np.float32(rule.exploration * math.sqrt(math.log(parent.visits)))
    return child.spread * (_HALF * np.float32(child.total) * child.spread + breadth)


@implements(Puct)
def puct_bound(rule: Puct, parent: NodeStats, child: NodeStats) -> float:
    """Q + c P sqrt(N) / (1 + n)."""
    if child.proof != UNKNOWN:
        value = proven_value(child.proof)
    elif child.visits > 0:
        value = child.total / child.visits
    elif rule.is_relative:
        value = -parent.total / max(1, parent.visits) - rule.first_play
    else:
        value = 0.0
    return value + rule.exploration * math.sqrt(parent.visits) * child.prior / (1 + child.visits)


@register_jitable
def best_in_network_tree(rule: Any, tree: TreeArrays, node: int) -> int:
    """The child with the largest bound that is not proven lost; the node is expanded and not proven."""
    first, size = tree.first[node], tree.size[node]
    if size == 1:
        return first
    parent = NodeStats(tree.visits[node], tree.total[node], UNKNOWN, 0.0, 0.0)
    best, highest = first, _NEVER
    for child in range(first, first + size):
        if tree.proof[child] >= UNKNOWN:
            stats = NodeStats(tree.visits[child], tree.total[child], tree.proof[child], 0.0, tree.prior[child])
            bound = upper_bound(rule, parent, stats)
            if bound > highest:
                best, highest = child, bound
    return best


@register_jitable
def mean_value(tree: TreeArrays, child: int, otherwise: float) -> float:
    """The value of a child of a network tree for the side that moves into it: its proof, its mean, or `otherwise`."""
    if tree.proof[child] != UNKNOWN:
        return proven_value(tree.proof[child])
    return tree.total[child] / tree.visits[child] if tree.visits[child] > 0 else otherwise


# --- Sequential halving at the root ---


def halving_plan(considered: int, simulations: int) -> np.ndarray:
    """int32 [considered + 1, simulations]: with m children to consider, the number of earlier visits of the child
    chosen in simulation s. The evaluation of the root is not counted.

    All m children get the same number of visits, then the better half of them, and so on down to two; every round
    gets the same share of the simulations.
    """
    plan = np.zeros((considered + 1, simulations), np.int32)
    for number in range(considered + 1):
        rounds = max(1, math.ceil(math.log2(max(2, number))))
        left, visits, filled = max(1, number), 0, 0
        while filled < simulations:
            more = max(1, simulations // (rounds * left))
            row = np.repeat(np.arange(visits, visits + more), left)[: simulations - filled]
            plan[number, filled : filled + len(row)] = row
            visits, filled = visits + more, filled + len(row)
            left = max(2, left // 2) if number > 1 else 1
    return plan


@register_jitable
def mix_in_noise(tree: TreeArrays, root: int, noise: np.ndarray, game: int, weight: float) -> None:
    """Mixes Dirichlet noise, whose gamma variates are in `noise[game]`, into the priors of the root."""
    first, size = tree.first[root], tree.size[root]
    total = 0.0
    for child in range(size):
        total += noise[game, child]
    for child in range(size):
        share = noise[game, child] / total if total > 0.0 else 1.0 / size
        tree.prior[first + child] = (1.0 - weight) * tree.prior[first + child] + weight * share


@register_jitable
def value_scale(tree: TreeArrays, root: int, rules: SearchRules) -> float:
    """The factor by which sigma multiplies a value."""
    most = 0
    for child in range(tree.first[root], tree.first[root] + tree.size[root]):
        most = max(most, tree.visits[child])
    return rules.value_weight * (rules.value_visits + most)


@register_jitable
def logit_of(tree: TreeArrays, child: int, rules: SearchRules) -> float:
    """The network's logit of a child, up to a constant that its siblings share."""
    return rules.softness * math.log(max(tree.prior[child], 1e-30))


@register_jitable
def best_by_halving(
    tree: TreeArrays, root: int, noise: np.ndarray, game: int, plan: np.ndarray, rules: SearchRules
) -> int:
    """The child of the root to visit next: the best with the planned number of visits, or with the fewest visits if
    proofs invalidate the plan.
    """
    first, size = tree.first[root], tree.size[root]
    done = 0
    for child in range(first, first + size):
        done += tree.visits[child]
    planned = plan[min(size, len(plan) - 1), done]
    best = best_with_visits(tree, root, noise, game, planned, rules)
    if best < 0:
        fewest = -1
        for child in range(first, first + size):
            if tree.proof[child] >= UNKNOWN and (fewest < 0 or tree.visits[child] < fewest):
                fewest = tree.visits[child]
        best = best_with_visits(tree, root, noise, game, fewest, rules)
    return best


@register_jitable
def best_with_visits(tree: TreeArrays, root: int, noise: np.ndarray, game: int, visits: int, rules: SearchRules) -> int:
    """Of the children with this number of visits that are not proven lost, the one with the largest noise + logit +
    sigma(q); -1 if there is none.
    """
    scale = value_scale(tree, root, rules)
    first = tree.first[root]
    best, highest = -1, _NEVER
    for child in range(first, first + tree.size[root]):
        if tree.proof[child] >= UNKNOWN and tree.visits[child] == visits:
            score = noise[game, child - first] + logit_of(tree, child, rules) + scale * mean_value(tree, child, 0.0)
            if best < 0 or score > highest:
                best, highest = child, score
    return best


@register_jitable
def mixed_value(tree: TreeArrays, root: int, value: float) -> float:
    """The value of an unvisited child: the network's value of the root mixed with the values of visited children,
    weighted by prior.
    """
    weight = total = 0.0
    visits = 0
    for child in range(tree.first[root], tree.first[root] + tree.size[root]):
        if tree.visits[child] > 0:
            weight += tree.prior[child]
            total += tree.prior[child] * mean_value(tree, child, 0.0)
            visits += tree.visits[child]
    if weight <= 0.0:
        return value
    return (value + visits * total / weight) / (1 + visits)


@register_jitable
def improve_policy(tree: TreeArrays, root: int, value: float, rules: SearchRules, policy: np.ndarray) -> None:
    """Writes softmax(logit + sigma(completed q)) of the root's children to `policy`; 0 for lost children unless all are
    lost.
    """
    scale = value_scale(tree, root, rules)
    otherwise = mixed_value(tree, root, value)
    first, size = tree.first[root], tree.size[root]
    highest = _NEVER
    for child in range(first, first + size):
        policy[child - first] = _NEVER
        if tree.proof[child] >= UNKNOWN:
            policy[child - first] = logit_of(tree, child, rules) + scale * mean_value(tree, child, otherwise)
            highest = max(highest, policy[child - first])
    total = 0.0
    for child in range(size):
        policy[child] = math.exp(policy[child] - highest) if highest > _NEVER else 1.0
        total += policy[child]
    for child in range(size):
        policy[child] /= total


@register_jitable
def best_child(tree: TreeArrays, root: int, noise: np.ndarray, game: int, rules: SearchRules) -> int:
    """The final choice of a search with a network at an expanded root: the fastest proven win; otherwise, among
    children not proven lost, the one with the most visits, ties broken by noise, logit and value under sequential
    halving and by prior under other rules; otherwise the slowest loss. Without tactics only visits and priors count.
    """
    first, size = tree.first[root], tree.size[root]
    best = first
    most = -1
    for child in range(first, first + size):
        if tree.proof[child] > tree.proof[best]:
            best = child
        if tree.proof[child] >= UNKNOWN and tree.visits[child] > most:
            most = tree.visits[child]
    if (rules.tactics and tree.proof[best] > DRAWN) or most < 0:
        return best
    if rules.is_gumbel:
        return best_with_visits(tree, root, noise, game, most, rules)
    best = -1
    for child in range(first, first + size):
        is_candidate = tree.proof[child] >= UNKNOWN and tree.visits[child] == most
        if is_candidate and (best < 0 or tree.prior[child] > tree.prior[best]):
            best = child
    return best
