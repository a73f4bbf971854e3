"""Games of a learner whose net does not change, many at a time: all moves of all games in one call of the net.

What a learner keeps by position, such as flags, it sees as if games were played one after the other: a position always
comes at the same ply, and at each ply games choose in their order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inarow.errors import ConfigError
from inarow.games.kernels import compiled_layout
from inarow.games.spec import GameSpec
from inarow.learning.deep_q import boards
from inarow.learning.deep_q.opponents import Opponents
from inarow.learning.deep_q.values import empty_boards, look_ahead
from inarow.learning.net_file import Net

Choose = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""From keys and legal actions as `decision_of` gives them, values float64 [N, A], and the numbers of the games to
actions, int64 [N]. Values of illegal actions are -inf.
"""


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """How games ended, and each move of the learner with what the net knew about it."""

    results: np.ndarray
    """[games], `boards.WON` and so on."""
    plies: np.ndarray
    """[games], of both sides."""
    actions: np.ndarray
    """int16 [games, cells], of both sides."""
    planes: np.ndarray
    """float32 [moves, rows, columns]: the board after the move."""
    values: np.ndarray
    """float64 [moves]: of that board."""
    futures: np.ndarray
    """float64 [moves]: the best value of the learner's next turn; NaN for the last move of a game."""
    games: np.ndarray
    """[moves]: the game of each."""


def play_games(net: Net, spec: GameSpec, opponents: Opponents, choose: Choose, count: int, side: int) -> PlayedGames:
    """`count` games from the empty board, move by move together; the learner has `side`, 0 if it moves first.

    Raises ConfigError if the net has diverged.
    """
    together = _Together(net, spec, count)
    for ply in range(spec.cells):
        games = np.flatnonzero(together.results == boards.GOING_ON)
        if not len(games):
            break
        is_learner = ply % 2 == side
        actions = together.learn(games, choose) if is_learner else opponents.choose(together.own, together.mask, games)
        opponents.watch(games, actions)
        together.play(games, actions, is_learner=is_learner)
    return together.played()


def choose_best(keys: np.ndarray, legal: np.ndarray, values: np.ndarray, games: np.ndarray) -> np.ndarray:
    """The first of the best actions."""
    best: np.ndarray = values.argmax(axis=1)
    return best


def check_finite(figures: np.ndarray | float) -> None:
    """Raises ConfigError if a net, of whose values or losses these are some, has diverged."""
    if not np.isfinite(figures).all():
        raise ConfigError("the net has diverged, its values are no longer finite: lower learning_rate")


class _Together:
    """The boards of games that are played together, and what is kept of them."""

    def __init__(self, net: Net, spec: GameSpec, count: int) -> None:
        self._net, self._spec, self._layout = net, spec, compiled_layout(spec)
        self.own, self.mask = empty_boards(spec, count), empty_boards(spec, count)
        self.results = np.zeros(count, np.int64)
        self._plies = np.zeros(count, np.int64)
        self._actions = np.zeros((count, spec.cells), np.int16)
        self._last = np.full(count, -1)
        """The number of the last move of each game."""
        self._planes: list[np.ndarray] = []
        self._values: list[np.ndarray] = []
        self._games: list[np.ndarray] = []
        self._futures = np.full(count * (spec.cells // 2 + 1), np.nan)
        self._moves = 0

    def learn(self, games: np.ndarray, choose: Choose) -> np.ndarray:
        """The learner's actions; keeps what is known about them."""
        ahead = look_ahead(self._net, self._spec, self.own, self.mask, games)
        best = ahead.values.max(axis=1)
        check_finite(best)
        actions = choose(ahead.keys, ahead.legal, ahead.values, games)
        taken = np.arange(len(games)), actions
        self._keep(games, ahead.values[taken], best, ahead.planes[ahead.rows[taken]])
        return actions

    def _keep(self, games: np.ndarray, values: np.ndarray, best: np.ndarray, planes: np.ndarray) -> None:
        last = self._last[games]
        self._futures[last[last >= 0]] = best[last >= 0]
        self._last[games] = self._moves + np.arange(len(games))
        self._moves += len(games)
        self._planes.append(planes)
        self._values.append(values)
        self._games.append(games)

    def play(self, games: np.ndarray, actions: np.ndarray, *, is_learner: bool) -> None:
        boards.play_actions(self._layout, self.own, self.mask, games, actions, is_learner, self.results)
        self._actions[games, self._plies[games]] = actions
        self._plies[games] += 1

    def played(self) -> PlayedGames:
        """When all are over."""
        return PlayedGames(
            results=self.results,
            plies=self._plies,
            actions=self._actions,
            planes=np.concatenate(self._planes),
            values=np.concatenate(self._values),
            futures=self._futures[: self._moves],
            games=np.concatenate(self._games),
        )
