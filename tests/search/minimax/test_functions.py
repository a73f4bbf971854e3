"""Heuristics that users write as functions of a board."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given, settings

from inarow.errors import InvalidAgentError, InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.limits import Limits
from inarow.search.minimax import heuristics
from inarow.search.minimax.heuristics import heuristic_names, make_heuristic, register_heuristic, window_heuristic
from inarow.search.minimax.minimax import Minimax
from tests.search.minimax.test_minimax import random_position
from tests.search.registered import compiled, lean
from tests.strategies import ongoing_positions

pytestmark = pytest.mark.usefixtures("forgotten_registrations")
REPOSITORY = Path(__file__).parents[3]
FAST, SLOW = "lean", "slow-lean"


@pytest.fixture
def lean_heuristics(forgotten_registrations):
    register_heuristic(FAST)(compiled.lean)
    register_heuristic(SLOW)(lean)


def searches(spec, *, wide=None, **options):
    """The same search with the compiled and the plain form."""
    return [Minimax(spec, make_heuristic(name, spec, wide=wide), wide=wide, **options) for name in (FAST, SLOW)]


def board_of(position, side):
    """The board as a heuristic gets it: 1 for the stones of `side`."""
    cells = np.asarray(position.to_array())
    return np.where(cells == 0, 0, np.where(cells == side, 1, -1)).astype(np.int8)


def brute_force(position, depth, root):
    """The value for the side to move; positions at the depth limit are judged for the side `root`."""
    values = []
    for action in position.legal_actions:
        after = position.play(action)
        if after.is_over:
            values.append(0.0 if after.winner is None else 2.0 ** (1000 - after.ply))
        elif depth == 1:
            worth = lean(board_of(after, root))
            values.append(worth if position.side_to_move == root else -worth)
        else:
            values.append(-brute_force(after, depth - 1, root))
    return max(values)


@pytest.mark.usefixtures("lean_heuristics")
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("board", ["tictactoe", "4x4x3", "3x5x3/free", "6x7x4"])
def test_a_search_with_a_function_agrees_with_brute_force(board, wide):
    spec, rng = GameSpec.parse(board), np.random.default_rng(4)
    for search in searches(spec, wide=wide):
        for depth in (1, 2, 3):
            position = random_position(spec, rng)
            expected = brute_force(position, min(depth, spec.cells - position.ply), position.side_to_move)
            assert search.search(position, Limits(depth=depth)).value == expected


@pytest.mark.usefixtures("lean_heuristics")
@pytest.mark.parametrize("options", [{}, {"prune": False}, {"all_best": True}, {"memory": 1 << 16}])
def test_a_plain_function_finds_what_the_compiled_one_finds(options):
    rng = np.random.default_rng(8)
    fast, slow = searches(CONNECT_FOUR, **options)
    for limits in (Limits(depth=3), Limits(nodes=3), Limits(nodes=70), Limits(nodes=100, depth=3)):
        position = random_position(CONNECT_FOUR, rng)
        assert fast.search(position, limits) == slow.search(position, limits)


@pytest.mark.usefixtures("lean_heuristics")
def test_a_budget_of_nodes_is_kept_exactly():
    for search in searches(CONNECT_FOUR):
        found = search.search(Position.start(), Limits(nodes=90))
        assert (found.nodes, found.depth) == (90, 2)
        assert search.search(Position.start(), Limits(nodes=2)).nodes == 2


@settings(max_examples=20)
@given(ongoing_positions())
def test_a_function_sees_the_board_of_the_side_that_decides(position):
    seen = []
    register_heuristic("seeing")(lambda board: seen.append((board.copy(), board.dtype)) or 0.0)
    Minimax(position.spec, make_heuristic("seeing", position.spec)).search(position, Limits(depth=1))
    side = position.side_to_move
    after = [position.play(action) for action in position.legal_actions]
    expected = {board_of(each, side).tobytes() for each in after if not each.is_over}
    if not position.winning_actions():
        assert {board.tobytes() for board, _ in seen} == expected
    assert all(board.shape == (position.spec.rows, position.spec.columns) for board, _ in seen)
    assert {kind for _, kind in seen} <= {np.dtype(np.int8)}


def test_a_slow_function_is_stopped_before_its_first_ply_is_done():
    seen = []
    register_heuristic("slow")(lambda board: float(len(seen.append(None) or seen)))
    spec = GameSpec.parse("16x16x5/free")
    found = Minimax(spec, make_heuristic("slow", spec)).search(Position.start(spec), Limits(cancelled=lambda: True))
    assert len(seen) == 1
    assert found.action in range(256)
    stopped = iter([False, False, False, True])
    Minimax(spec, make_heuristic("slow", spec)).search(
        Position.start(spec), Limits(cancelled=lambda: next(stopped, True))
    )
    assert len(seen) < 256


def fails(board):
    return 1 / 0


def is_text(board):
    return "much"


def is_nothing(board):
    return None


def is_not_a_number(board):
    return np.nan


def is_too_large(board):
    return 1e200


def is_no_array_method(board):
    return board.worth()


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (fails, "ZeroDivisionError: division by zero"),
        (is_text, "ValueError: could not convert string to float: 'much'"),
        (is_nothing, "TypeError: "),
        (is_not_a_number, "ValueError: it must return a number from -1e100 to 1e100"),
        (is_too_large, "ValueError: it must return a number from -1e100 to 1e100"),
        (is_no_array_method, "AttributeError: .* has no attribute 'worth'"),
    ],
)
def test_an_error_of_a_function_is_one_line(function, reason):
    register_heuristic("broken")(function)
    search = Minimax(TIC_TAC_TOE, make_heuristic("broken", TIC_TAC_TOE))
    with pytest.raises(InvalidAgentError, match=f"^the heuristic broken failed: {reason}") as raised:
        search.search(Position.start(TIC_TAC_TOE), Limits(depth=2))
    assert "\n" not in str(raised.value)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (fails, "failed: ZeroDivisionError: division by zero"),
        (is_too_large, "failed: ValueError: it must return a number from -1e100 to 1e100"),
        (is_no_array_method, "cannot be compiled: TypingError: Unknown attribute 'worth' of type array"),
    ],
)
def test_an_error_of_a_compiled_function_is_one_line(function, reason):
    register_heuristic("broken")(numba.njit(function))
    search = Minimax(TIC_TAC_TOE, make_heuristic("broken", TIC_TAC_TOE))
    with pytest.raises(InvalidAgentError, match=f"^the heuristic broken {reason}") as raised:
        search.search(Position.start(TIC_TAC_TOE), Limits(depth=2))
    assert "\n" not in str(raised.value)


def test_an_interrupt_in_a_function_passes():
    @register_heuristic("interrupted")
    def interrupted(board):
        raise KeyboardInterrupt

    search = Minimax(TIC_TAC_TOE, make_heuristic("interrupted", TIC_TAC_TOE))
    with pytest.raises(KeyboardInterrupt):
        search.search(Position.start(TIC_TAC_TOE), Limits(depth=1))


def test_a_name_holds_a_function_or_a_factory_and_the_last_one_counts():
    assert register_heuristic("pairs")(lean) is lean
    assert make_heuristic("pairs", TIC_TAC_TOE).part is not None
    register_heuristic("pairs", lambda spec, wide: window_heuristic(spec, (0, 0, 1), (0, 0, -1), 1.0, wide=wide))
    assert make_heuristic("pairs", TIC_TAC_TOE).part is None
    assert heuristic_names() == ("windows", "powers", "squares", "pairs")
    for value in (1.0, 2.0):
        register_heuristic("pairs")(lambda board, value=value: value)
        search = Minimax(TIC_TAC_TOE, make_heuristic("pairs", TIC_TAC_TOE))
        assert search.search(Position.start(TIC_TAC_TOE), Limits(depth=1)).value == value
    with pytest.raises(InvalidLimitError, match="cannot register the heuristic 'squares': the name is taken"):
        register_heuristic("squares")(lean)


def test_the_digest_of_a_heuristic_is_that_of_its_source():
    register_heuristic("first")(lean)
    register_heuristic("second")(compiled.lean)
    register_heuristic("third")(lambda board: 0.0)
    register_heuristic("fourth", heuristics._FACTORIES["powers"])
    digests = [heuristics.heuristic_digest(name) for name in ("first", "second", "third", "fourth")]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
    assert {heuristics.heuristic_digest(name) for name in ("windows", "powers", "squares")} == {None}


FILE = """
import numba
from inarow.search.minimax.heuristics import register_heuristic

