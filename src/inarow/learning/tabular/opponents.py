"""Compiled: the moves of opponents that need no agent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, any_cell, has_cell
from inarow.games.layout import Layout
from inarow.games.rules import landing_cell, playable, winning_cells
from inarow.search.tree.memory import DRAWN, Tree, plant
from inarow.search.tree.uct import grow


@register_jitable
def random_action(mask: Bits, actions: int, layout: Layout, rng: np.random.Generator) -> int:
    """Uniformly one of the legal actions."""
    while True:
        action = int(rng.random() * actions)
        if landing_cell(mask, action, layout) >= 0:
            return action


@register_jitable
def winblock_action(stones: Bits, mask: Bits, actions: int, layout: Layout, rng: np.random.Generator) -> int:
    """The first win, else the first block, else a random action."""
    next_cells = playable(mask, layout)
    urgent = winning_cells(stones, mask, layout) & next_cells
    if not any_cell(urgent):
        urgent = winning_cells(mask ^ stones, mask, layout) & next_cells
    if any_cell(urgent):
        for action in range(actions):
            cell = landing_cell(mask, action, layout)
            if cell >= 0 and has_cell(urgent, cell):
                return action
    return random_action(mask, actions, layout, rng)


@register_jitable
def mcts_action(
    stones: Bits,
    mask: Bits,
    ply: int,
    actions: int,
    simulations: int,
    layout: Layout,
    tree: Tree,
    plan: Any,
    starts: Any,
    weights: Any,
    walk: Any,
    rng: np.random.Generator,
) -> int:
    """The move that a new tree visited most; a proven win first, a proven loss last."""
    plant(tree)
    grow(layout, tree, stones, mask, ply, plan, starts, weights, walk, rng, simulations)
    best, chosen = -np.inf, -1
    for action in range(actions):
        cell = landing_cell(mask, action, layout)
        for child in range(tree.first[0], tree.first[0] + tree.tried[0]):
            if tree.cell[child] == cell:
                proof = tree.proof[child]
                worth = 1e12 * proof if proof < 0 or proof > DRAWN else np.float64(tree.visits[child])
                if worth > best:
                    best, chosen = worth, action
    return chosen
