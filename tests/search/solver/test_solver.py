"""Scores against truths found by other means."""

import itertools
import random
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

from inarow.errors import FinishedGameError, InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.limits import Limits
from inarow.search.solver.api import analyse, solve
from inarow.search.solver.engines import FastEngine, PlainEngine
from inarow.search.solver.solution import Analysis, plies_to_end, win_score
from inarow.search.solver.solver import NullWindowSearch, Solver
from tests.strategies import ongoing_positions
from tests.twins.retrograde import all_levels

pytestmark = pytest.mark.compiled
SIGNATURE = 5_907_288


def random_position(choice: random.Random, spec: GameSpec, plies: int) -> Position:
    """An unfinished position; nobody overlooks a win on the way if it can be helped."""
    while True:
        position = Position.start(spec)
        while position.ply < plies and not position.is_over:
            wins = position.winning_actions()
            quiet = [action for action in position.legal_actions if action not in wins]
            position = position.play(choice.choice(quiet or position.legal_actions))
        if not position.is_over:
            return position


def exact(engine, position):
    bounds = -win_score(position, 2), win_score(position, 1)
    solution = NullWindowSearch(position, *bounds, [engine.open_worker()]).run()
    assert solution.score is not None
    return solution.score


@pytest.mark.parametrize(
    ("board", "sample"),
    [
        ("tictactoe", None),
        ("3x4x3", None),
        ("4x4x4", 4000),
        ("3x5x4", 4000),
        pytest.param("4x5x4", 4000, marks=pytest.mark.soak),
        ("4x4x3", 2000),
        ("5x4x4", 2000),
        ("2x7x4", 4000),
        ("3x4x3/free", 2000),
    ],
)
def test_scores_equal_the_whole_game_valued_backwards(board, sample):
    spec = GameSpec.parse(board)
    levels = all_levels(spec)
    choice = np.random.default_rng(1)
    engines = [PlainEngine(spec, 1 << 22)] + ([FastEngine(spec, 1 << 22)] if spec.gravity else [])
    open_positions = [
        (level.stones[place], level.mask[place], level.scores[place])
        for level in levels
        for place in np.flatnonzero(~level.is_over)
    ]
    if sample is not None and sample < len(open_positions):
        drawn = choice.choice(len(open_positions), sample, replace=False)
        open_positions = [open_positions[place] for place in (0, *drawn)]
    layout = Position.start(spec).layout
    for stones, mask, score in open_positions:
        position = Position(spec, int(stones), int(mask), (), None, layout)
        for engine in engines:
            assert exact(engine, position) == score, (hex(int(stones)), hex(int(mask)))


# Rows x columns, four in a row: 1 first side wins, 0 draw, -1 second side wins.
PUBLISHED = {
    "4x4": 0, "4x5": 0, "4x6": -1, "4x7": 0, "4x8": -1, "5x4": 0, "5x5": 0, "5x6": 0, "5x7": 0, "6x4": 0, "6x5": 0,
    "6x6": -1, "7x4": 0, "7x5": 0, "5x8": 1, "7x6": 1,
}  # fmt: skip


LONG = ("5x8", "7x6")  # seconds each


@pytest.mark.parametrize(
    "size", [pytest.param(size, marks=pytest.mark.soak if size in LONG else ()) for size in PUBLISHED]
)
def test_published_results_by_board(size):
    spec = GameSpec.parse(f"{size}x4")
    assert solve(Position.start(spec), book=None, weak=True).outcome == PUBLISHED[size]


@pytest.mark.parametrize(
    ("board", "score"), [("4x4x4/free", 0), ("5x5x4/free", 0), ("tictactoe", 0), ("3x3x2/free", 4)]
)
def test_boards_without_gravity_are_solved_through_the_same_door(board, score):
    assert solve(Position.start(GameSpec.parse(board))).score == score


def test_connect_four_is_a_win_with_stone_41():
    solution = solve(Position.start(), book=None)
    assert (solution.score, solution.plies, solution.outcome) == (1, 41, 1)
    assert solution.nodes < 45_000_000


@pytest.mark.parametrize(
    ("moves", "score"),
    [
        ("4453", -2),
        ("4455", 18),
        ("44455554221", -15),
        ("121212", 18),
    ],
)
def test_known_scores(moves, score):
    assert solve(Position.parse(moves), book=None).score == score


