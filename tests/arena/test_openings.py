"""Balanced openings; random ones are tested with the match."""

import pytest

from inarow.arena import openings as openings_module
from inarow.arena.match import play_match
from inarow.arena.match_plan import MatchSettings, plan_match
from inarow.arena.openings import find_openings, opening_source, random_openings
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.solver.api import shipped_book, solve
from inarow.search.solver.book import book_key


def test_balanced_openings_of_connect_four_are_distinct_draws():
    openings = find_openings(CONNECT_FOUR, 300, "balanced", seed=2, plies=6)
    assert {opening.ply for opening in openings} == {6}
    assert len({book_key(opening) for opening in openings}) == 300  # not even mirror images
    assert {solve(opening).score for opening in openings} == {0}
    assert {solve(opening, book=None).score for opening in openings[:4]} == {0}
    assert not any(opening.winning_actions(of_opponent=True) for opening in openings)


@pytest.mark.parametrize("board", ["6x7x4", "6x6x4", "5x7x4", "7x6x4"])
def test_the_most_balanced_come_first_and_then_they_repeat(board):
    spec = GameSpec.parse(board)
    openings = find_openings(spec, 3000, "balanced", seed=1, plies=4)
    scores = [abs(shipped_book(spec).score(opening)) for opening in openings]
    distinct = len(set(openings))
    assert scores[0] == 0
    assert scores[:distinct] == sorted(scores[:distinct])
    assert openings[distinct : 2 * distinct] == openings[:distinct]


@pytest.mark.parametrize("kind", ["balanced", "random"])
@pytest.mark.parametrize("board", ["6x7x4", "tictactoe", "8x8x4"])
def test_openings_follow_from_the_seed_and_fewer_are_the_first_of_more(board, kind):
    spec = GameSpec.parse(board)
    many = [opening.moves for opening in find_openings(spec, 60, kind, seed=3, plies=4)]
    assert [opening.moves for opening in find_openings(spec, 20, kind, seed=3, plies=4)] == many[:20]
    assert [opening.moves for opening in find_openings(spec, 60, kind, seed=4, plies=4)] != many


@pytest.mark.parametrize(("board", "plies"), [("tictactoe", 2), ("4x4x4", 4), ("3x5x4", 2), ("5x5x4", 4)])
def test_openings_of_small_boards_without_a_book_are_draws(board, plies):
    spec = GameSpec.parse(board)
    assert opening_source(spec, "balanced", plies) == "solved"
    openings = find_openings(spec, 200, "balanced", seed=1, plies=plies)
    assert {opening.ply for opening in openings} == {plies}
    assert {solve(opening).score for opening in openings} == {0}
    distinct = len(set(openings))
    assert distinct == len({book_key(opening) for opening in openings})  # not even mirror images
    assert openings[distinct : 2 * distinct] == openings[:distinct]


def test_tic_tac_toe_has_fourteen_drawn_openings_of_two_plies():
    openings = {opening.moves for opening in find_openings(TIC_TAC_TOE, 50, "balanced", seed=1, plies=2)}
    assert len(openings) == 14
    assert "52" not in openings  # an edge against the centre loses


def test_without_draws_the_smallest_scores_are_the_most_balanced():
    spec = GameSpec.parse("4x4x3")
    least = min(abs(solve(opening).score) for opening in random_openings(spec, 200, seed=1, plies=2))
    openings = find_openings(spec, 20, "balanced", seed=1, plies=2)
    assert {abs(solve(opening).score) for opening in openings} == {least}


@pytest.mark.parametrize(("spec", "plies"), [(CONNECT_FOUR, 12), (GameSpec(8, 8, 4), 4)])
def test_where_positions_are_too_many_or_too_hard_openings_are_random_and_quiet(spec, plies):
    assert opening_source(spec, "balanced", plies) == "random"
    assert find_openings(spec, 20, "balanced", seed=5, plies=plies) == random_openings(spec, 20, seed=5, plies=plies)


def test_a_limit_of_nodes_decides_what_is_too_hard(monkeypatch):
    monkeypatch.setattr(openings_module, "_FAST_NODES", 5)
    assert openings_module._solved_openings.__wrapped__(GameSpec.parse("5x5x4"), 4) == ()


@pytest.mark.parametrize(
    ("spec", "plies", "source"),
    [
        (CONNECT_FOUR, None, "balanced"),
        (CONNECT_FOUR, 12, "random"),
        (TIC_TAC_TOE, None, "solved"),
        (GameSpec(8, 8, 4), None, "random"),
    ],
)
def test_a_match_is_stored_with_what_its_openings_are(spec, plies, source):
    plan = plan_match("random", "greedy", spec, settings=MatchSettings(games=4, opening_plies=plies))
    assert plan.openings == plan.entry().settings["openings"] == source


def test_a_match_plays_balanced_openings_unless_told_otherwise():
    kinds = ("balanced", "random")
    balanced, random = (play_match("random", "greedy", games=20, seed=1, openings=kind) for kind in kinds)
    book = shipped_book(CONNECT_FOUR)
    for match, is_balanced in ((balanced, True), (random, False)):
        positions = [record.position.start().parse(record.moves[: record.opening]) for record in match.records]
        assert ({book.score(position) for position in positions} == {0}) is is_balanced
    assert (balanced.summary.opening_plies, random.summary.opening_plies) == (6, 4)
