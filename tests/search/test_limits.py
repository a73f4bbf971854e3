"""What stops a search."""

import math

import pytest

from inarow.errors import InvalidLimitError
from inarow.search.limits import NO_LIMITS, Limits


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("nodes", -1, "nodes is -1; it must not be negative"),
        ("simulations", -1, "simulations is -1"),
        ("seconds", -0.5, "seconds is -0.5"),
        ("seconds", math.nan, "seconds is nan"),
        ("depth", 0, "depth is 0; it must be at least 1"),
    ],
)
def test_senseless_limits_are_refused(field, value, reason):
    with pytest.raises(InvalidLimitError, match=reason):
        Limits(**{field: value})


def test_a_budget_replaces_that_of_an_agent():
    own, is_cancelled = Limits(depth=4), lambda: False
    honoured = ("depth", "seconds")
    assert own.replaced_by(None, honoured) == own
    assert own.replaced_by(Limits(seconds=2), honoured) == Limits(seconds=2)
    assert own.replaced_by(Limits(seconds=2, nodes=5), honoured) == Limits(seconds=2)
    assert own.replaced_by(Limits(nodes=5, cancelled=is_cancelled), honoured) == Limits(depth=4, cancelled=is_cancelled)
    assert own.replaced_by(Limits(cancelled=is_cancelled), honoured) == Limits(depth=4, cancelled=is_cancelled)


def test_limits_are_reached_one_by_one():
    assert not NO_LIMITS.is_reached(10**9, 1e9)
    assert Limits(nodes=5).is_reached(5, 0)
    assert not Limits(nodes=5).is_reached(4, 1e9)
    assert Limits(seconds=1).is_reached(0, 1)
    assert Limits(cancelled=lambda: True).is_reached(0, 0)
    assert Limits(nodes=5, seconds=2, depth=3).less(7, 0.5) == Limits(nodes=0, seconds=1.5, depth=3)
