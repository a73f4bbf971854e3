"""Exploration for a learner: chooses actions from positions and values, and keeps flags and counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inarow.games.bits import from_int
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.exploration.config import Policy, random_share
from inarow.learning.exploration.decisions import (
    Counts,
    Decisions,
    ExplorerArrays,
    FlagTable,
    choose_actions,
    decision_of,
)
from inarow.learning.records import new_record

_COUNTED = tuple(Counts.__annotations__)


@dataclass(frozen=True, slots=True)
class Metrics:
    """The counts of a stretch of training, and its states."""

    decisions: int
    rounds: int
    oracle_calls: int
    hits: int
    waiting: int
    states: int  # positions met in decisions

    @property
    def iterations(self) -> float | None:
        """Draws for each flagged action, on average; what a decision without one used up is carried
        over to the next (the "iterations" of santos-2025). None before the first hit.
        """
        return (self.rounds - self.waiting) / self.hits if self.hits else None

    @property
    def queries_per_hit(self) -> float | None:
        """How often the flags were asked for each flagged action: by the quantum oracle, and once for
        every draw to see whether it is flagged.
        """
        return (self.rounds + self.oracle_calls) / self.hits if self.hits else None


class Explorer:
    """Chooses actions by one policy for one side of one board; `table` holds its flags."""

    def __init__(self, spec: GameSpec, policy: Policy) -> None:
        self.policy = policy
        self.table = FlagTable(spec)
        self._selection = policy.selection()
        self._counts = new_record(Counts)
        self._probabilities = np.zeros(spec.actions)
        self._layout = compiled_layout(spec)

    def heat(self, episodes: np.ndarray) -> np.ndarray:
        """The epsilon of epsilon-greedy, or the temperature of the other rules, in each of these episodes."""
        return random_share(episodes) if self.policy.rule == "epsilon-greedy" else self.policy.temperature.at(episodes)

    def choose(
        self, keys: np.ndarray, legal: np.ndarray, values: np.ndarray, heat: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """An action for each of N decisions, one after the other: int64 [N].

        The arrays are those of `Decisions`.
        """
        self.table.reserve(len(keys))
        arrays = ExplorerArrays(self._selection, self.table.arrays, self._counts, self._probabilities)
        actions = np.empty(len(keys), np.int64)
        choose_actions(arrays, Decisions(keys, legal, values, heat), actions, rng)
        return actions

    def choose_in(self, position: Position, values: np.ndarray, episode: int, rng: np.random.Generator) -> int:
        """The action for one position that is not over; the rest as in `choose`."""
        like = self._layout.board
        stones, mask = from_int(position.stones, like), from_int(position.mask, like)
        key, legal = decision_of(stones, mask, self._layout)
        heat = self.heat(np.array([episode]))
        return int(self.choose(np.array([key], np.uint64), np.array([legal]), values[None], heat, rng)[0])

    def state(self) -> tuple[dict[str, int], np.ndarray, np.ndarray]:
        """(Counts by name, keys uint64 [N], flags int64 [N]): all that `restore` needs."""
        counts = {name: int(getattr(self._counts, name)) for name in _COUNTED}
        return counts, *self.table.entries()

    def restore(self, counts: dict[str, int], keys: np.ndarray, flags: np.ndarray) -> None:
        """Continues from a `state`."""
        self.table = FlagTable.from_entries(self.table.spec, keys, flags)
        for name in _COUNTED:
            setattr(self._counts, name, counts[name])

    @property
    def metrics(self) -> Metrics:
        return Metrics(**{name: int(getattr(self._counts, name)) for name in _COUNTED}, states=len(self.table))
