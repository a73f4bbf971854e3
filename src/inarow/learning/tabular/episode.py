"""Compiled: episodes of tabular Q-learning.

Values of actions are for the side to move, and so are positions. There are two kinds of updates. Each is made when the
position after a move is known; for the last move of a game the second term is omitted:

    negamax    Q(s, a) += alpha * (r - gamma * max_b Q(s', b) - Q(s, a))    s' the opponent's next turn
    own-turn   Q(s, a) += alpha * (r + gamma * max_b Q(s', b) - Q(s, a))    s' the mover's next turn

b ranges over legal actions. Under negamax the learner learns from the moves of both sides; under own-turn only from its
own, and the opponent is part of the environment. In self-play it learns for each side separately.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, single_cell
from inarow.games.kernels import completes_line, hash_key, kernel
from inarow.games.layout import Layout
from inarow.games.rules import action_count, landing_cell, mirror
from inarow.learning.exploration.action_sets import add_action, clear_actions, load_actions
from inarow.learning.exploration.explorer import (
    ExplorerArrays,
    choose_action,
    forget_waiting,
    has_room,
    keep_waiting,
    reward_waiting,
)
from inarow.learning.tabular import moves
from inarow.learning.tabular.moves import draw_best_action, random_action, slot_of
from inarow.learning.tabular.q_table import QArrays, add_row, find_row, is_crowded
from inarow.learning.windows.starts import random_board
from inarow.search.tree.rollouts import RolloutContext

OTHER, SELF, FROZEN, RANDOM, WINBLOCK, MCTS = range(6)  # opponents; OTHER is not compiled


class Rules:
    """The settings of episodes, as a record."""

    alpha: float
    gamma: float
    win: float
    loss: float  # own-turn only
    draw: float
    step: float  # for every move that does not end the game
    block: float  # factor of the block weight of such a move
    epsilon_decay: float
    epsilon_floor: float
    self_play: float  # share of episodes of self-play, for any opponent
    random_starts: float
    boards: int  # random starts are boards with any stones, instead of random moves
    negamax: int
    mirror: int  # mirror images share a row
    symmetric_actions: int  # in a position that is its own mirror image, mirrored actions share their values
    opponent: int
    simulations: int  # of MCTS
    side: int  # the learner's: 0 first, 1 second, 2 alternating


class Progress:
    """The state of training that episodes change, as a record."""

    episode: int
    epsilon: float
    reward: float  # of the learner since the last report, as are the following counts
    wins: int
    draws: int
    losses: int
    previous_rows: Annotated[np.ndarray, "i8", 2]  # by side: the row of the move that waits for its update
    previous_slots: Annotated[np.ndarray, "i8", 2]
    previous_rewards: Annotated[np.ndarray, "f8", 2]
    previous_symmetric: Annotated[np.ndarray, "i8", 2]  # whether that move shares its value with its mirror image


class Course(NamedTuple):
    """The data of the episodes of one phase. It has no arrays, so that reading its fields in kernels costs nothing."""

    layout: Layout
    rules: Rules
    progress: Progress


class Exploring(NamedTuple):
    """The data of a policy that chooses the learner's moves."""

    explorer: ExplorerArrays
    heat: np.ndarray  # float64 [episodes]: for each episode of a call


@register_jitable
def find_slots(stones: Bits, mask: Bits, rules: Rules, layout: Layout) -> tuple[np.uint64, bool]:
    """(The key of a position's row, whether its actions are mirrored there)."""
    key = hash_key(stones, mask, layout)
    if rules.mirror:
        other = hash_key(mirror(stones, layout), mirror(mask, layout), layout)
        if other < key:
            return other, True
    return key, False


@register_jitable
def take_turn(
    course: Course,
    values: np.ndarray,
    visits: np.ndarray,
    mask: Bits,
    side: int,
    place: tuple[int, bool],
    chosen: int,
    rng: np.random.Generator,
) -> int:
    """The turn of a learning side in the position of `place`, (row, whether its actions are mirrored there): updates
    its previous move, then takes the action `chosen`, or its own choice if that is -1. Returns the action.
    """
    layout, rules, progress = course.layout, course.rules, course.progress
    row, mirrored = place
    actions = values.shape[1]
    action, best = draw_best_action(mask, actions, row, mirrored, values, layout, rng)
    if rules.negamax:
        _teach(1 - side, -rules.gamma * best, course, values, visits)
    else:
        _teach(side, rules.gamma * best, course, values, visits)
    if chosen >= 0:
        action = chosen
    elif rng.random() < progress.epsilon:
        action = random_action(mask, actions, layout, rng)
    progress.previous_rows[side], progress.previous_slots[side] = row, slot_of(action, mirrored, layout)
    progress.previous_rewards[side] = rules.step
    return action


