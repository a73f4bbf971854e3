"""Episodes in plain Python (slow), for opponents and exploration rules without a compiled form. The same episodes as
`episode.play_episodes`, except for random starts, which draw other numbers.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from inarow.games import GameSpec, Position
from inarow.games.kernels import bits_of
from inarow.games.layout import Layout
from inarow.games.rules import landing_cell
from inarow.learning.exploration.action_sets import load_actions, rows_of
from inarow.learning.exploration.explorer import Explorer, forget_waiting, keep_waiting, reward_waiting
from inarow.learning.exploration.plain_explorer import PlainExplorer
from inarow.learning.tabular import episode, moves
from inarow.learning.tabular.q_table import QTable, add_row
from inarow.search.tree.rollouts import RolloutContext

Reply = Callable[[Position], int]  # an opponent


class Explore(Protocol):
    """The choices of a learner in one episode."""

    def choose(self, key: np.uint64, mask: Any, side: int, place: tuple[int, bool]) -> int:
        """The action of a side, from the key of a row, all stones, and (row, whether actions are mirrored there)."""

    def reward(self, side: int, reward: float) -> None:
        """Called with the reward of the last action of a side, if it had one."""


def play_episode(
    reply: Reply | None, explore: Explore | None, course: episode.Course, table: QTable, rng: np.random.Generator
) -> None:
    """Plays one episode against an opponent, None for self-play. Without `explore` the learner moves by its epsilon.
    Not checked: the table has space for the episode.
    """
    layout, rules, progress = course.layout, course.rules, course.progress
    arrays = table.arrays
    position = _random_start(table.spec, rules, rng)
    learner = episode.begin_episode(rules, progress)
    is_self = reply is None or (rules.self_play > 0 and rng.random() < rules.self_play)
    reward = last = 0.0
    while True:
        side = position.ply & 1
        action = -1 if reply is None or is_self or side == learner else reply(position)
        if action < 0 or rules.negamax:
            stones, mask = bits_of(position, layout)
            key, mirrored = episode.find_slots(stones, mask, rules, layout)
            place = add_row(key, *arrays[:4]), mirrored
            if explore is not None and action < 0:
                explore.reward(side, progress.previous_rewards[side])
                action = explore.choose(key, mask, side, place)
            action = episode.take_turn(course, table.values, table.visits, mask, side, place, action, rng)
            episode.note_symmetry(stones, mask, side, course)
        cell = position.landing_cell(action)
        position = position.play(action)
        if position.is_over:
            is_won = position.winner is not None
            episode.finish(side, is_won, course, table.values, table.visits)
            if explore is not None:
                explore.reward(side, rules.win if is_won else rules.draw)
                explore.reward(1 - side, rules.loss if is_won else rules.draw)
            if side == learner or rules.negamax:
                reward += last
            reward += episode.count_result(side == learner, is_won, rules, progress)
            break
        given = episode.reward_move(*bits_of(position, layout), cell, side, course)
        if side == learner:
            reward += last
            last = given
    episode.end_episode(reward, rules, progress)


def _random_start(spec: GameSpec, rules: episode.Rules, rng: np.random.Generator) -> Position:
    position = Position.start(spec)
    if rules.random_starts > 0 and rng.random() < rules.random_starts:
        for _ in range(int(rng.random() * spec.cells)):
            after = position.play(position.legal_actions[int(rng.random() * len(position.legal_actions))])
            if after.is_over:
                break
            position = after
    return position


def compiled_reply(
    course: episode.Course, table: QTable, frozen: np.ndarray, search: RolloutContext, rng: np.random.Generator
) -> Reply | None:
    """A compiled opponent, in plain Python; None for the learner itself."""
    layout, rules, arrays = course.layout, course.rules, table.arrays

    def reply(position: Position) -> int:
        mine, both = bits_of(position, layout)
        if rules.opponent == episode.RANDOM:
            return moves.random_action(both, table.spec.actions, layout, rng)
        if rules.opponent == episode.WINBLOCK:
            return moves.winblock_action(mine, both, layout, rng)
        if rules.opponent == episode.FROZEN:
            return episode.frozen_action(mine, both, course, arrays, frozen, rng)
        return moves.mcts_action(search, mine, both, position.ply, rules.simulations, rng)

    return None if rules.opponent == episode.SELF else reply


class PolicyMoves:
    """The learner's choice of moves in the episode `number` of its generation, by the rows of a table. As in
    `episode.policy_action`, the explorer gets positions in the form of the table.
    """

    def __init__(
        self,
        explorer: Explorer | PlainExplorer,
        number: int,
        values: np.ndarray,
        layout: Layout,
        rng: np.random.Generator,
    ) -> None:
        self._explorer, self._values, self._layout, self._rng = explorer, values, layout, rng
        self._heat = explorer.heat(np.array([number]))
        if isinstance(explorer, Explorer):
            forget_waiting(explorer.arrays_for(0))

    def choose(self, key: np.uint64, mask: Any, side: int, place: tuple[int, bool]) -> int:
        (row, mirrored), layout, actions = place, self._layout, self._values.shape[1]
        if row < 0:
            return moves.random_action(mask, actions, layout, self._rng)
        slots = [
            moves.slot_of(action, mirrored, layout)
            for action in range(actions)
            if landing_cell(mask, action, layout) >= 0
        ]
        known = np.full((1, actions), -np.inf)
        known[0, slots] = self._values[row, slots]
        legal = rows_of([slots], actions)
        slot = int(self._explorer.choose(np.array([key], np.uint64), legal, known, self._heat, self._rng)[0])
        if isinstance(self._explorer, Explorer):
            keep_waiting(self._explorer.arrays_for(0), side, key, load_actions(legal, 0), slot)
        return moves.slot_of(slot, mirrored, layout)

    def reward(self, side: int, reward: float) -> None:
        if isinstance(self._explorer, Explorer):
            reward_waiting(self._explorer.arrays_for(0), side, reward)
