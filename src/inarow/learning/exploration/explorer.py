"""Exploration: chooses actions from positions and values, and keeps flags and counts.

Flags mark promising actions. In a new position all legal actions are flagged. After a choice, the flag of the chosen
action is set or cleared: at once by the sign of its value, or by its reward when that is known, which the learner
reports (`Explorer.reward`). Each exact position has its own flags.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from inarow.games import GameSpec, Position
from inarow.games.bits import Bits
from inarow.games.kernels import bits_of, compiled_layout, hash_key, kernel, new_record
from inarow.games.layout import Layout
from inarow.games.rules import action_count, landing_cell
from inarow.learning.exploration.action_sets import (
    ActionSet,
    add_action,
    any_action,
    clear_actions,
    empty_rows,
    has_action,
    load_actions,
    single_action,
    store_actions,
)
from inarow.learning.exploration.config import Policy, random_share
from inarow.learning.exploration.selection import (
    EPSILON_GREEDY,
    Selection,
    choose_epsilon_greedy,
    mass_of,
    select,
    softmax,
)
from inarow.learning.tabular.q_table import IndexState, add_row, enter_rows, find_row, find_rows

_FIRST_ROWS = 1 << 10
_SIDES = 2


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
    flags: np.ndarray  # [N] sets of actions


class Waiting(NamedTuple):
    """The last choice of each side, while its reward is unknown."""

    keys: np.ndarray  # [2] uint64
    legal: np.ndarray  # [2] sets of actions
    actions: np.ndarray  # [2] int64: -1 if there is none


class ExplorerArrays(NamedTuple):
    """The data of an explorer's decisions, for kernels."""

    selection: Selection
    table: FlagArrays
    counts: Counts
    probabilities: np.ndarray  # [A] float64, scratch
    trace: np.ndarray  # [K, 3] float64: of the first K decisions, see `Explorer.record`
    waiting: Waiting
    legal: np.ndarray  # [1] sets of actions, scratch


class FlagTable:
    """Flags by position; kernels use its `arrays`. Call `reserve` between kernels and get `arrays` again after it.

    Keys are those of `games.kernels.hash_key`: exact in one word with gravity, hashed on larger boards.
    """

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        empty, flags = np.zeros(0, np.int32), empty_rows(0, spec.actions)
        self.arrays = FlagArrays(empty, empty, np.zeros(0, np.uint64), new_record(IndexState), flags)
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
        keys, flags = np.zeros(room, np.uint64), empty_rows(room, self.spec.actions)
        keys[:rows], flags[:rows] = before.keys[:rows], before.flags[:rows]
        index = np.zeros(1 << (2 * room - 1).bit_length(), np.int32)
        enter_rows(index, keys, rows)
        self.arrays = before._replace(index=index, keys=keys, flags=flags)

    def add(self, keys: np.ndarray) -> None:
        """Adds new positions, without flags."""
        self.reserve(len(keys))
        add_keys(keys, self.arrays)

    def find(self, keys: np.ndarray) -> np.ndarray:
        """The flags of positions, N sets of actions; empty ones for new positions."""
        rows = find_rows(np.asarray(keys, np.uint64), *self.arrays[:3])
        found = self.arrays.flags[np.maximum(rows, 0)]
        found[rows < 0] = 0
        return found

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
def decision_of(stones: Bits, mask: Bits, layout: Layout, legal: np.ndarray, row: int) -> np.uint64:
    """The key of a position. Writes the set of its legal actions to a row."""
    clear_actions(legal, row)
    for action in range(action_count(layout)):
        if landing_cell(mask, action, layout) >= 0:
            add_action(legal, row, action)
    return hash_key(stones, mask, layout)


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
        mask = load_actions(legal, place)
        actions[place] = choose_action(explorer, keys[place], mask, values[place], heat[place], rng)


@register_jitable
def choose_action(
    explorer: ExplorerArrays,
    key: np.uint64,
    legal: ActionSet,
    values: np.ndarray,
    heat: float,
    rng: np.random.Generator,
) -> int:
    """The action of one decision. Not checked: the flag table has space for it. Under epsilon-greedy the table only
    counts positions, and `counts` does not change.
    """
    row = enter_position(explorer, key, legal)
    if explorer.selection.rule == EPSILON_GREEDY:
        return choose_epsilon_greedy(values, legal, heat, rng)
    flags = weigh_actions(explorer, row, legal, values, heat)
    outcome = select(explorer.probabilities, legal, flags, explorer.selection, rng)
    count_decision(explorer, row, legal, values, outcome)
    return outcome[0]


