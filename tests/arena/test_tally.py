from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.arena.match import play_match
from inarow.arena.statistics import pair_score, score_interval
from inarow.arena.tally import CrossTable, SideTally, Tally
from inarow.games.record import GameRecord

counts = st.integers(0, 1000)
sides = st.builds(SideTally, counts, counts, counts, counts)
tallies = st.builds(Tally, as_first=sides, as_second=sides, pairs=st.tuples(*[counts] * 5))


@given(tallies, tallies)
def test_the_tally_of_the_opponent_mirrors_that_of_the_agent(one, other):
    swapped = one.swapped()
    assert swapped.swapped() == one
    assert (swapped.wins, swapped.draws, swapped.losses) == (one.losses, one.draws, one.wins)
    assert (swapped.games, swapped.distinct_games) == (one.games, one.distinct_games)
    assert swapped.as_first.wins == one.as_second.losses
    assert (one + other).swapped() == swapped + other.swapped()


@given(tallies, tallies)
def test_tallies_add_up(one, other):
    both = one + other
    assert one + Tally() == one
    assert both == other + one
    assert both.games == one.games + other.games == both.as_first.games + both.as_second.games
    assert both.points == one.points + other.points
    assert sum(both.pairs) == sum(one.pairs) + sum(other.pairs)


def test_the_tally_of_a_match_is_that_of_its_records():
    match = play_match("greedy", "random", games=40, seed=3)
    tally = Tally.of_pairs(match.records)
    first, second = match.records[::2], match.records[1::2]
    assert (tally.as_first.wins, tally.as_first.losses) == winners(first, 1)
    assert (tally.as_second.wins, tally.as_second.losses) == winners(second, 2)
    assert tally.as_first.distinct == len({record.moves for record in first})
    assert tally.score == pair_score(tally.pairs) == match.summary.score
    assert tally.score_interval == score_interval(tally.pairs) == match.summary.score_interval
    halves = Tally.of_pairs(match.records[:20]) + Tally.of_pairs(match.records[20:])
    assert (halves.total.wins, halves.total.draws, halves.pairs) == (tally.wins, tally.draws, tally.pairs)
    assert CrossTable.of(match.records).tally("greedy") == Tally(as_first=tally.as_first, as_second=tally.as_second)


def winners(records, side):
    found = [record.winner for record in records]
    return found.count(side), found.count(3 - side)


def test_the_json_of_a_tally_has_the_counts_of_both_sides():
    tally = Tally(as_first=SideTally(3, 2, 1, 5), as_second=SideTally(0, 1, 4, 4))
    assert tally.to_dict() == {
        "games": 11,
        "distinct_games": 9,
        "wins": 3,
        "draws": 3,
        "losses": 5,
        "as_first": {"games": 6, "wins": 3, "draws": 2, "losses": 1},
        "as_second": {"games": 5, "wins": 0, "draws": 1, "losses": 4},
    }


def test_a_cross_table_counts_each_pair_from_either_view():
    won = GameRecord(board="6x7x4", first="a", second="b", moves="1122334", winner=1)
    drawn = replace(won, first="b", second="a", winner=None)
    other = replace(won, first="a", second="c", winner=2)
    table = CrossTable.of([won, won, drawn, other, replace(won, winner=None, termination="unfinished")])
    assert table.agents == ("a", "b", "c")
    assert (table.games, table.distinct_games) == (4, 3)
    against_b = Tally(as_first=SideTally(2, 0, 0, 1), as_second=SideTally(0, 1, 0, 1))
    assert table.tally("a", "b") == against_b
    assert table.tally("b", "a") == against_b.swapped()
    assert table.tally("a") == against_b + Tally(as_first=SideTally(0, 0, 1, 1))
    assert table.tally("b", "c") == Tally()
    same = CrossTable()
    for pair, games in table.results.items():
        same.add(*pair, games)
    assert same == table


def test_a_cross_table_falls_apart_into_groups_that_games_link():
    table = CrossTable()
    for first, second, wins in (("a", "b", 1), ("c", "d", 5), ("e", "f", 1), ("f", "b", 1), ("g", "g", 1)):
        table.add(first, second, SideTally(wins))
    table.add("x", "y", SideTally())  # no games, so no group
    groups = list(table.linked_groups())
    assert [set(group.agents) for group in groups] == [{"c", "d"}, {"a", "b", "e", "f"}, {"g"}]
    assert sum(group.games for group in groups) == table.games == 9


@pytest.mark.parametrize("bad", [(-1, 0, 0), (0, -1, 0), (0, 0, -1)])
def test_negative_counts_are_refused(bad):
    with pytest.raises(ValueError, match="counts must not be negative"):
        SideTally(*bad)
