"""Compiled: episodes of tabular Q-learning.

The value of an action is for the side that takes it, and a position is seen by the side to move. Two
updates, each made when the position that a move led to is known, and at the end of the game without
its second term:

    negamax    Q(s, a) += alpha * (r - gamma * max_b Q(s', b) - Q(s, a))    s' the opponent's next turn
    own-turn   Q(s, a) += alpha * (r + gamma * max_b Q(s', b) - Q(s, a))    s' the mover's next turn

b runs over legal actions. Under negamax every move of both sides teaches, whoever chose it; under
own-turn only the learner's, and the opponent is a part of the world. In self-play the learner is both
sides, each for itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, single_cell
from inarow.games.kernels import completes_line, hash_key, kernel
from inarow.games.layout import Layout
from inarow.games.rules import action_count, landing_cell, mirror
from inarow.learning.tabular.blocking import block_weight
from inarow.learning.tabular.greedy import draw_best_action, slot_of
from inarow.learning.tabular.opponents import mcts_action, random_action, winblock_action
from inarow.learning.tabular.q_index import add_row, find_row, is_crowded
from inarow.search.tree.memory import Tree

OTHER, SELF, FROZEN, RANDOM, WINBLOCK, MCTS = range(6)
"""Opponents; OTHER moves outside of the kernels."""

RULES = np.dtype(
    [
        ("alpha", "f8"),
        ("gamma", "f8"),
        ("win", "f8"),
        ("loss", "f8"),  # own-turn only
        ("draw", "f8"),
        ("step", "f8"),  # for every move after which the game goes on
        ("block", "f8"),  # times the block weight of a move after which the game goes on
        ("epsilon_decay", "f8"),
        ("epsilon_floor", "f8"),
        ("self_play", "f8"),  # share of episodes against itself, whoever the opponent is
        ("random_starts", "f8"),
        ("negamax", "i8"),
        ("mirror", "i8"),  # mirror images share a row
        ("opponent", "i8"),
        ("simulations", "i8"),  # of MCTS
        ("side", "i8"),  # the learner's: 0 first, 1 second, 2 alternating
    ],
    align=True,
)

PROGRESS = np.dtype(
    [
        ("episode", "i8"),
        ("epsilon", "f8"),
        ("reward", "f8"),  # the learner's, since the last report, as the counts that follow
        ("wins", "i8"),
        ("draws", "i8"),
        ("losses", "i8"),
        ("previous_rows", "i8", 2),  # by side: the move that waits for its update
        ("previous_slots", "i8", 2),
        ("previous_rewards", "f8", 2),
    ],
    align=True,
)


@register_jitable
def find_slots(stones: Bits, mask: Bits, rules: Any, layout: Layout) -> tuple[np.uint64, bool]:
    """(The key of a position's row, whether its actions are mirrored there)."""
    key = hash_key(stones, mask, layout)
    if rules.mirror:
        other = hash_key(mirror(stones, layout), mirror(mask, layout), layout)
        if other < key:
            return other, True
    return key, False


@register_jitable
def take_turn(
    layout: Layout,
    rules: Any,
    progress: Any,
    index: np.ndarray,
    old: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    visits: np.ndarray,
    state: Any,
    stones: Bits,
    mask: Bits,
    side: int,
    chosen: int,
    rng: np.random.Generator,
) -> int:
    """A side that learns is to move: updates the move that led here, then takes the action `chosen`,
    or its own choice if that is -1. Returns the action.
    """
    key, mirrored = find_slots(stones, mask, rules, layout)
    row = add_row(key, index, old, keys, state)
    actions = values.shape[1]
    action, best = draw_best_action(mask, actions, row, mirrored, values, layout, rng)
    if rules.negamax:
        _teach(1 - side, -rules.gamma * best, rules, progress, values, visits)
    else:
        _teach(side, rules.gamma * best, rules, progress, values, visits)
    if chosen >= 0:
        action = chosen
    elif rng.random() < progress.epsilon:
        action = random_action(mask, actions, layout, rng)
    progress.previous_rows[side], progress.previous_slots[side] = row, slot_of(action, mirrored, layout)
    progress.previous_rewards[side] = rules.step
    return action


@register_jitable
def finish(side: int, is_won: bool, rules: Any, progress: Any, values: np.ndarray, visits: np.ndarray) -> None:
    """The move of `side` ended the game."""
    _teach_end(side, rules.win if is_won else rules.draw, rules, progress, values, visits)
    if not rules.negamax:
        _teach_end(1 - side, rules.loss if is_won else rules.draw, rules, progress, values, visits)


@register_jitable
def _teach(side: int, future: float, rules: Any, progress: Any, values: np.ndarray, visits: np.ndarray) -> None:
    row = progress.previous_rows[side]
    if row >= 0:
        slot = progress.previous_slots[side]
        values[row, slot] += rules.alpha * (progress.previous_rewards[side] + future - values[row, slot])
        visits[row, slot] += 1


@register_jitable
def _teach_end(side: int, reward: float, rules: Any, progress: Any, values: np.ndarray, visits: np.ndarray) -> None:
    progress.previous_rewards[side] = reward
    _teach(side, 0.0, rules, progress, values, visits)


@kernel
def play_episodes(
    layout: Layout,
    rules: Any,
    progress: Any,
    index: np.ndarray,
    old: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    visits: np.ndarray,
    state: Any,
    frozen: np.ndarray,
    tree: Tree | None,
    plan: Any,
    starts: Any,
    weights: Any,
    walk: Any,
    rng: np.random.Generator,
    episodes: int,
) -> int:
    """Plays whole episodes against a compiled opponent; returns how many: fewer than asked for when
    the index of the table must grow. `frozen` are the values of the first rows at an earlier time;
    `tree` to `walk` are what `uct.grow` takes, None if the opponent is not MCTS.
    """
    actions, area = values.shape[1], layout.rows * layout.columns
    for done in range(episodes):
        if is_crowded(index, state):
            return done
        mine, both, ply = random_start(layout, rules, rng)
        learner = learner_side(rules, progress)
        is_self = rules.opponent == SELF or (rules.self_play > 0.0 and rng.random() < rules.self_play)
        begin_episode(progress)
        reward = 0.0
        last = 0.0  # the reward of the learner's last move: under own-turn the opponent's end of the game replaces it
        while True:
            side = ply & 1
            action = -1
            if not is_self and side != learner:
                if rules.opponent == RANDOM:
                    action = random_action(both, actions, layout, rng)
                elif rules.opponent == WINBLOCK:
                    action = winblock_action(mine, both, actions, layout, rng)
                elif rules.opponent == FROZEN:
                    action = greedy_action(mine, both, rules, layout, index, old, keys, frozen, rng)
                elif tree is not None:  # compiled only where there is one
                    simulations = rules.simulations
                    action = mcts_action(
                        mine, both, ply, actions, simulations, layout, tree, plan, starts, weights, walk, rng
                    )
            if action < 0 or rules.negamax:
                action = take_turn(
                    layout,
                    rules,
                    progress,
                    index,
                    old,
                    keys,
                    values,
                    visits,
                    state,
                    mine,
                    both,
                    side,
                    action,
                    rng,
                )
            cell = landing_cell(both, action, layout)
            placed = mine | single_cell(cell, mine)
            mine, both = both ^ mine, both | placed
            ply += 1
            is_won = completes_line(placed, cell, layout)
            if is_won or ply == area:
                finish(side, is_won, rules, progress, values, visits)
                if side == learner or rules.negamax:
                    reward += last
                reward += count_result(side == learner, is_won, rules, progress)
                break
            given = reward_move(mine, both, cell, side, rules, progress, layout)
            if side == learner:
                reward += last
                last = given
        end_episode(reward, rules, progress)
    return episodes


# --- What compiled episodes and those against any agent share ---


@register_jitable
def random_start(layout: Layout, rules: Any, rng: np.random.Generator) -> tuple[Any, Any, int]:
    """(stones, mask, ply): the empty board, or now and then what a random number of random moves led to."""
    area = layout.rows * layout.columns
    mine: Any = layout.board ^ layout.board
    both = mine
    ply = 0
    if rules.random_starts > 0.0 and rng.random() < rules.random_starts:
        for _ in range(int(rng.random() * area)):
            cell = landing_cell(both, random_action(both, action_count(layout), layout, rng), layout)
            placed = mine | single_cell(cell, mine)
            if completes_line(placed, cell, layout):
                break
            mine, both = both ^ mine, both | placed
            ply += 1
    return mine, both, ply


@register_jitable
def learner_side(rules: Any, progress: Any) -> int:
    """0 if the learner moves first in this episode."""
    return progress.episode & 1 if rules.side == 2 else rules.side


@register_jitable
def begin_episode(progress: Any) -> None:
    """No move waits for its update."""
    progress.previous_rows[0] = progress.previous_rows[1] = -1


@register_jitable
def greedy_action(
    stones: Bits,
    mask: Bits,
    rules: Any,
    layout: Layout,
    index: np.ndarray,
    old: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    rng: np.random.Generator,
) -> int:
    """One of the best actions by `values`, which may have fewer rows than the table; unknown is 0."""
    key, mirrored = find_slots(stones, mask, rules, layout)
    row = find_row(key, index, old, keys)
    action, _ = draw_best_action(mask, values.shape[1], row, mirrored, values, layout, rng)
    return action


@register_jitable
def reward_move(others: Bits, mask: Bits, cell: int, side: int, rules: Any, progress: Any, layout: Layout) -> float:
    """Gives a move after which the game goes on its reward, and returns it.

    `others` are the stones of the side that did not make it.
    """
    reward = rules.step
    if rules.block != 0.0:
        reward += rules.block * block_weight(others, mask, cell, layout)
    progress.previous_rewards[side] = reward
    return reward


@register_jitable
def count_result(is_learner: bool, is_won: bool, rules: Any, progress: Any) -> float:
    """Counts a game that a move ended; returns the learner's reward."""
    if not is_won:
        progress.draws += 1
        return rules.draw
    if is_learner:
        progress.wins += 1
        return rules.win
    progress.losses += 1
    return rules.loss


@register_jitable
def end_episode(reward: float, rules: Any, progress: Any) -> None:
    """Counts the episode and lets chance fade."""
    progress.reward += reward
    progress.episode += 1
    progress.epsilon = max(rules.epsilon_floor, progress.epsilon * rules.epsilon_decay)
