"""Compiled: which child to visit, and what a search says in the end.

Below the root by PUCT: the child with the largest Q + c P sqrt(N) / (1 + n), where a child without a
visit has the value of its parent less a little. At the root the same, with noise if the rules say so, or
by sequential halving with Gumbel noise (Danihelka and others, 2022), which improves on the network's
policy with however few simulations. Children that are proven lost are left alone.

Priors are softer than the network's policy, which is sure of moves that it has seen and blind for others:
measured on Connect Four, that keeps a point more of the outcomes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.learning.alphazero.forest import Forest
from inarow.search.tree.memory import DRAWN, UNKNOWN

RULES = np.dtype(
    [
        ("exploration", "f8"),  # c of PUCT
        ("first_play", "f8"),  # how much less than its parent a child without a visit is worth
        ("is_gumbel", "i8"),  # sequential halving at the root, else PUCT
        ("considered", "i8"),  # children of the root that sequential halving looks at, at most
        ("value_weight", "f8"),  # w and b of sigma(q) = w (b + most visits) q
        ("value_visits", "f8"),
        ("softness", "f8"),  # priors are softmax(logits / softness)
        ("noise", "f8"),  # weight of Dirichlet noise in the root's priors under PUCT
    ],
    align=True,
)
"""What kind of search."""

_NEVER = -np.inf


def halving_plan(considered: int, simulations: int) -> np.ndarray:
    """int32 [considered + 1, simulations]: with m children to consider, the visits that the child of
    simulation s has so far. Asking the network about the root is not one of these.

    All m get equally many visits, then the better half of them, and so on down to two; the share of
    each round is the same.
    """
    plan = np.zeros((considered + 1, simulations), np.int32)
    for number in range(considered + 1):
        rounds = max(1, math.ceil(math.log2(max(2, number))))
        left, visits, row = max(1, number), 0, list[int]()
        while len(row) < simulations:
            for _ in range(max(1, simulations // (rounds * left))):
                row += [visits] * left
                visits += 1
            left = max(2, left // 2) if number > 1 else 1
        plan[number] = row[:simulations]
    return plan


@register_jitable
def mean_value(forest: Forest, child: int, otherwise: float) -> float:
    """What a child is worth to the side that moves into it: its proof, its mean, or `otherwise`."""
    if forest.proof[child] != UNKNOWN:
        return 0.0 if forest.proof[child] == DRAWN else 1.0 if forest.proof[child] > 0 else -1.0
    return forest.total[child] / forest.visits[child] if forest.visits[child] > 0 else otherwise


@register_jitable
def best_by_puct(forest: Forest, node: int, rules: Any) -> int:
    """The child to visit from an expanded node that is not proven."""
    first, size = forest.first[node], forest.size[node]
    if size == 1:
        return first
    visits = forest.visits[node]
    unseen = -forest.total[node] / max(1, visits) - rules.first_play
    width = rules.exploration * math.sqrt(visits)
    best, highest = first, _NEVER
    for child in range(first, first + size):
        if forest.proof[child] >= UNKNOWN:
            bound = mean_value(forest, child, unseen) + width * forest.prior[child] / (1 + forest.visits[child])
            if bound > highest:
                best, highest = child, bound
    return best


@register_jitable
def mix_in_noise(forest: Forest, root: int, noise: np.ndarray, game: int, weight: float) -> None:
    """Stirs Dirichlet noise, whose gamma variates are in `noise[game]`, into the priors of the root."""
    first, size = forest.first[root], forest.size[root]
    total = 0.0
    for child in range(size):
        total += noise[game, child]
    for child in range(size):
        share = noise[game, child] / total if total > 0.0 else 1.0 / size
        forest.prior[first + child] = (1.0 - weight) * forest.prior[first + child] + weight * share


@register_jitable
def value_scale(forest: Forest, root: int, rules: Any) -> float:
    """What sigma multiplies a value by."""
    most = 0
    for child in range(forest.first[root], forest.first[root] + forest.size[root]):
        most = max(most, forest.visits[child])
    return rules.value_weight * (rules.value_visits + most)


@register_jitable
def logit_of(forest: Forest, child: int, rules: Any) -> float:
    """What the network said about a child, up to a constant that its siblings share."""
    return rules.softness * math.log(max(forest.prior[child], 1e-30))


@register_jitable
def best_by_halving(forest: Forest, root: int, noise: np.ndarray, game: int, plan: np.ndarray, rules: Any) -> int:
    """The child of the root to visit next: the best of those that have the planned number of visits, or
    the fewest, if proofs have upset the plan.
    """
    first, size = forest.first[root], forest.size[root]
    done = 0
    for child in range(first, first + size):
        done += forest.visits[child]
    planned = plan[min(size, len(plan) - 1), done]
    best = best_with_visits(forest, root, noise, game, planned, rules)
    if best < 0:
        fewest = -1
        for child in range(first, first + size):
            if forest.proof[child] >= UNKNOWN and (fewest < 0 or forest.visits[child] < fewest):
                fewest = forest.visits[child]
        best = best_with_visits(forest, root, noise, game, fewest, rules)
    return best


@register_jitable
def best_with_visits(forest: Forest, root: int, noise: np.ndarray, game: int, visits: int, rules: Any) -> int:
    """Among the root's children with so many visits and no proven loss, the one with the largest noise
    + logit + sigma(q); -1 if there is none.
    """
    scale = value_scale(forest, root, rules)
    first = forest.first[root]
    best, highest = -1, _NEVER
    for child in range(first, first + forest.size[root]):
        if forest.proof[child] >= UNKNOWN and forest.visits[child] == visits:
            score = noise[game, child - first] + logit_of(forest, child, rules) + scale * mean_value(forest, child, 0.0)
            if best < 0 or score > highest:
                best, highest = child, score
    return best


@register_jitable
def mixed_value(forest: Forest, root: int, value: float) -> float:
    """What stands in for the value of a child without a visit: the network's `value` of the root,
    together with the values of the visited children, weighted by their priors.
    """
    weight = total = 0.0
    visits = 0
    for child in range(forest.first[root], forest.first[root] + forest.size[root]):
        if forest.visits[child] > 0:
            weight += forest.prior[child]
            total += forest.prior[child] * mean_value(forest, child, 0.0)
            visits += forest.visits[child]
    if weight <= 0.0:
        return value
    return (value + visits * total / weight) / (1 + visits)


@register_jitable
def improve_policy(forest: Forest, root: int, value: float, rules: Any, policy: np.ndarray) -> None:
    """Writes softmax(logit + sigma(completed q)) of the root's children, in their order, into `policy`.
    Proven losses get nothing, unless there is nothing else.
    """
    scale = value_scale(forest, root, rules)
    otherwise = mixed_value(forest, root, value)
    first, size = forest.first[root], forest.size[root]
    highest = _NEVER
    for child in range(first, first + size):
        policy[child - first] = _NEVER
        if forest.proof[child] >= UNKNOWN:
            policy[child - first] = logit_of(forest, child, rules) + scale * mean_value(forest, child, otherwise)
            highest = max(highest, policy[child - first])
    total = 0.0
    for child in range(size):
        policy[child] = math.exp(policy[child] - highest) if highest > _NEVER else 1.0
        total += policy[child]
    for child in range(size):
        policy[child] /= total


@register_jitable
def best_child(forest: Forest, root: int, noise: np.ndarray, game: int, rules: Any) -> int:
    """The move that a search of an expanded root ends with: the quickest proven win; else, among those
    not proven lost, that with most visits, and of equals the best by noise, logit and value under sequential
    halving, by prior under PUCT; else the slowest loss.
    """
    first, size = forest.first[root], forest.size[root]
    best = first
    most = -1
    for child in range(first, first + size):
        if forest.proof[child] > forest.proof[best]:
            best = child
        if forest.proof[child] >= UNKNOWN and forest.visits[child] > most:
            most = forest.visits[child]
    if forest.proof[best] > DRAWN or most < 0:
        return best
    if rules.is_gumbel != 0:
        return best_with_visits(forest, root, noise, game, most, rules)
    best = -1
    for child in range(first, first + size):
        is_candidate = forest.proof[child] >= UNKNOWN and forest.visits[child] == most
        if is_candidate and (best < 0 or forest.prior[child] > forest.prior[best]):
            best = child
    return best
