"""Compiled: the Q-learner of harman as it was trained.

It always moves second, against the published MCTS. At each own turn, with s, a its last move and s'
the position it is now to move in,

    Q(s, a) += alpha (-1 + gamma max Q(s', .) - Q(s, a))

and at the end, with r = 50 for a win, -50 for a loss, -10 for a draw, for its last move

    Q(s, a) += alpha (r - Q(s, a))

What is known of its faults, and repeated here:

- Every position has entries of its own beside those of its mirror image. A new value is written to both,
  except when the opponent's move ended the game: what is learnt from losses is learnt twice.
- A draw is punished, though nobody can force more against a good first player on many boards.

The program enters 0 for a position and its mirror image when either is first met; here a row that is
not there says the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games.bits import Bits, single_cell
from inarow.games.kernels import compiled_layout, completes_line, hash_key, kernel
from inarow.games.layout import Layout
from inarow.games.rules import landing_cell, mirror
from inarow.learning.tabular.greedy import draw_best_action
from inarow.learning.tabular.opponents import random_action
from inarow.learning.tabular.q_index import add_row, is_crowded
from inarow.learning.tabular.q_table import QTable
from inarow.studies.harman.mcts import make_tree, most_visited

ALPHA, GAMMA, EPSILON = 0.6, 0.8, 0.1
WIN, LOSS, DRAW, STEP = 50.0, -50.0, -10.0, -1.0
_C = 2.0
WON, DRAWN, LOST = 1, 0, -1


class Episodes(NamedTuple):
    """What happened, game by game, as the learner sees it."""

    rewards: np.ndarray  # [N] float64, the sum over a game
    results: np.ndarray  # [N] int64: WON, DRAWN or LOST


def play_as_published(
    table: QTable,
    episodes: int,
    *,
    playouts: int,
    rng: np.random.Generator,
    alpha: float = ALPHA,
    epsilon: float = EPSILON,
) -> Episodes:
    """Plays and learns. With alpha = epsilon = 0 this is the published evaluation, which enters
    positions into the table but changes nothing that is chosen later.
    """
    layout = compiled_layout(table.spec)
    rewards, results = np.zeros(episodes), np.zeros(episodes, np.int64)
    tree = make_tree(table.spec, playouts)
    done = 0
    while done < episodes:
        table.reserve()
        done += _play(
            layout,
            alpha,
            epsilon,
            playouts,
            table.index,
            table.old_index,
            table.keys,
            table.values,
            table.visits,
            table.state,
            *tree,
            rewards[done:],
            results[done:],
            rng,
        )
    return Episodes(rewards, results)


@kernel
def _play(
    layout: Layout,
    alpha: float,
    epsilon: float,
    playouts: int,
    index: np.ndarray,
    old: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    visits: np.ndarray,
    state: Any,
    tree_visits: np.ndarray,
    totals: np.ndarray,
    first: np.ndarray,
    rewards: np.ndarray,
    results: np.ndarray,
    rng: np.random.Generator,
) -> int:
    """Plays until all rewards are there or the index is crowded; how many games it played."""
    area = layout.rows * layout.columns
    for done in range(len(rewards)):
        if is_crowded(index, state):
            return done
        mine = both = layout.board ^ layout.board
        row, action = -1, -1  # of the learner's last move
        image = np.uint64(0)  # the key of the mirror image of the position it was made in
        for ply in range(area):
            is_own = ply & 1 == 1
            if is_own:
                before, moved, image_before = row, action, image
                image = hash_key(mirror(mine, layout), mirror(both, layout), layout)
                row = add_row(hash_key(mine, both, layout), index, old, keys, state)
                action, best = _choose(both, row, values, epsilon, layout, rng)
                if before >= 0:
                    _teach(before, moved, STEP + GAMMA * best, alpha, values, visits)
                    twin = add_row(image_before, index, old, keys, state)
                    _copy(before, moved, twin, values, visits)
                if moved >= 0:
                    rewards[done] += STEP
                chosen = action
            else:
                chosen = most_visited(layout, mine, both, ply, playouts, _C, tree_visits, totals, first, rng)
            cell = landing_cell(both, chosen, layout)
            placed = mine | single_cell(cell, mine)
            mine, both = both ^ mine, both | placed
            is_won = completes_line(placed, cell, layout)
            if is_won or ply + 1 == area:
                results[done] = DRAWN if not is_won else WON if is_own else LOST
                reward = DRAW if not is_won else WIN if is_own else LOSS
                rewards[done] += reward
                if row >= 0:
                    _teach(row, action, reward, alpha, values, visits)
                    if is_own:
                        _copy(row, action, add_row(image, index, old, keys, state), values, visits)
                break
    return len(rewards)


@register_jitable
def _choose(
    mask: Bits,
    row: int,
    values: np.ndarray,
    epsilon: float,
    layout: Layout,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """(An action, the greatest value of all). Without a row, in a full table, all are 0."""
    chosen, best = draw_best_action(mask, layout.columns, row, False, values, layout, rng)
    if rng.random() < epsilon:
        chosen = random_action(mask, layout.columns, layout, rng)
    return chosen, best


@register_jitable
def _teach(row: int, action: int, target: float, alpha: float, values: np.ndarray, visits: np.ndarray) -> None:
    values[row, action] += alpha * (target - values[row, action])
    visits[row, action] += 1


@register_jitable
def _copy(row: int, action: int, twin: int, values: np.ndarray, visits: np.ndarray) -> None:
    """Writes a new value to the mirror image, whose row may be the same or, in a full table, -1."""
    if twin >= 0:
        image = values.shape[1] - 1 - action
        values[twin, image] = values[row, action]
        visits[twin, image] += 1
