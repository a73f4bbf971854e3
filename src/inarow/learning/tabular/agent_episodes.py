"""Episodes against an opponent that has no compiled form: the same steps, one by one."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from inarow.games.bits import from_int
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position
from inarow.learning.tabular import episode
from inarow.learning.tabular.q_table import QTable


class _Choice(Protocol):
    @property
    def action(self) -> int: ...


class Opponent(Protocol):
    """Every agent is one."""

    def decide(self, position: Position) -> _Choice: ...


def play_against(opponent: Opponent, rules: Any, progress: Any, table: QTable, rng: np.random.Generator) -> None:
    """One episode of `episode.play_episodes` with the moves of `opponent`. The table has room for it."""
    with np.errstate(over="ignore"):  # keys are mixed modulo 2^64
        _play_against(opponent, rules, progress, table, rng)


def _play_against(opponent: Opponent, rules: Any, progress: Any, table: QTable, rng: np.random.Generator) -> None:
    layout = compiled_layout(table.spec)
    position = _start(table, rules, rng)
    learner = episode.learner_side(rules, progress)
    is_self = rules.self_play > 0 and rng.random() < rules.self_play
    episode.begin_episode(progress)
    reward = last = 0.0
    while True:
        side = position.ply & 1
        action = -1 if is_self or side == learner else opponent.decide(position).action
        if action < 0 or rules.negamax:
            stones, mask = from_int(position.stones, layout.board), from_int(position.mask, layout.board)
            action = episode.take_turn(
                layout,
                rules,
                progress,
                table.index,
                table.old_index,
                table.keys,
                table.values,
                table.visits,
                table.state,
                stones,
                mask,
                side,
                action,
                rng,
            )
        cell = position.landing_cell(action)
        position = position.play(action)
        if position.is_over:
            is_won = position.winner is not None
            episode.finish(side, is_won, rules, progress, table.values, table.visits)
            if side == learner or rules.negamax:
                reward += last
            reward += episode.count_result(side == learner, is_won, rules, progress)
            break
        others, mask = from_int(position.stones, layout.board), from_int(position.mask, layout.board)
        given = episode.reward_move(others, mask, cell, side, rules, progress, layout)
        if side == learner:
            reward += last
            last = given
    episode.end_episode(reward, rules, progress)


def _start(table: QTable, rules: Any, rng: np.random.Generator) -> Position:
    """As `episode.random_start`."""
    position = Position.start(table.spec)
    if rules.random_starts > 0 and rng.random() < rules.random_starts:
        for _ in range(int(rng.random() * table.spec.cells)):
            after = position.play(position.legal_actions[int(rng.random() * len(position.legal_actions))])
            if after.is_over:
                break
            position = after
    return position