@pytest.mark.parametrize("plies", range(8, 42, 3))
def test_every_move_agrees_with_bitbully(plies):
    bitbully = pytest.importorskip("bitbully")
    oracle = bitbully.BitBully()
    choice = random.Random(plies)
    for _ in range(8 if plies < 14 else 40):
        position = random_position(choice, CONNECT_FOUR, plies)
        analysis = analyse(position, book=None)
        truth = oracle.score_all_moves(bitbully.Board(list(position.actions)))
        assert {action: score for action, score in enumerate(analysis.scores) if score is not None} == truth
        assert analysis.score == max(truth.values())
        assert set(analysis.best) == {action for action, score in truth.items() if score == analysis.score}
        assert analyse(position, book=None, only_best=True).best == analysis.best
        assert solve(position, book=None, weak=True).outcome == int(np.sign(analysis.score))


@pytest.mark.parametrize(
    ("board", "plies"),
    [("5x9x4", 30), ("6x8x4", 32), ("7x8x4", 40), ("5x6x4", 12), ("7x6x4", 26), ("6x7x5", 26), ("6x7x3", 5)]
    + [("3x16x4", 32), ("15x4x4", 44)],
)
def test_both_engines_agree_on_other_boards(board, plies):
    spec = GameSpec.parse(board)
    fast, plain = FastEngine(spec, 1 << 24), PlainEngine(spec, 1 << 24)
    choice = random.Random(board)
    for _ in range(60):
        position = random_position(choice, spec, plies + choice.randint(0, 6))
        assert exact(fast, position) == exact(plain, position), position


@pytest.mark.parametrize("board", ["6x7x4", "tictactoe", "5x4x4", "3x4x3/free"])
def test_both_kinds_of_numbers_agree(board):
    spec = GameSpec.parse(board)
    word, wide = PlainEngine(spec, 1 << 22), PlainEngine(spec, 1 << 22, wide=True)
    choice = random.Random(board)
    for _ in range(20):
        position = random_position(choice, spec, choice.randint(max(0, spec.cells - 12), spec.cells - 2))
        assert exact(word, position) == exact(wide, position)


@given(ongoing_positions(max_side=6, max_left=14))
def test_mirror_images_have_mirrored_scores(position):
    assume(position.spec.cells - position.ply <= 14)
    solver = Solver(position.spec, memory=1 << 20)
    scores = solver.analyse(position).scores
    columns = position.spec.columns
    mirrored = solver.analyse(position.mirror()).scores
    assert scores == tuple(mirrored[action - 2 * (action % columns) + columns - 1] for action in range(len(scores)))


@given(ongoing_positions(max_side=5, max_left=12))
def test_best_play_lasts_as_long_as_the_score_says(position):
    assume(position.spec.cells - position.ply <= 12)
    solver = Solver(position.spec, memory=1 << 20)
    solution = solver.solve(position)
    end = position
    while not end.is_over:
        end = end.play(solver.analyse(end, only_best=True).best[0])
    assert end.ply - position.ply == solution.plies
    assert (0 if end.winner is None else 1 if end.winner == position.side_to_move else -1) == solution.outcome
    if solution.score > 0:
        assert solution.score == win_score(position, solution.plies)


def test_plies_follow_from_the_score():
    assert plies_to_end(18, Position.parse("4455")) == 3
    assert plies_to_end(-15, Position.parse("44455554221")) == 2
    assert plies_to_end(0, Position.parse("44")) == 40


def test_threads_give_the_same_scores():
    position = Position.parse("4453")
    for threads in (2, 3):
        solver = Solver(CONNECT_FOUR, memory=1 << 26, threads=threads)
        for _ in range(2):
            solver.clear()
            assert solver.solve(position).score == -2


def test_a_cancelled_search_ends_soon_with_true_bounds():
    cancelled = threading.Event()
    threading.Timer(0.3, cancelled.set).start()
    solver = Solver(CONNECT_FOUR, threads=2)
    solution = solver.solve(Position.start(), limits=Limits(cancelled=cancelled.is_set))
    assert solution.score is None
    assert solution.lower <= 1 <= solution.upper
    assert cancelled.is_set()


def test_node_limits_are_kept_and_reproducible():
    found = []
    for _ in range(2):
        solver = Solver(CONNECT_FOUR)
        solution = solver.solve(Position.start(), limits=Limits(nodes=300_000))
        assert 300_000 <= solution.nodes < 310_000
        found.append((solution.lower, solution.upper, solution.nodes))
    assert found[0] == found[1]


def test_time_limits_are_kept():
    clock = time.perf_counter()
    solution = Solver(CONNECT_FOUR).solve(Position.start(), limits=Limits(seconds=0.2))
    assert solution.score is None
    assert time.perf_counter() - clock < 30  # a hang would be forever


def cancelled_after(checks: int) -> Limits:
    """Limits that are reached at the next check after these."""
    checked = itertools.count(1)
    return Limits(cancelled=lambda: next(checked) > checks)