@register_jitable
def note_symmetry(stones: Bits, mask: Bits, side: int, course: Course) -> None:
    """After `take_turn`: records whether the position is its own mirror image, if its mirrored actions share values."""
    if course.rules.symmetric_actions:
        layout = course.layout
        image = hash_key(mirror(stones, layout), mirror(mask, layout), layout)
        course.progress.previous_symmetric[side] = image == hash_key(stones, mask, layout)


@register_jitable
def policy_action(
    explorer: ExplorerArrays,
    key: np.uint64,
    mask: Bits,
    side: int,
    place: tuple[int, bool],
    values: np.ndarray,
    heat: float,
    layout: Layout,
    rng: np.random.Generator,
) -> int:
    """The action of a learning side by a policy; uniformly random if the table had no space for the position. The
    explorer gets positions in the form of the table: mirror images share flags as they share values.
    """
    row, mirrored = place
    actions = values.shape[1]
    if row < 0:
        return random_action(mask, actions, layout, rng)
    clear_actions(explorer.legal, 0)
    for action in range(actions):
        if landing_cell(mask, action, layout) >= 0:
            add_action(explorer.legal, 0, slot_of(action, mirrored, layout))
    legal = load_actions(explorer.legal, 0)
    slot = choose_action(explorer, key, legal, values[row], heat, rng)
    keep_waiting(explorer, side, key, legal, slot)
    return slot_of(slot, mirrored, layout)


@register_jitable
def finish(side: int, is_won: bool, course: Course, values: np.ndarray, visits: np.ndarray) -> None:
    """Updates the last moves after a move of `side` has ended the game."""
    rules, rewards = course.rules, course.progress.previous_rewards
    rewards[side] = rules.win if is_won else rules.draw
    _teach(side, 0.0, course, values, visits)
    if not rules.negamax:
        rewards[1 - side] = rules.loss if is_won else rules.draw
        _teach(1 - side, 0.0, course, values, visits)


@register_jitable
def _teach(side: int, future: float, course: Course, values: np.ndarray, visits: np.ndarray) -> None:
    progress = course.progress
    row = progress.previous_rows[side]
    if row >= 0:
        slot = progress.previous_slots[side]
        values[row, slot] += course.rules.alpha * (progress.previous_rewards[side] + future - values[row, slot])
        visits[row, slot] += 1
        if progress.previous_symmetric[side]:
            image = slot_of(slot, True, course.layout)
            values[row, image], visits[row, image] = values[row, slot], visits[row, slot]


@kernel
def play_episodes(
    course: Course,
    table: QArrays,
    frozen: np.ndarray,
    search: RolloutContext | None,
    exploring: Exploring | None,
    rng: np.random.Generator,
    episodes: int,
) -> int:
    """Plays episodes against a compiled opponent; returns their number, which is smaller than requested if the index of
    the table or the flags must grow. `frozen` are the values of the first rows at an earlier time; `search` is None
    unless the opponent is MCTS, `exploring` is None unless the learner has a policy, which then replaces epsilon.
    """
    layout, rules, progress = course.layout, course.rules, course.progress
    index, old, keys, state, values, visits = table
    actions, area = values.shape[1], layout.rows * layout.columns
    for done in range(episodes):
        if is_crowded(index, state):
            return done
        if exploring is not None and not has_room(exploring.explorer.table, area):  # compiled only if not None
            return done
        mine, both, ply = random_start(layout, rules, rng)
        learner = begin_episode(rules, progress)
        if exploring is not None:
            forget_waiting(exploring.explorer)
        is_self = rules.opponent == SELF or (rules.self_play > 0.0 and rng.random() < rules.self_play)
        reward = 0.0
        last = 0.0  # the reward of the learner's last move; under own-turn replaced if the opponent ends the game
        while True:
            side = ply & 1
            action = -1
            if not is_self and side != learner:
                if rules.opponent == RANDOM:
                    action = random_action(both, actions, layout, rng)
                elif rules.opponent == WINBLOCK:
                    action = moves.winblock_action(mine, both, layout, rng)
                elif rules.opponent == FROZEN:
                    action = frozen_action(mine, both, course, table, frozen, rng)
                elif search is not None:  # compiled only if not None
                    action = moves.mcts_action(search, mine, both, ply, rules.simulations, rng)
            if action < 0 or rules.negamax:
                key, mirrored = find_slots(mine, both, rules, layout)
                place = add_row(key, index, old, keys, state), mirrored
                if exploring is not None and action < 0:
                    heat = exploring.heat[done]
                    reward_waiting(exploring.explorer, side, progress.previous_rewards[side])
                    action = policy_action(exploring.explorer, key, both, side, place, values, heat, layout, rng)
                action = take_turn(course, values, visits, both, side, place, action, rng)
                note_symmetry(mine, both, side, course)
            cell = landing_cell(both, action, layout)
            placed = mine | single_cell(cell, mine)
            mine, both = both ^ mine, both | placed
            ply += 1
            is_won = completes_line(placed, cell, layout)
            if is_won or ply == area:
                finish(side, is_won, course, values, visits)
                if exploring is not None:
                    reward_waiting(exploring.explorer, side, rules.win if is_won else rules.draw)
                    reward_waiting(exploring.explorer, 1 - side, rules.loss if is_won else rules.draw)
                if side == learner or rules.negamax:
                    reward += last
                reward += count_result(side == learner, is_won, rules, progress)
                break
            given = reward_move(mine, both, cell, side, course)
            if side == learner:
                reward += last
                last = given
        end_episode(reward, rules, progress)
    return episodes