@register_jitable
def enter_position(explorer: ExplorerArrays, key: np.uint64, legal: ActionSet) -> int:
    """The row of a position, which is added with all legal actions flagged if it is new."""
    index, old, keys, state, flags = explorer.table
    row = add_row(key, index, old, keys, state)
    if not any_action(load_actions(flags, row)):  # a new position: all others have at least one flag
        store_actions(flags, row, legal)
    return row


@register_jitable
def weigh_actions(
    explorer: ExplorerArrays, row: int, legal: ActionSet, values: np.ndarray, temperature: float
) -> ActionSet:
    """The flags of a position. Writes the probabilities of its actions to `explorer.probabilities`."""
    probabilities, trace, done = explorer.probabilities, explorer.trace, explorer.counts.decisions
    flags = load_actions(explorer.table.flags, row)
    softmax(values, legal, temperature, probabilities)
    if done < len(trace):
        describe_decision(probabilities, legal, flags, trace[done])
    return flags


@register_jitable
def count_decision(
    explorer: ExplorerArrays, row: int, legal: ActionSet, values: np.ndarray, outcome: tuple[int, int, bool, int]
) -> None:
    """Counts a decision with the `outcome` of `select`, and updates flags by value."""
    counts, flags = explorer.counts, explorer.table.flags
    action, rounds, is_flagged, calls = outcome
    counts.decisions += 1
    counts.rounds += rounds
    counts.oracle_calls += calls
    counts.hits += is_flagged
    counts.waiting = 0 if is_flagged else counts.waiting + rounds
    if not explorer.selection.by_reward:
        store_actions(flags, row, updated_flags(load_actions(flags, row), legal, action, values[action]))


@register_jitable
def describe_decision(probabilities: np.ndarray, legal: ActionSet, flags: ActionSet, described: np.ndarray) -> None:
    """Writes (number of legal actions, flagged mass, mean number of different actions that plain draws query until one
    is flagged) to a row of `ExplorerArrays.trace`.
    """
    mass, count, queried = mass_of(probabilities, flags), 0, 1.0
    for action in range(len(probabilities)):
        if has_action(legal, action):
            count += 1
            if not has_action(flags, action) and probabilities[action] > 0.0:
                # It is drawn before every flagged action with this probability.
                queried += probabilities[action] / (probabilities[action] + mass)
    described[0] = count
    described[1] = mass
    described[2] = queried


@register_jitable
def updated_flags(flags: ActionSet, legal: ActionSet, action: int, value: float) -> ActionSet:
    """The flags after `action` was chosen, with its current value. If it was the only legal action
    nothing changes; if its flag was the last one, all others are flagged instead.
    """
    chosen = single_action(action, legal)
    if not any_action(legal ^ chosen):
        return flags
    if not value < 0.0:
        return flags | chosen
    others = flags & ~chosen
    return others if any_action(others) else legal & ~chosen


# --- Flags by reward ---


@register_jitable
def rewarded_flags(flags: ActionSet, legal: ActionSet, action: int, reward: float) -> ActionSet:
    """The flags after `action` got a reward: it keeps or gets its flag if that is positive, and loses it otherwise.
    If it was the only legal action nothing changes; if its flag was the last one, all actions are flagged.
    """
    chosen = single_action(action, legal)
    if not any_action(legal ^ chosen):
        return flags
    if reward > 0.0:
        return flags | chosen
    others = flags & ~chosen
    return others if any_action(others) else legal


@register_jitable
def reward_action(explorer: ExplorerArrays, key: np.uint64, legal: ActionSet, action: int, reward: float) -> None:
    """Updates the flags of a position that has them."""
    index, old, keys, _, flags = explorer.table
    row = find_row(key, index, old, keys)
    if row >= 0:
        store_actions(flags, row, rewarded_flags(load_actions(flags, row), legal, action, reward))


@kernel
def reward_actions(
    explorer: ExplorerArrays, keys: np.ndarray, legal: np.ndarray, actions: np.ndarray, rewards: np.ndarray
) -> None:
    """The kernel of `Explorer.reward`."""
    for place in range(len(keys)):
        reward_action(explorer, keys[place], load_actions(legal, place), actions[place], rewards[place])


@register_jitable
def forget_waiting(explorer: ExplorerArrays) -> None:
    """Drops choices whose reward is unknown."""
    for side in range(_SIDES):
        explorer.waiting.actions[side] = -1


