"""Registered rules: drawn as the built-in one, checked, and named in messages."""

import numpy as np
import pytest

from inarow.errors import ConfigError
from inarow.games.spec import CONNECT_FOUR
from inarow.learning.exploration import rules
from inarow.learning.exploration.config import Policy, random_share
from inarow.learning.exploration.plain_explorer import PlainExplorer, make_explorer
from inarow.learning.exploration.rules import check_rule, register_exploration
from inarow.plugins import shared_registrations
from tests.learning.exploration.user_rules import Faulty

DECISIONS = 40_000
LEGAL = 0b1101011
VALUES = np.array([0.1, -0.2, -np.inf, 0.7, -np.inf, 0.3, 0.3])


def chosen(rule: str, episode: int) -> np.ndarray:
    """How often each action is chosen in equal decisions, as shares."""
    explorer, keys = make_explorer(CONNECT_FOUR, Policy(rule=rule)), np.full(DECISIONS, 9, np.uint64)
    heat = explorer.heat(np.full(DECISIONS, episode))
    values, legal = np.tile(VALUES, (DECISIONS, 1)), np.full(DECISIONS, LEGAL)
    actions = explorer.choose(keys, legal, values, heat, np.random.default_rng(episode))
    assert explorer.metrics.states == 1
    return np.bincount(actions, minlength=7) / DECISIONS


@pytest.mark.parametrize("episode", [1, 10, 1000])
def test_a_users_epsilon_greedy_draws_as_the_built_in_one(episode):
    epsilon = float(random_share(np.array([episode]))[0])
    expected = np.where(np.isfinite(VALUES), epsilon / 5, 0.0)
    expected[3] += 1 - epsilon
    error = 5 * np.sqrt(expected * (1 - expected) / DECISIONS)
    for rule in ("epsilon-greedy", "my-epsilon-greedy"):
        assert (np.abs(chosen(rule, episode) - expected) <= error).all(), rule


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        ([2], "the action 2 is illegal"),
        ([7], "the action 7 is illegal"),
        ([-1], "the action -1 is illegal"),
        ([3, 3], r"integers of shape \[1\], not int64 \[2\]"),
        ([3.0], r"integers of shape \[1\], not float64 \[1\]"),
        (3, r"integers of shape \[1\], not int64 \[\]"),
        (None, r"integers of shape \[1\], not object \[\]"),
    ],
)
def test_a_wrong_return_is_one_clear_line(monkeypatch, returned, problem):
    monkeypatch.setattr(Faulty, "returned", returned)
    explorer = make_explorer(CONNECT_FOUR, Policy(rule="faulty"))
    arguments = np.zeros(1, np.uint64), np.array([LEGAL]), VALUES[None], np.ones(1)
    with pytest.raises(ConfigError, match=f"^the exploration rule faulty: .*{problem}") as error:
        explorer.choose(*arguments, np.random.default_rng(0))
    assert "\n" not in str(error.value)


def test_a_rule_cannot_change_the_values(monkeypatch):
    class Vandal:
        def choose(self, values, episodes, rng):
            values[:] = 0.0

    monkeypatch.setitem(rules._factories, "vandal", Vandal)
    explorer = make_explorer(CONNECT_FOUR, Policy(rule="vandal"))
    with pytest.raises(ValueError, match="read-only"):
        explorer.choose(np.zeros(1, np.uint64), np.array([LEGAL]), VALUES[None], np.ones(1), np.random.default_rng(0))


def test_an_unknown_rule_is_answered_with_those_that_exist():
    problem = "there is no exploration rule 'best'; exploration rules are epsilon-greedy, classical, quantum, "
    with pytest.raises(ConfigError, match=problem):
        make_explorer(CONNECT_FOUR, Policy(rule="best"))


@pytest.mark.parametrize(
    ("name", "reason"), [("quantum", "is taken"), ("My rule", "lower-case letters"), ("", "lower-case")]
)
def test_some_names_cannot_be_registered(name, reason):
    with pytest.raises(ConfigError, match=reason):
        register_exploration(name)


def test_a_rule_gets_what_its_constructor_takes_and_needs_a_method(monkeypatch):
    made = {}

    def both(policy, spec):
        made.update(policy=policy, spec=spec)
        return object()

    monkeypatch.setitem(rules._factories, "both", both)
    policy = Policy(rule="both", rounds=7)
    with pytest.raises(ConfigError, match="the exploration rule both has no method choose"):
        make_explorer(CONNECT_FOUR, policy)
    assert made == {"policy": policy, "spec": CONNECT_FOUR}


def test_registrations_reach_workers():
    shared = {(kind, name): content for kind, name, content in shared_registrations()}
    assert shared["exploration rule", "taking-turns"]
    check_rule("taking-turns")


def test_what_a_rule_remembers_is_saved_as_a_copy():
    explorer, key = make_explorer(CONNECT_FOUR, Policy(rule="taking-turns")), np.ones(1, np.uint64)
    assert isinstance(explorer, PlainExplorer)
    arguments = key, np.array([LEGAL]), VALUES[None], np.ones(1), np.random.default_rng(0)
    first = [int(explorer.choose(*arguments)[0]) for _ in range(3)]
    state = explorer.state()
    second = [int(explorer.choose(*arguments)[0]) for _ in range(4)]
    assert first + second == [1, 3, 5, 6, 0, 1, 3]
    again = make_explorer(CONNECT_FOUR, Policy(rule="taking-turns"))
    again.restore(*state)
    assert [int(again.choose(*arguments)[0]) for _ in range(4)] == second
    assert len(again.table) == 1


def test_a_state_that_is_not_json_is_one_clear_line(monkeypatch):
    monkeypatch.setattr(Faulty, "state", lambda self: {1j}, raising=False)
    with pytest.raises(ConfigError, match="rule faulty: its state is not JSON"):
        make_explorer(CONNECT_FOUR, Policy(rule="faulty")).state()
