"""Balanced openings; random ones are tested with the match."""

import pytest

from inarow.arena.match import play_match
from inarow.arena.openings import find_openings, random_openings
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.book import book_key
from inarow.search.shipped import shipped_book, solve


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


@pytest.mark.parametrize(("spec", "plies"), [(TIC_TAC_TOE, 2), (CONNECT_FOUR, 10), (GameSpec(8, 8, 4), 4)])
def test_where_the_book_ends_openings_are_random_and_quiet(spec, plies):
    assert find_openings(spec, 20, "balanced", seed=5, plies=plies) == random_openings(spec, 20, seed=5, plies=plies)


def test_a_match_plays_balanced_openings_unless_told_otherwise():
    kinds = ("balanced", "random")
    balanced, random = (play_match("random", "greedy", games=20, seed=1, openings=kind) for kind in kinds)
    book = shipped_book(CONNECT_FOUR)
    for match, is_balanced in ((balanced, True), (random, False)):
        positions = [record.position.start().parse(record.moves[: record.opening]) for record in match.records]
        assert ({book.score(position) for position in positions} == {0}) is is_balanced
    assert (balanced.summary.opening_plies, random.summary.opening_plies) == (6, 4)
