"""Exploration by a registered rule, with the methods of `Explorer`."""

from typing import Any

import numpy as np

from inarow.errors import ConfigError
from inarow.games import GameSpec
from inarow.learning.exploration.aer_explorer import AerExplorer
from inarow.learning.exploration.config import Policy
from inarow.learning.exploration.explorer import Explorer, FlagTable, Metrics
from inarow.learning.exploration.rules import RegisteredRule
from inarow.learning.exploration.selection import RULES

_STATE = "rule"  # in a checkpoint


class PlainExplorer:
    """Chooses actions by the registered rule of a policy; `table` only counts positions."""

    def __init__(self, spec: GameSpec, policy: Policy) -> None:
        """Raises ConfigError if the rule does not exist."""
        self.policy, self.table, self._rule = policy, FlagTable(spec), RegisteredRule(spec, policy)

    def heat(self, episodes: np.ndarray) -> np.ndarray:
        """The episodes themselves: a registered rule has its own schedule."""
        return np.asarray(episodes, np.int64)

    def choose(
        self, keys: np.ndarray, legal: np.ndarray, values: np.ndarray, heat: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Like `Explorer.choose`, with values of -inf for illegal actions; raises ConfigError if the rule fails."""
        self.table.add(keys)
        return self._rule.choose(values, heat, rng)

    @property
    def wants_rewards(self) -> bool:
        return False

    def reward(self, keys: np.ndarray, legal: np.ndarray, actions: np.ndarray, rewards: np.ndarray) -> None:
        """Does nothing: a registered rule sees values only."""

    def state(self) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
        """Like `Explorer.state`."""
        return {_STATE: self._rule.state()}, *self.table.entries()

    def restore(self, counts: dict[str, Any], keys: np.ndarray, flags: np.ndarray) -> None:
        self.table = FlagTable.from_entries(self.table.spec, keys, flags)
        self._rule.restore(counts[_STATE])

    @property
    def metrics(self) -> Metrics:
        """The number of positions only, as with epsilon-greedy."""
        return Metrics(decisions=0, rounds=0, oracle_calls=0, hits=0, waiting=0, states=len(self.table))


def make_explorer(spec: GameSpec, policy: Policy) -> Explorer | PlainExplorer:
    """An explorer for one side of one board; raises ConfigError if the rule does not exist or has no such back end,
    MissingExtraError if the back end needs an extra that is not installed.
    """
    if policy.backend == "aer":
        if policy.rule != "quantum":
            raise ConfigError(f"policy.backend: aer simulates the rule quantum only, not {policy.rule}")
        return AerExplorer(spec, policy)
    return Explorer(spec, policy) if policy.rule in RULES else PlainExplorer(spec, policy)


def is_compiled(explorer: Explorer | PlainExplorer | None) -> bool:
    """Whether kernels can choose by this explorer, if there is one."""
    return not isinstance(explorer, PlainExplorer | AerExplorer)
