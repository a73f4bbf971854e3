"""Exploration: chooses actions from positions and values, and keeps flags and counts.

Flags mark promising actions. In a new position all legal actions are flagged. After a choice, the flag of the chosen
action is set or cleared by the sign of its value. Each exact position has its own flags.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.errors import InvalidSpecError
from inarow.games import GameSpec, Position
from inarow.games.bits import Bits
from inarow.games.kernels import bits_of, compiled_layout, hash_key, kernel, new_record
from inarow.games.layout import Layout
from inarow.games.rules import action_count, landing_cell
from inarow.learning.exploration.config import Policy, random_share
from inarow.learning.exploration.selection import EPSILON_GREEDY, Selection, choose_epsilon_greedy, select, softmax
from inarow.learning.tabular.q_table import IndexState, add_row, enter_rows, find_rows

_FIRST_ROWS = 1 << 10
_MOST_ACTIONS = 62  # flags are bits of an int64; a shift past the last one must not change its sign


class Counts:
    """The cost of all decisions so far, as a record."""

    decisions: int
    rounds: int  # draws
    oracle_calls: int  # applications of the quantum oracle
    hits: int  # decisions that ended with a flagged action
    waiting: int  # draws since the last hit


_COUNTED = tuple(Counts.__annotations__)


class FlagArrays(NamedTuple):
    """A `FlagTable` for kernels. `flags[row]` belongs to `keys[row]`."""

    index: np.ndarray
    old: np.ndarray  # always empty: the table grows between kernels
    keys: np.ndarray
    state: IndexState
    flags: np.ndarray  # [N] int64


class ExplorerArrays(NamedTuple):
    """The data of an explorer's decisions, for kernels."""

    selection: Selection
    table: FlagArrays
    counts: Counts
    probabilities: np.ndarray  # [A] float64, scratch


class FlagTable:
    """Flags by position; kernels use its `arrays`. Call `reserve` between kernels and get `arrays` again after it.

    Keys are those of `games.kernels.hash_key`: exact in one word with gravity, hashed on larger boards.
    """

    def __init__(self, spec: GameSpec) -> None:
        if spec.actions > _MOST_ACTIONS:
            actions = f"{spec} has {spec.actions} actions"
            raise InvalidSpecError(f"{actions}; exploration by flags needs a board of at most {_MOST_ACTIONS}")
        self.spec = spec
        empty = np.zeros(0, np.int32)
        self.arrays = FlagArrays(empty, empty, np.zeros(0, np.uint64), new_record(IndexState), np.zeros(0, np.int64))
        self.reserve(_FIRST_ROWS)

    def __len__(self) -> int:
        """The number of positions met."""
        return int(self.arrays.state.rows)

    def reserve(self, more: int) -> None:
        """Allocates space for this many more positions."""
        rows, before = len(self), self.arrays
        if rows + more <= len(before.keys):
            return
        room = max(rows + more, 2 * len(before.keys))
        keys, flags = np.zeros(room, np.uint64), np.zeros(room, np.int64)
        keys[:rows], flags[:rows] = before.keys[:rows], before.flags[:rows]
        index = np.zeros(1 << (2 * room - 1).bit_length(), np.int32)
        enter_rows(index, keys, rows)
        self.arrays = before._replace(index=index, keys=keys, flags=flags)

    def add(self, keys: np.ndarray) -> None:
        """Adds new positions, without flags."""
        self.reserve(len(keys))
        add_keys(keys, self.arrays)

    def find(self, keys: np.ndarray) -> np.ndarray:
        """The flags of positions, int64 [N]; 0 for new ones."""
        rows = find_rows(np.asarray(keys, np.uint64), *self.arrays[:3])
        return np.where(rows >= 0, self.arrays.flags[np.maximum(rows, 0)], 0)

    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """All (keys, flags), in the order in which positions were met."""
        rows = len(self)
        return self.arrays.keys[:rows].copy(), self.arrays.flags[:rows].copy()

    @classmethod
    def from_entries(cls, spec: GameSpec, keys: np.ndarray, flags: np.ndarray) -> FlagTable:
        """The inverse of `entries`."""
        table = cls(spec)
        table.reserve(len(keys))
        arrays = table.arrays
        arrays.keys[: len(keys)], arrays.flags[: len(keys)] = keys, flags
        arrays.state.rows = len(keys)
        enter_rows(arrays.index, arrays.keys, len(keys))
        return table


@kernel
def add_keys(keys: np.ndarray, table: FlagArrays) -> None:
    """The kernel of `FlagTable.add`."""
    for key in keys:
        add_row(key, table.index, table.old, table.keys, table.state)


@register_jitable
def has_room(table: FlagArrays, more: int) -> bool:
    """Whether this many more positions fit."""
    return table.state.rows + more <= len(table.keys)


@register_jitable
def decision_of(stones: Bits, mask: Bits, layout: Layout) -> tuple[np.uint64, int]:
    """(The key of a position, the bit mask of its legal actions)."""
    legal = 0
    for action in range(action_count(layout)):
        if landing_cell(mask, action, layout) >= 0:
            legal |= 1 << action
    return hash_key(stones, mask, layout), legal


@kernel
def choose_actions(
    explorer: ExplorerArrays,
    keys: np.ndarray,
    legal: np.ndarray,
    values: np.ndarray,
    heat: np.ndarray,
    rng: np.random.Generator,
    actions: np.ndarray,
) -> None:
    """Writes the action of each decision, in order. Not checked: the flag table has space for all of them."""
    for place in range(len(keys)):
        actions[place] = choose_action(explorer, keys[place], legal[place], values[place], heat[place], rng)


