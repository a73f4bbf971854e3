"""The last choice of each of many games, for flags that follow rewards."""

import numpy as np

from inarow.games import GameSpec
from inarow.learning.exploration.action_sets import empty_rows

_NONE = -1


class LastChoices:
    """Keeps the learner's last choice in each game until its reward is known."""

    def __init__(self, games: int, spec: GameSpec) -> None:
        self._keys, self._legal = np.zeros(games, np.uint64), empty_rows(games, spec.actions)
        self._actions = np.full(games, _NONE)

    def keep(self, games: np.ndarray, keys: np.ndarray, legal: np.ndarray, actions: np.ndarray) -> None:
        """Remembers a choice for each of `games`, with arguments like `Explorer.choose`."""
        self._keys[games], self._legal[games], self._actions[games] = keys, legal[: len(games)], actions

    def taken(self, games: np.ndarray, rewards: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The arguments of `Explorer.reward` for the last choices of some games, without games that have none. They are
        forgotten.
        """
        waits = self._actions[games] != _NONE
        kept = games[waits]
        found = self._keys[kept], self._legal[kept], self._actions[kept], np.asarray(rewards, np.float64)[waits]
        self._actions[kept] = _NONE
        return found
