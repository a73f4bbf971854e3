"""Sets of actions in one word and in five, against Python sets."""

import numpy as np
import pytest

from inarow.games.bits import Wide
from inarow.games.kernels import kernel
from inarow.learning.exploration.action_sets import (
    add_action,
    any_action,
    clear_actions,
    empty_rows,
    has_action,
    int_of,
    kernel_set,
    load_actions,
    rows_of,
    single_action,
    store_actions,
)


@kernel
def members_without(rows, row, removed, found):
    """Writes the members of a set without one action; returns whether one is left, and writes the set back."""
    actions = load_actions(rows, row)
    actions = actions & ~single_action(removed, actions)
    for action in range(len(found)):
        found[action] = has_action(actions, action)
    store_actions(rows, row, actions)
    return any_action(actions)


@kernel
def rebuilt(rows, row, found):
    """Writes the set of actions marked in `found` to a row."""
    clear_actions(rows, row)
    for action in range(len(found)):
        if found[action]:
            add_action(rows, row, action)


@pytest.mark.parametrize("actions", [1, 7, 61, 62, 63, 64, 65, 225, 256])
def test_sets_in_rows_are_sets(actions):
    rng = np.random.default_rng(actions)
    for _ in range(20):
        members = set(np.flatnonzero(rng.random(actions) < 0.5).tolist()) | {actions - 1}
        rows = rows_of([[], sorted(members)], actions)
        assert rows.shape == empty_rows(2, actions).shape
        found, removed = np.zeros(actions, bool), int(rng.choice(sorted(members)))
        is_any = members_without(rows, 1, removed, found)
        left = members - {removed}
        assert set(np.flatnonzero(found).tolist()) == left
        assert is_any == bool(left)
        assert int_of(load_actions(rows, 1)) == sum(1 << action for action in left)
        rebuilt(rows, 0, found)
        assert (rows[0] == rows[1]).all()


def test_the_kind_of_a_set_follows_the_number_of_actions():
    assert kernel_set(5, 62) == 5
    assert isinstance(kernel_set(5, 63), Wide)
    assert int_of(kernel_set(1 << 224, 225)) == 1 << 224