@numba.njit
def sign(board, depth):
    return 1.0 if depth == 0 else -sign(board, depth - 1)

@register_heuristic("first-column")
@numba.njit
def first_column(board):
    return float(WORTH * board[:, 0].sum())

@register_heuristic("recursive")
@numba.njit
def recursive(board):
    return sign(board, 4) * board[:, 0].sum()
"""
PROGRAM = """
import sys

import outside
from inarow import CONNECT_FOUR, Limits, Position
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import Minimax
for name in sys.argv[1:]:
    search = Minimax(CONNECT_FOUR, make_heuristic(name, CONNECT_FOUR))
    found = search.search(Position.start(), Limits(depth=1))
    print(found.action, found.value, sum(search._advance.stats.cache_hits.values()))
"""


@pytest.mark.compiled
def test_machine_code_is_cached_unless_it_is_recursive_and_follows_its_file(tmp_path):
    def run(worth, *names):
        (tmp_path / "outside.py").write_text(FILE.replace("WORTH", worth))
        path = os.pathsep.join([str(tmp_path), str(REPOSITORY / "src")])
        environment = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *names], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    assert run("1", "first-column", "recursive") == ["0 1.0 0", "0 1.0 0"]
    assert run("1", "first-column", "recursive") == ["0 1.0 1", "0 1.0 0"]
    assert run("-1", "first-column") == ["1 0.0 0"]