@register_jitable
def choose_action(
    explorer: ExplorerArrays, key: np.uint64, legal: int, values: np.ndarray, heat: float, rng: np.random.Generator
) -> int:
    """The action of one decision. Not checked: the flag table has space for it. Under epsilon-greedy the table only
    counts positions, and `counts` does not change.
    """
    selection, probabilities, counts = explorer.selection, explorer.probabilities, explorer.counts
    index, old, keys, state, flags = explorer.table
    row = add_row(key, index, old, keys, state)
    if flags[row] == 0:  # a new position: all others have at least one flag
        flags[row] = legal
    if selection.rule == EPSILON_GREEDY:
        return choose_epsilon_greedy(values, legal, heat, rng)
    softmax(values, legal, heat, probabilities)
    action, rounds, is_flagged, calls = select(probabilities, legal, flags[row], selection, rng)
    counts.decisions += 1
    counts.rounds += rounds
    counts.oracle_calls += calls
    counts.hits += is_flagged
    counts.waiting = 0 if is_flagged else counts.waiting + rounds
    flags[row] = updated_flags(flags[row], legal, action, values[action])
    return action


@register_jitable
def updated_flags(flags: int, legal: int, action: int, value: float) -> int:
    """The flags after `action` was chosen, with its current value. If it was the only legal action
    nothing changes; if its flag was the last one, all others are flagged instead.
    """
    chosen = 1 << action
    if legal == chosen:
        return flags
    if not value < 0.0:
        return flags | chosen
    others = flags & ~chosen
    return others if others != 0 else legal & ~chosen


@kernel
def count_selections(
    probabilities: np.ndarray, legal: int, flags: int, selection: Selection, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """The number of selections of each action in `count` equal decisions: int64 [A]."""
    counts = np.zeros(len(probabilities), np.int64)
    for _ in range(draws):
        counts[select(probabilities, legal, flags, selection, rng)[0]] += 1
    return counts


@kernel
def total_cost(
    probabilities: np.ndarray, legal: int, flags: int, selection: Selection, decisions: int, rng: np.random.Generator
) -> tuple[int, int]:
    """(Draws, applications of the oracle) in equal decisions."""
    total_rounds = total_calls = 0
    for _ in range(decisions):
        _, rounds, _, calls = select(probabilities, legal, flags, selection, rng)
        total_rounds += rounds
        total_calls += calls
    return total_rounds, total_calls


# --- The explorer ---


@dataclass(frozen=True, slots=True)
class Metrics:
    """The counts of a part of training, and its states."""

    decisions: int
    rounds: int
    oracle_calls: int
    hits: int
    waiting: int
    states: int  # positions met in decisions

    @property
    def iterations(self) -> float | None:
        """The mean number of draws per flagged action; draws of a decision without a hit are added to the next decision
        (the "iterations" of santos-2025). None before the first hit.
        """
        return (self.rounds - self.waiting) / self.hits if self.hits else None


class Explorer:
    """Chooses actions by one policy for one side of one board; `table` holds its flags."""

    def __init__(self, spec: GameSpec, policy: Policy) -> None:
        """`policy` must have a built-in rule; `plain_explorer.make_explorer` takes any rule."""
        self.policy, self.table = policy, FlagTable(spec)
        self._selection, self._counts = policy.selection(), new_record(Counts)
        self._probabilities, self._layout = np.zeros(spec.actions), compiled_layout(spec)

    def heat(self, episodes: np.ndarray) -> np.ndarray:
        """The epsilon of epsilon-greedy, or the temperature of the other rules, in each of these episodes."""
        return random_share(episodes) if self.policy.rule == "epsilon-greedy" else self.policy.temperature.at(episodes)

    def choose(
        self, keys: np.ndarray, legal: np.ndarray, values: np.ndarray, heat: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """The actions of N decisions, made in order: int64 [N].

        Keys uint64 [N] and legal actions int64 [N] are as `decision_of` returns them, values float64 [N, A] for the
        side to move, and heat float64 [N] is that of their episodes, as `heat` returns it.
        """
        actions = np.empty(len(keys), np.int64)
        choose_actions(self.arrays_for(len(keys)), keys, legal, values, heat, rng, actions)
        return actions

    def arrays_for(self, decisions: int) -> ExplorerArrays:
        """The arrays for kernels, with space for this many decisions. Call it again before the next ones."""
        self.table.reserve(decisions)
        return ExplorerArrays(self._selection, self.table.arrays, self._counts, self._probabilities)

    def choose_in(self, position: Position, values: np.ndarray, episode: int, rng: np.random.Generator) -> int:
        """The action in one position that is not over; arguments as in `choose`."""
        key, legal = decision_of(*bits_of(position, self._layout), self._layout)
        heat = self.heat(np.array([episode]))
        return int(self.choose(np.array([key], np.uint64), np.array([legal]), values[None], heat, rng)[0])

    def state(self) -> tuple[dict[str, int], np.ndarray, np.ndarray]:
        """(Counts by name, keys uint64 [N], flags int64 [N]): all that `restore` needs."""
        return self._counted(), *self.table.entries()

    def restore(self, counts: dict[str, int], keys: np.ndarray, flags: np.ndarray) -> None:
        self.table = FlagTable.from_entries(self.table.spec, keys, flags)
        for name in _COUNTED:
            setattr(self._counts, name, counts[name])

    @property
    def metrics(self) -> Metrics:
        return Metrics(**self._counted(), states=len(self.table))

    def _counted(self) -> dict[str, int]:
        return {name: int(getattr(self._counts, name)) for name in _COUNTED}
