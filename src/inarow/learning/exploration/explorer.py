"""Exploration for a learner: from positions and values to actions, with flags and counts kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from inarow.games.bits import from_int
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.exploration.config import Policy
from inarow.learning.exploration.decisions import choose_actions
from inarow.learning.exploration.flags import FlagTable, decision_of
from inarow.learning.exploration.metrics import COUNTS, Metrics
from inarow.learning.exploration.schedules import random_share


class Explorer:
    """Chooses actions by one policy for one side of one board; `table` holds its flags."""

    def __init__(self, spec: GameSpec, policy: Policy) -> None:
        self.policy = policy
        self.table = FlagTable(spec)
        self._selection = policy.selection()
        self._counts: Any = np.zeros(1, COUNTS).view(np.recarray)
        self._probabilities = np.zeros(spec.actions)
        self._layout = compiled_layout(spec)

    def heat(self, episodes: np.ndarray) -> np.ndarray:
        """How much is left to chance in each of these episodes, which count from 1: the epsilon of
        epsilon-greedy, the temperature of the other rules.
        """
        return random_share(episodes) if self.policy.rule == "epsilon-greedy" else self.policy.temperature.at(episodes)

    def choose(
        self, keys: np.ndarray, legal: np.ndarray, values: np.ndarray, heat: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """An action for each of N decisions, one after the other: int64 [N].

        `keys` uint64 [N] and `legal` int64 [N] are those of `flags.decision_of`, `values` float64 [N, A]
        are for the side to move (illegal actions are not looked at), `heat` float64 [N].
        """
        table = self.table
        table.reserve(len(keys))
        actions = np.empty(len(keys), np.int64)
        choose_actions(
            self._selection,
            keys,
            legal,
            values,
            heat,
            table.index,
            table.old_index,
            table.keys,
            table.flags,
            table.state,
            self._counts[0],
            self._probabilities,
            actions,
            rng,
        )
        return actions

    def choose_in(self, position: Position, values: np.ndarray, episode: int, rng: np.random.Generator) -> int:
        """The action for one position that is not over; the rest as in `choose`."""
        like = self._layout.board
        stones, mask = from_int(position.stones, like), from_int(position.mask, like)
        key, legal = decision_of(stones, mask, position.spec.actions, self._layout)
        heat = self.heat(np.array([episode]))
        return int(self.choose(np.array([key], np.uint64), np.array([legal]), values[None], heat, rng)[0])

    def state(self) -> tuple[dict[str, int], np.ndarray, np.ndarray]:
        """(Counts by name, keys uint64 [N], flags int64 [N]): all that `restore` needs."""
        counts = {name: int(self._counts[0][name]) for name in COUNTS.names or ()}
        return counts, *self.table.entries()

    def restore(self, counts: dict[str, int], keys: np.ndarray, flags: np.ndarray) -> None:
        """Goes on from a `state`."""
        self.table = FlagTable.from_entries(self.table.spec, keys, flags)
        for name in COUNTS.names or ():
            self._counts[0][name] = counts[name]

    @property
    def metrics(self) -> Metrics:
        counts = self._counts[0]
        return Metrics(
            decisions=int(counts.decisions),
            rounds=int(counts.rounds),
            oracle_calls=int(counts.oracle_calls),
            hits=int(counts.hits),
            waiting=int(counts.waiting),
            states=len(self.table),
        )