@register_jitable
def keep_waiting(explorer: ExplorerArrays, side: int, key: np.uint64, legal: ActionSet, action: int) -> None:
    """Remembers a choice of a side until `reward_waiting`, if flags follow rewards."""
    if explorer.selection.by_reward:
        explorer.waiting.keys[side], explorer.waiting.actions[side] = key, action
        store_actions(explorer.waiting.legal, side, legal)


@register_jitable
def reward_waiting(explorer: ExplorerArrays, side: int, reward: float) -> None:
    """Updates flags by the reward of the side's last choice, if one waits for it."""
    keys, legal, actions = explorer.waiting
    if explorer.selection.by_reward and actions[side] >= 0:
        reward_action(explorer, keys[side], load_actions(legal, side), actions[side], reward)
        actions[side] = -1


# --- Many equal decisions ---


@kernel
def count_selections(
    probabilities: np.ndarray,
    legal: ActionSet,
    flags: ActionSet,
    selection: Selection,
    draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """The number of selections of each action in `count` equal decisions: int64 [A]."""
    counts = np.zeros(len(probabilities), np.int64)
    for _ in range(draws):
        counts[select(probabilities, legal, flags, selection, rng)[0]] += 1
    return counts


@kernel
def total_cost(
    probabilities: np.ndarray,
    legal: ActionSet,
    flags: ActionSet,
    selection: Selection,
    decisions: int,
    rng: np.random.Generator,
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
        self._trace = np.zeros((0, 3))
        waiting = np.zeros(_SIDES, np.uint64), empty_rows(_SIDES, spec.actions), np.full(_SIDES, -1)
        self._waiting, self._legal = Waiting(*waiting), empty_rows(1, spec.actions)

    @property
    def wants_rewards(self) -> bool:
        """Whether the learner must report rewards of actions, with `reward` or `reward_waiting`."""
        return bool(self._selection.by_reward)

    def record(self, decisions: int) -> np.ndarray:
        """An array, float64 [decisions, 3], to which the following decisions write their number of legal actions, their
        flagged mass, and the mean number of different actions that plain draws query until one is flagged; zeros
        where none was made yet. Call it before the first decision.
        """
        self._trace = np.zeros((decisions, 3))
        return self._trace

    def heat(self, episodes: np.ndarray) -> np.ndarray:
        """The epsilon of epsilon-greedy, or the temperature of the other rules, in each of these episodes."""
        return random_share(episodes) if self.policy.rule == "epsilon-greedy" else self.policy.temperature.at(episodes)

    def choose(
        self, keys: np.ndarray, legal: np.ndarray, values: np.ndarray, heat: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """The actions of N decisions, made in order: int64 [N].

        Keys uint64 [N] and legal actions, N sets of actions, are those of `decision_of`, values float64 [N, A] for the
        side to move, and heat float64 [N] is that of their episodes, as `heat` returns it.
        """
        actions = np.empty(len(keys), np.int64)
        choose_actions(self.arrays_for(len(keys)), keys, legal, values, heat, rng, actions)
        return actions

    def reward(self, keys: np.ndarray, legal: np.ndarray, actions: np.ndarray, rewards: np.ndarray) -> None:
        """Reports the rewards, float64 [N], of actions chosen in these decisions, in order. Changes nothing unless
        `wants_rewards`.
        """
        if self.wants_rewards:
            reward_actions(self.arrays_for(0), keys, legal, actions, np.asarray(rewards, np.float64))

    def arrays_for(self, decisions: int) -> ExplorerArrays:
        """The arrays for kernels, with space for this many decisions. Call it again before the next ones."""
        self.table.reserve(decisions)
        table, counts, scratch = self.table.arrays, self._counts, self._probabilities
        return ExplorerArrays(self._selection, table, counts, scratch, self._trace, self._waiting, self._legal)

    def choose_in(self, position: Position, values: np.ndarray, episode: int, rng: np.random.Generator) -> int:
        """The action in one position that is not over; arguments as in `choose`."""
        legal = empty_rows(1, self.table.spec.actions)
        with np.errstate(over="ignore"):  # keys are mixed modulo 2^64
            key = decision_of(*bits_of(position, self._layout), self._layout, legal, 0)
        heat = self.heat(np.array([episode]))
        return int(self.choose(np.array([key], np.uint64), legal, values[None], heat, rng)[0])

    def state(self) -> tuple[dict[str, int], np.ndarray, np.ndarray]:
        """(Counts by name, keys uint64 [N], flags, N sets of actions): all that `restore` needs."""
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
