"""Selection rules and leaf evaluators that users write as functions."""

import numba
import numpy as np
import pytest

from inarow.errors import InvalidAgentError, InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.limits import Limits
from inarow.search.minimax.heuristics import make_heuristic, register_heuristic
from inarow.search.tree.config import SearchConfig
from inarow.search.tree.evaluation import uniform_evaluator
from inarow.search.tree.memory import FRACTIONAL_SLOT_BYTES, bytes_for_game
from inarow.search.tree.parts import (
    is_fractional,
    leaf_digest,
    leaf_names,
    make_leaf,
    make_rule,
    register_leaf,
    register_rule,
    rule_digest,
    rule_names,
)
from inarow.search.tree.rollouts import Rollouts
from inarow.search.tree.search import NetSearch, TreeSearch
from tests.extensions import DrawnLeaf, Evenly
from tests.search import registered
from tests.search.minimax.test_functions import board_of
from tests.search.registered import compiled

pytestmark = pytest.mark.usefixtures("forgotten_registrations")


def tree_search(spec=CONNECT_FOUR, **options):
    return TreeSearch(spec, np.random.default_rng(1), **options)


@pytest.mark.parametrize("function", [compiled.copied_uct, registered.copied_uct], ids=["compiled", "plain"])
@pytest.mark.parametrize("moves", ["", "44", "445566"])
def test_the_usual_rule_written_by_a_user_visits_the_same(function, moves):
    assert register_rule("mine")(function) is function
    position, limits = Position.parse(moves), Limits(simulations=300)
    found = tree_search(rule=make_rule("mine")).search(position, limits=limits)
    assert found == tree_search().search(position, limits=limits)


def test_a_rule_serves_both_kinds_of_trees():
    for function in (compiled.fewest, registered.fewest):
        register_rule("fewest")(function)
        rule = make_rule("fewest")
        rollouts = tree_search(rule=rule, solve=False).search(Position.start(), limits=Limits(simulations=70))
        search = NetSearch(CONNECT_FOUR, uniform_evaluator, SearchConfig(root="puct"), rule=rule)
        with_network = search.search(Position.start(), limits=Limits(simulations=71))
        assert rollouts.visits == with_network.visits == (10,) * 7


@pytest.mark.parametrize("function", [compiled.quarter, registered.quarter], ids=["compiled", "plain"])
def test_results_between_those_of_games_are_added_up(function):
    register_leaf("quarter")(function)
    found = tree_search(rollouts=make_leaf("quarter")).search(Position.start(), limits=Limits(simulations=7))
    assert found.values == (-0.25,) * 7  # for the side that moves into the positions
    assert found.value == -0.25
    assert found.bytes == FRACTIONAL_SLOT_BYTES * 8


@pytest.mark.parametrize("board", ["6x7x4", "8x9x4", "3x3x3/free"])
def test_a_leaf_evaluator_sees_the_board_of_the_side_to_move(board):
    spec = GameSpec.parse(board)
    position = Position.start(spec).play(1)
    for function in (compiled.lean_result, registered.lean_result):
        register_leaf("lean")(function)
        limits = Limits(simulations=len(position.legal_actions))
        found = tree_search(spec, rollouts=make_leaf("lean")).search(position, limits=limits)
        for action in position.legal_actions:
            after = position.play(action)
            expected = -registered.lean_result(board_of(after, after.side_to_move), after.ply)
            assert found.values[action] == pytest.approx(expected, abs=1e-12)


def test_plain_functions_find_what_compiled_ones_find():
    limits = Limits(simulations=200)
    results = []
    for module in (compiled, registered):
        register_leaf("lean")(module.lean_result)
        register_rule("fewest")(module.fewest)
        search = tree_search(rollouts=make_leaf("lean"), rule=make_rule("fewest"), threads=2)
        first = search.search(Position.parse("44"), limits=limits)
        again = search.search(Position.parse("44").play(first.action).play(3), limits=limits)
        results.append((first, again))
    compiled_results, plain_results = results
    for found, expected in zip(plain_results, compiled_results, strict=True):
        assert found.visits == expected.visits
        assert found.values == pytest.approx(expected.values)


def test_a_heuristic_serves_rollouts_compiled_or_not():
    results = []
    for function in (compiled.lean, registered.lean):
        register_heuristic("lean")(function)
        rollouts = Rollouts(3, 2, make_heuristic("lean", CONNECT_FOUR))
        search = tree_search(rollouts=rollouts, threads=2)
        results.append(search.search(Position.start(), limits=Limits(simulations=20)))
    assert results[0] == results[1]
    assert results[0] != tree_search(threads=2).search(Position.start(), limits=Limits(simulations=20))


