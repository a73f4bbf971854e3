"""Exploration rules of users: plain Python that chooses actions from values, for every learner with a `Policy`.

    @register_exploration("dice")
    class Dice:
        def choose(self, values, episodes, rng):
            return np.array([rng.choice(np.flatnonzero(np.isfinite(row))) for row in values])

and `policy.rule = "dice"` in a config.
"""

import inspect
import json
import re
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np

from inarow.errors import ConfigError, one_line, shown, unknown
from inarow.games import GameSpec
from inarow.learning.exploration.config import Policy
from inarow.learning.exploration.selection import RULES
from inarow.plugins import share, why_unreachable

_KIND = "exploration rule"
_RuleT = TypeVar("_RuleT", bound=Callable[..., object])


class ExplorationRule(Protocol):
    """Chooses the actions of a learner. A rule with state also has `state()`, which returns it as JSON, and
    `restore(state)`, so that a resumed run continues as if it had not stopped.
    """

    def choose(self, values: np.ndarray, episodes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A legal action for each of N decisions, int64 [N].

        `values`, float64 [N, A] and read-only, are for the side to move, -inf where an action is illegal;
        `episodes`, int64 [N], are the numbers of the episodes, from 1. Random numbers must come only from `rng`.
        """


_factories: dict[str, Callable[..., object]] = {}


def register_exploration(name: str) -> Callable[[_RuleT], _RuleT]:
    """Registers a class of `ExplorationRule`s as the value `name` of `policy.rule`. Its constructor may take `spec` and
    `policy`. Replaces an earlier rule; raises ConfigError for the name of a built-in rule.
    """
    if name in RULES or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        reason = "the name is taken" if name in RULES else "names consist of lower-case letters, digits and -"
        raise ConfigError(f"cannot register the exploration rule {shown(name)}: {reason}")

    def register(factory: _RuleT) -> _RuleT:
        _add(name, factory)
        share(_KIND, name, _add, name, factory)
        return factory

    return register


def _add(name: str, factory: Callable[..., object]) -> None:
    _factories[name] = factory


def rule_names() -> tuple[str, ...]:
    """The names of built-in rules, then of registered ones."""
    return (*RULES, *_factories)


def check_rule(name: str) -> None:
    """Raises ConfigError if the rule does not exist."""
    if name not in rule_names():
        absent = why_unreachable(_KIND, name)
        reason = unknown("exploration rule", name, rule_names())
        raise ConfigError(f"policy.rule: {reason}{absent and '; ' + absent}")


class RegisteredRule:
    """The rule of a policy with checks of its return values. Raises ConfigError if the rule does not exist."""

    def __init__(self, spec: GameSpec, policy: Policy) -> None:
        check_rule(policy.rule)
        factory, offered = _factories[policy.rule], {"spec": spec, "policy": policy}
        taken = inspect.signature(factory).parameters
        self.name = policy.rule
        self._rule: Any = factory(**{name: value for name, value in offered.items() if name in taken})
        if not callable(getattr(self._rule, "choose", None)):
            raise ConfigError(f"the exploration rule {self.name} has no method choose(values, episodes, rng)")

    def choose(self, values: np.ndarray, episodes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Like `ExplorationRule.choose`; raises ConfigError unless the result is a legal action for each decision."""
        values = values.view()
        values.flags.writeable = False
        actions = np.asarray(self._rule.choose(values, episodes, rng))
        if actions.shape != values.shape[:1] or actions.dtype.kind not in "iu":
            returned = f"{actions.dtype} {list(actions.shape)}"
            raise self._error(f"choose must return integers of shape [{len(values)}], not {returned}")
        is_action = (actions >= 0) & (actions < values.shape[1])
        for decision in np.flatnonzero(~is_action | (values[np.arange(len(values)), actions * is_action] == -np.inf)):
            raise self._error(f"the action {actions[decision]} is illegal: its value is -inf or does not exist")
        return actions.astype(np.int64)

    def state(self) -> object:
        """A copy of the rule's state, as JSON; None if it has no `state`."""
        if not hasattr(self._rule, "state"):
            return None
        try:
            return json.loads(json.dumps(self._rule.state()))
        except (TypeError, ValueError, RecursionError) as error:
            raise self._error(f"its state is not JSON: {one_line(error)}") from None

    def restore(self, state: object) -> None:
        if hasattr(self._rule, "restore"):
            self._rule.restore(state)

    def _error(self, problem: str) -> ConfigError:
        return ConfigError(f"the exploration rule {self.name}: {problem}")
