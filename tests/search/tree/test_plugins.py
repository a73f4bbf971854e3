"""Selection rules and leaf evaluators from outside the package."""

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from inarow.errors import NetError
from inarow.games.bits import any_cell
from inarow.games.position import Position
from inarow.games.rules import winning_cells
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.limits import Limits
from inarow.search.tree.config import SearchConfig, Uct
from inarow.search.tree.evaluation import uniform_evaluator
from inarow.search.tree.search import NetSearch, TreeSearch
from inarow.search.tree.selection import implements, uct_bound

REPOSITORY = Path(__file__).parents[3]


class FewestVisits(NamedTuple):
    """Visits all children equally often, whatever their results."""


@implements(FewestVisits)
def fewest_visits_bound(rule, parent, child):
    return -float(child.visits)


class CopiedUct(NamedTuple):
    exploration: float


@implements(CopiedUct)
def copied_uct_bound(rule, parent, child):
    return uct_bound(rule, parent, child)


class WorthOfCentre(NamedTuple):
    """A network rule: prefers what has a good mean, with the square root of the parent's visits as a bonus."""

    bonus: float


@implements(WorthOfCentre)
def worth_bound(rule, parent, child):
    return child.total / (1 + child.visits) + rule.bonus * math.sqrt(parent.visits) / (1 + child.visits)


class ThreatCount(NamedTuple):
    """Judges a position at once: lost or won for the side that has a winning cell, else even."""

    worth: int


@implements(ThreatCount)
def threat_result(leaf, layout, stones, mask, ply, heights, rng):
    own = any_cell(winning_cells(stones, mask, layout))
    other = any_cell(winning_cells(mask ^ stones, mask, layout))
    return leaf.worth * (int(own) - int(other))


class NotRegistered(NamedTuple):
    pass


def tree_search(spec=CONNECT_FOUR, **options):
    return TreeSearch(spec, np.random.default_rng(1), solve=False, **options)


def test_a_rule_from_outside_decides_which_children_are_visited():
    limits = Limits(simulations=70)
    assert tree_search(rule=FewestVisits()).search(Position.start(), limits=limits).visits == (10,) * 7
    assert len(set(tree_search().search(Position.start(), limits=limits).visits)) > 1


def test_a_copy_of_a_built_in_rule_finds_the_same():
    limits, position = Limits(simulations=300), Position.parse("44")
    found = [tree_search(rule=rule).search(position, limits=limits) for rule in (Uct(0.9), CopiedUct(0.9))]
    assert found[0] == found[1] == tree_search(exploration=0.9).search(position, limits=limits)


def test_a_rule_from_outside_searches_with_a_network():
    config, limits = SearchConfig(root="puct"), Limits(simulations=71)
    equal = NetSearch(CONNECT_FOUR, uniform_evaluator, config, rule=FewestVisits()).search(
        Position.start(), limits=limits
    )
    assert equal.visits == (10,) * 7
    found = NetSearch(CONNECT_FOUR, uniform_evaluator, config, rule=WorthOfCentre(0.5))
    assert sum(found.search(Position.start(), limits=limits).visits) == 70


def test_a_leaf_evaluator_from_outside_judges_positions():
    position = Position.parse("1122")  # who plays 3 next has a winning cell at 4
    found = tree_search(rollouts=ThreatCount(1)).search(position, limits=Limits(simulations=7))
    threats = [position.play(action).winning_actions(of_opponent=True) for action in range(7)]
    assert any(threats)
    assert found.values == tuple(1.0 if each else 0.0 for each in threats)


def test_any_callable_is_a_network():
    def fond_of_the_first_column(planes):  # neither float32 nor contiguous
        logits = np.zeros((planes.shape[3], planes.shape[2], len(planes))).T
        logits[:, :, 0] = 5.0
        return logits, np.full(len(planes), 0.25)

    search = NetSearch(CONNECT_FOUR, fond_of_the_first_column, SearchConfig(root="puct"))
    found = search.search(Position.start(), limits=Limits(simulations=1))
    assert (found.action, found.value) == (0, 0.25)
    assert found.priors[0] > 0.9


def test_an_evaluator_with_wrong_shapes_is_refused():
    search = NetSearch(TIC_TAC_TOE, lambda planes: (np.zeros(9), np.zeros(1)), SearchConfig())
    with pytest.raises(NetError, match="answers in shapes"):
        search.search(Position.start(TIC_TAC_TOE), limits=Limits(simulations=2))


def test_what_is_not_registered_is_refused():
    with pytest.raises(TypeError, match=r"decorate a function with @implements\(NotRegistered\)"):
        tree_search(GameSpec(4, 4, 3), rule=NotRegistered())


RULE_FILE = """
from typing import NamedTuple
from inarow.search.tree.selection import implements

class Fewest(NamedTuple):
    pass

@implements(Fewest)
def bound(rule, parent, child):
    return SIGN * float(child.visits)
"""
PROGRAM = """
import numpy as np, outside
from inarow import Position
from inarow.search.limits import Limits
from inarow.search.tree.rollouts import grow
from inarow.search.tree.search import TreeSearch
spec = Position.start().spec
TreeSearch(spec, np.random.default_rng(1)).search(Position.start(), limits=Limits(simulations=10))
search = TreeSearch(spec, np.random.default_rng(1), rule=outside.Fewest(), solve=False)
print(max(search.search(Position.start(), limits=Limits(simulations=70)).visits))
for kernel in (grow, search._grow):
    print(sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values()))
"""


@pytest.mark.compiled
def test_machine_code_is_cached_and_follows_the_file_of_a_rule(tmp_path):
    def run(sign):
        (tmp_path / "outside.py").write_text(RULE_FILE.replace("SIGN", sign))
        # A cache of its own: two processes that write the same index at once may lose an entry.
        path = os.pathsep.join([str(tmp_path), str(REPOSITORY / "src")])
        environment = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    run("-1")
    assert run("-1") == ["10", "1 0", "1 0"]
    most, built_in, outside = run("1")
    assert int(most) > 60
    assert (built_in, outside) == ("1 0", "0 1")
