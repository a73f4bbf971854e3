"""Compiled: the choice of moves by a learner and its opponents, and the weight of a move as a block."""

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, any_cell, has_cell
from inarow.games.layout import Layout
from inarow.games.rules import action_count, landing_cell, playable, winning_cells
from inarow.search.tree.memory import DRAWN, reset_tree
from inarow.search.tree.rollouts import RolloutContext, grow


@register_jitable
def random_action(mask: Bits, actions: int, layout: Layout, rng: np.random.Generator) -> int:
    """A uniformly random legal action."""
    while True:
        action = int(rng.random() * actions)
        if landing_cell(mask, action, layout) >= 0:
            return action


@register_jitable
def urgent_action(stones: Bits, mask: Bits, blocks: bool, layout: Layout) -> int:
    """The first winning action, else with `blocks` the first action that the opponent would win with, else -1."""
    next_cells = playable(mask, layout)
    urgent = winning_cells(stones, mask, layout) & next_cells
    if blocks and not any_cell(urgent):
        urgent = winning_cells(mask ^ stones, mask, layout) & next_cells
    if any_cell(urgent):
        for action in range(action_count(layout)):
            cell = landing_cell(mask, action, layout)
            if cell >= 0 and has_cell(urgent, cell):
                return action
    return -1


@register_jitable
def winblock_action(stones: Bits, mask: Bits, layout: Layout, rng: np.random.Generator) -> int:
    """The first winning action, else the first block, else a random action. Calling `urgent_action` instead would make
    episodes a fifth slower.
    """
    actions = action_count(layout)
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
    search: RolloutContext, stones: Bits, mask: Bits, ply: int, simulations: int, rng: np.random.Generator
) -> int:
    """The most visited move of a new tree search; proven wins are preferred, proven losses avoided."""
    layout, tree = search.layout, search.tree
    reset_tree(tree, 0)
    grow(search, stones, mask, ply, rng, simulations)
    best, chosen = -np.inf, -1
    for action in range(action_count(layout)):
        cell = landing_cell(mask, action, layout)
        for child in range(tree.first[0], tree.first[0] + tree.tried[0]):
            if tree.cell[child] == cell:
                proof = tree.proof[child]
                worth = 1e12 * proof if proof < 0 or proof > DRAWN else np.float64(tree.visits[child])
                if worth > best:
                    best, chosen = worth, action
    return chosen


# --- By a row of a Q-table ---


@register_jitable
def slot_of(action: int, mirrored: bool, layout: Layout) -> int:
    """The index of an action in a row, and its inverse."""
    return action + layout.columns - 1 - 2 * (action % layout.columns) if mirrored else action


@register_jitable
def draw_best_action(
    mask: Bits, actions: int, row: int, mirrored: bool, values: np.ndarray, layout: Layout, rng: np.random.Generator
) -> tuple[int, float]:
    """(A uniformly drawn best legal action, its value) in a position that is not over. Without a row, or with one
    beyond the end of `values`, all values are 0.
    """
    is_known = 0 <= row < len(values)
    action, best, ties = -1, -np.inf, 0
    for each in range(actions):
        if landing_cell(mask, each, layout) < 0:
            continue
        value = values[row, slot_of(each, mirrored, layout)] if is_known else 0.0
        if value > best:
            action, best, ties = each, value, 1
        elif value == best:
            ties += 1
            if rng.random() * ties < 1.0:
                action = each
    return action, best


# --- Blocks (kumbhakern-2025) ---


@register_jitable
def block_weight(others: Bits, mask: Bits, cell: int, layout: Layout) -> float:
    """The weight of a stone just placed on `cell` as a block; `others` are the opponent's stones, `mask` those of both
    sides with the new one.

    The opponent's stones adjacent to the cell are counted in each direction, both sides together: 1 for one stone less
    than a line needs; 1 for two less if both ends are playable; 0.5 for each direction with two less and one playable
    end, if there are at least two such directions.
    """
    next_cells = playable(mask, layout)
    weight, half = 0.0, 0
    for direction in range(4):
        step = layout.steps[direction]
        if direction > 0 and step == layout.steps[0]:
            continue  # a direction in which no line fits repeats the first
        before, first_end = _run(others, cell, -step, layout)
        after, last_end = _run(others, cell, step, layout)
        length = before + after
        if length >= layout.inarow - 1:
            weight += 1.0
        elif length == layout.inarow - 2 and length > 0:
            ends = 0
            for end in (first_end, last_end):
                if end >= 0 and has_cell(next_cells, end):
                    ends += 1
            if ends == 2:
                weight += 1.0
            elif ends == 1:
                half += 1
    return weight + 0.5 * half if half >= 2 else weight


@register_jitable
def _run(stones: Bits, cell: int, step: int, layout: Layout) -> tuple[int, int]:
    """(Number of consecutive stones after `cell`, the next bit after them; -1 if that is off the board)."""
    length, place, end = 0, cell + step, layout.stride * layout.columns
    while 0 <= place < end and has_cell(stones, place):
        length += 1
        place += step
    return length, place if 0 <= place < end else -1