@pytest.mark.parametrize("board", ["15x15x5/free", "16x16x6/free"])
def test_large_boards_look_at_their_limits_often(board):
    """A node of them takes a tenth of a millisecond: only a few hundred may pass between two looks."""
    start = Position.start(GameSpec.parse(board))
    solver = Solver(start.spec, memory=1 << 20)
    assert 0 < solver.solve(start, limits=cancelled_after(1)).nodes < 400
    assert 100 <= solver.solve(start, limits=Limits(nodes=100)).nodes < 200


def test_waiting_for_another_thread_ends_at_the_limits():
    solver, start = Solver(TIC_TAC_TOE, memory=1 << 20), Position.start(TIC_TAC_TOE)
    with solver._lock:  # which a search in another thread holds
        for limits in (Limits(seconds=0.03), Limits(cancelled=lambda: True)):
            solution, analysis = solver.solve(start, limits=limits), solver.analyse(start, limits=limits)
            assert (solution.score, solution.nodes) == (analysis.score, analysis.nodes) == (None, 0)
            assert (solution.lower, solution.upper) == analysis.bounds
            assert solution.lower < 0 < solution.upper
            assert analysis.best == ()
    assert solver.solve(start).score == 0


def test_a_limit_between_the_score_and_the_actions_leaves_no_best_one():
    position = Position.parse("141441423", GameSpec.parse("4x4x4"))
    analyses = (Solver(position.spec, memory=1 << 20).analyse(position, limits=cancelled_after(n)) for n in range(1000))
    analysis = next(analysis for analysis in analyses if analysis.score is not None)
    assert (analysis.score, analysis.best, set(analysis.scores)) == (0, (), {None})


def test_an_exception_of_the_watcher_stops_the_search():
    class EnoughError(Exception):
        pass

    def watch(known):
        lower, upper = known.bounds if isinstance(known, Analysis) else (known.lower, known.upper)
        assert lower <= 1 <= upper
        raise EnoughError

    for search in (Solver(CONNECT_FOUR).solve, Solver(CONNECT_FOUR).analyse):
        with pytest.raises(EnoughError):
            search(Position.start(), watch=watch)


def test_an_analysis_is_watched_until_every_score_is_known():
    seen = []
    position = Position.parse("44444522")
    analysis = Solver(CONNECT_FOUR, memory=1 << 23).analyse(position, watch=seen.append)
    assert analysis == replace(Solver(CONNECT_FOUR, memory=1 << 23).analyse(position), seconds=analysis.seconds)
    assert replace(seen[-1], seconds=0) == replace(analysis, seconds=0)
    assert seen[0].score is None
    lowers, uppers, nodes = zip(*((*known.bounds, known.nodes) for known in seen), strict=True)
    assert list(lowers) == sorted(lowers)
    assert list(uppers) == sorted(uppers, reverse=True)
    assert list(nodes) == sorted(nodes)
    for known in seen:
        assert all(score in (None, truth) for score, truth in zip(known.scores, analysis.scores, strict=True))


def test_a_board_that_is_too_hard_gives_bounds():
    start = Position.start(GameSpec.parse("12x12x5"))
    solution = solve(start, limits=Limits(nodes=20_000))
    assert solution.score is None
    assert solution.lower < 0 < solution.upper
    analysis = analyse(start, limits=Limits(nodes=20_000))
    assert analysis.best == ()
    assert set(analysis.scores) == {None}


def test_a_wide_board_near_its_end_is_solved():
    spec = GameSpec.parse("9x9x5")
    choice = random.Random(3)
    position = random_position(choice, spec, 71)
    solution = solve(position)
    assert solution.score is not None
    assert exact(PlainEngine(spec, 1 << 22), position) == solution.score


def test_senseless_questions_are_refused():
    with pytest.raises(FinishedGameError, match="is over"):
        solve(Position.parse("1212121"))
    with pytest.raises(InvalidLimitError, match="memory is 0 bytes"):
        Solver(CONNECT_FOUR, memory=0)
    with pytest.raises(InvalidLimitError, match="threads is 0"):
        Solver(CONNECT_FOUR, threads=0)
    with pytest.raises(InvalidLimitError, match="this solver is for 6x7x4"):
        Solver(CONNECT_FOUR).solve(Position.start(TIC_TAC_TOE))


def test_the_search_has_its_signature():
    """Changes only on purpose, in the commit that changes the search."""
    solver = Solver(CONNECT_FOUR, memory=64 << 20)
    assert sum(solver.solve(Position.parse(moves)).nodes for moves in ("4453", "445312", "2233")) == SIGNATURE