def test_a_tree_for_fractions_has_the_same_room():
    register_leaf("quarter")(compiled.quarter)
    search = tree_search(rollouts=make_leaf("quarter"), memory=bytes_for_game(CONNECT_FOUR, 100, fractional=True))
    found = search.search(Position.start(), limits=Limits(simulations=100))
    assert not found.is_full
    assert found.simulations == 100


def test_the_low_level_forms_have_names_too():
    register_rule("evenly", Evenly())
    register_leaf("drawn", DrawnLeaf())
    search = tree_search(rule=make_rule("evenly"), rollouts=make_leaf("drawn"))
    found = search.search(Position.start(), limits=Limits(simulations=70))
    assert (found.visits, found.value) == ((10,) * 7, 0.0)
    assert not is_fractional("drawn")
    assert rule_names("uct") == ("uct", "evenly")
    assert leaf_names() == ("random", "drawn")
    with pytest.raises(TypeError, match="Unknown is not registered"):
        register_rule("unknown", type("Unknown", (tuple,), {})())


def is_nothing(parent, child):
    return np.nan


def is_two(board, ply):
    return 2.0


def has_no_such_field(parent, child):
    return parent.worth


@pytest.mark.parametrize("decorate", [lambda function: function, numba.njit], ids=["plain", "compiled"])
def test_an_error_of_a_function_is_one_line_and_the_next_search_is_sound(decorate):
    limits = Limits(simulations=50)
    register_rule("nan")(decorate(is_nothing))
    with pytest.raises(InvalidAgentError, match=r"^the selection rule nan failed: ValueError: it must return a number"):
        tree_search(rule=make_rule("nan")).search(Position.start(), limits=limits)
    network = NetSearch(CONNECT_FOUR, uniform_evaluator, SearchConfig(root="puct"), rule=make_rule("nan"))
    with pytest.raises(InvalidAgentError, match=r"^the selection rule nan failed: ValueError: it must return a number"):
        network.search(Position.start(), limits=limits)
    register_leaf("two")(decorate(is_two))
    search = tree_search(TIC_TAC_TOE, rollouts=make_leaf("two"))
    for _ in range(2):
        with pytest.raises(InvalidAgentError, match=r"^the leaf evaluator two failed: .* a number from -1 to 1$"):
            search.search(Position.start(TIC_TAC_TOE), limits=limits)


def test_an_error_of_a_leaf_evaluator_leaves_no_trace_in_the_tree():
    calls = []

    @register_leaf("at-times")
    def at_times(board, ply):
        calls.append(ply)
        if len(calls) == 30:
            raise OSError("disk")
        return 0.1

    search = tree_search(rollouts=make_leaf("at-times"))
    with pytest.raises(InvalidAgentError, match=r"^the leaf evaluator at-times failed: OSError: disk$"):
        search.search(Position.start(), limits=Limits(simulations=50))
    found = search.search(Position.start(), limits=Limits(simulations=50))
    assert sum(found.visits) == found.simulations == 50


@pytest.mark.compiled
def test_a_rule_that_cannot_be_compiled_is_one_line():
    register_rule("odd")(numba.njit(has_no_such_field))
    with pytest.raises(InvalidAgentError, match=r"^the selection rule odd cannot be compiled: TypingError: .*'worth'"):
        tree_search(rule=make_rule("odd")).search(Position.start(), limits=Limits(simulations=50))


def test_bad_and_unknown_names_are_refused():
    for register, taken in ((register_rule, "uct"), (register_rule, "puct"), (register_leaf, "random")):
        with pytest.raises(InvalidLimitError, match="the name is taken"):
            register(taken)
        with pytest.raises(InvalidLimitError, match=r"names consist of letters"):
            register("a,b")
    with pytest.raises(InvalidLimitError, match=r"there is no selection rule 'none'; selection rules are uct, puct$"):
        make_rule("none")
    with pytest.raises(InvalidLimitError, match=r"there is no leaf evaluator 'none'; leaf evaluators are random$"):
        make_leaf("none")


def test_digests_follow_the_source():
    register_rule("evenly", Evenly())
    register_rule("fewest")(compiled.fewest)
    register_leaf("quarter")(registered.quarter)
    register_leaf("quarter-too")(compiled.quarter)
    assert rule_digest("uct") is rule_digest("puct") is leaf_digest("random") is None
    assert len({rule_digest("evenly"), rule_digest("fewest"), leaf_digest("quarter")}) == 3
    assert leaf_digest("quarter") == leaf_digest("quarter-too")