@register_jitable
def frozen_action(
    stones: Bits, mask: Bits, course: Course, table: QArrays, frozen: np.ndarray, rng: np.random.Generator
) -> int:
    """One of the best actions by the frozen values, which are 0 for unknown positions."""
    key, mirrored = find_slots(stones, mask, course.rules, course.layout)
    row = find_row(key, table.index, table.old, table.keys)
    action, _ = draw_best_action(mask, frozen.shape[1], row, mirrored, frozen, course.layout, rng)
    return action


# --- Common parts of compiled and plain episodes ---


@register_jitable
def random_start(layout: Layout, rules: Rules, rng: np.random.Generator) -> tuple[Any, Any, int]:
    """(stones, mask, number of stones) of the empty board, or, with probability `random_starts`, after a random number
    of random moves, or of a random board. On the latter the parity of the stones does not say who is to move: sides are
    numbered by it all the same, since the numbers only tell the learner from its opponent.
    """
    area = layout.rows * layout.columns
    mine: Any = layout.board ^ layout.board
    both, ply = mine, 0
    if rules.random_starts > 0.0 and rng.random() < rules.random_starts:
        if rules.boards:
            return random_board(layout, rng)
        for _ in range(int(rng.random() * area)):
            cell = landing_cell(both, random_action(both, action_count(layout), layout, rng), layout)
            placed = mine | single_cell(cell, mine)
            if completes_line(placed, cell, layout):
                break
            mine, both = both ^ mine, both | placed
            ply += 1
    return mine, both, ply


@register_jitable
def begin_episode(rules: Rules, progress: Progress) -> int:
    """The learner's side, 0 if it moves first in this episode. Resets the moves that wait for an update."""
    progress.previous_rows[0] = progress.previous_rows[1] = -1
    return progress.episode & 1 if rules.side == 2 else rules.side


@register_jitable
def reward_move(others: Bits, mask: Bits, cell: int, side: int, course: Course) -> float:
    """Records and returns the reward of a move that did not end the game. `others` are the opponent's stones."""
    rules = course.rules
    reward = rules.step
    if rules.block != 0.0:
        reward += rules.block * moves.block_weight(others, mask, cell, course.layout)
    course.progress.previous_rewards[side] = reward
    return reward


@register_jitable
def count_result(is_learner: bool, is_won: bool, rules: Rules, progress: Progress) -> float:
    """Counts the result of a finished game; returns the learner's reward."""
    if not is_won:
        progress.draws += 1
        return rules.draw
    if is_learner:
        progress.wins += 1
        return rules.win
    progress.losses += 1
    return rules.loss


@register_jitable
def end_episode(reward: float, rules: Rules, progress: Progress) -> None:
    """Counts the episode and decays epsilon."""
    progress.reward += reward
    progress.episode += 1
    progress.epsilon = max(rules.epsilon_floor, progress.epsilon * rules.epsilon_decay)
