import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from inarow.arena.ratings import Davidson, find_peak, fit_ratings
from inarow.arena.tally import CrossTable, SideTally
from inarow.errors import InvalidAgentError, InvalidResultsError
from inarow.games.record import GameRecord
from tests.arena.results import cross_table

AGENTS = ("random", "greedy", "winblock", "mcts", "solver")
TRUTH = dict(zip(AGENTS, (0.0, 150.0, 300.0, 420.0, 700.0), strict=True))
ADVANTAGE = 60.0
NU = 0.5


def rate(rows, **settings):
    return fit_ratings(cross_table(rows), **settings)


def simulate(rng, truth, games):
    """A round robin with `games` a pair, half of them on each side."""
    results = []
    for first, second in permutations(truth, 2):
        odds = 10 ** ((truth[first] + ADVANTAGE - truth[second]) / 400)
        weights = np.array([odds, NU * math.sqrt(odds), 1])
        results.append((first, second, *rng.multinomial(games // 2, weights / weights.sum()).tolist()))
    return results


def both_sides(a, b, wins, draws, losses):
    """The same result for a on either side, so that the first move is worth nothing."""
    return [(a, b, wins, draws, losses), (b, a, losses, draws, wins)]


def by_agent(ratings):
    return {rating.agent: rating for rating in ratings.table}


def covered(truth, games, simulations):
    """How often the interval holds the true value: for each agent but the anchor, and the advantage."""
    rng = np.random.default_rng(7)
    hits = dict.fromkeys((*truth, "advantage"), 0)
    for _ in range(simulations):
        ratings = rate(simulate(rng, truth, games))
        for rating in ratings.table:
            hits[rating.agent] += rating.interval[0] <= truth[rating.agent] <= rating.interval[1]
        hits["advantage"] += ratings.advantage_interval[0] <= ADVANTAGE <= ratings.advantage_interval[1]
    assert hits.pop("random") == simulations
    return np.array(list(hits.values())) / simulations


def test_true_strengths_lie_in_the_intervals_as_often_as_promised():
    rates = covered(TRUTH, games=2000, simulations=300)
    assert rates.min() >= 0.90
    assert rates.max() <= 0.99
    assert 0.93 <= rates.mean() <= 0.97


@pytest.mark.parametrize("games", [20, 200])
def test_the_intervals_hold_beside_agents_that_hardly_ever_lose(games):
    rates = covered({"random": 0.0, "mcts": 600.0, "solver": 1500.0}, games, simulations=100)
    assert rates.min() >= 0.90


def test_ratings_agree_with_open_spiel_on_games_without_draws_and_advantage():
    pyspiel = pytest.importorskip("pyspiel")
    options = pyspiel.elo.default_elo_options()
    options.smoothing_factor, options.max_iterations, options.convergence_delta = 0.0, 100_000, 1e-14
    rng = np.random.default_rng(3)
    wins = np.zeros((5, 5), dtype=int)
    results = []
    for a, b in zip(*np.triu_indices(5, 1), strict=True):
        won = rng.binomial(1000, 1 / (1 + 10 ** ((TRUTH[AGENTS[b]] - TRUTH[AGENTS[a]]) / 400)))
        results += both_sides(AGENTS[a], AGENTS[b], int(won), 0, int(1000 - won))
        wins[a, b], wins[b, a] = 2 * won, 2 * (1000 - won)
    theirs = np.array(pyspiel.elo.compute_ratings_from_matrices(wins.tolist(), options=options))
    ours = by_agent(rate(results))
    assert [ours[agent].elo for agent in AGENTS] == pytest.approx(theirs - theirs[0], abs=0.5)


def test_ten_to_one_is_400_points():
    ratings = rate(both_sides("random", "a", 100_000, 0, 1_000_000))
    assert [rating.agent for rating in ratings.table] == ["a", "random"]
    assert ratings.table[0].elo == pytest.approx(400, abs=0.1)
    assert ratings.advantage == pytest.approx(0, abs=1e-6)
    assert ratings.draw_rate_equal < 1e-5


def test_two_to_one_for_the_first_side_is_120_points_of_advantage():
    ratings = rate([("a", "b", 60_000, 10_000, 30_000), ("b", "a", 60_000, 10_000, 30_000)])
    assert ratings.advantage == pytest.approx(400 * math.log10(2), abs=0.1)
    assert ratings.draw_rate_equal == pytest.approx(0.1, abs=1e-4)
    assert [rating.elo for rating in ratings.table] == pytest.approx([0, 0], abs=1e-6)


def test_the_interval_of_an_even_match_is_the_textbook_one():
    ratings = rate(both_sides("a", "random", 2500, 0, 2500))
    half = 1.96 * 400 / math.log(10) / math.sqrt(10_000 * 0.25)
    assert ratings.table[0].interval == pytest.approx((-half, half), abs=0.05)
    assert ratings.advantage_interval == pytest.approx((-half, half), abs=0.05)


def test_a_rating_counts_the_games_of_its_agent():
    results = [("a", "b", 3, 2, 1), ("b", "random", 10, 0, 0), ("b", "b", 4, 0, 0)]
    games = {agent: rating.games for agent, rating in by_agent(rate(results)).items()}
    assert games == {"a": 6, "b": 20, "random": 10}


@pytest.mark.parametrize("games", [1, 10, 1000, 100_000])
def test_an_unbeaten_agent_has_a_finite_rating_that_is_open_upwards(games):
    rating = rate(both_sides("a", "random", games, 0, 0)).table[0]
    low, high = rating.interval
    assert low < rating.elo < high < 5000
    assert high - rating.elo > 1.3 * (rating.elo - low)
    luck = (1 + 10 ** (-low / 400)) ** (-2 * games)  # of an agent at the low end
    assert 0.025 < luck < math.exp(-(1.96**2) / 2)  # the bound of the profile without a prior


def test_twenty_of_twenty_is_rated_as_the_documentation_says():
    rating = rate(both_sides("a", "random", 10, 0, 0)).table[0]
    assert (round(rating.elo), *map(round, rating.interval)) == (926, 380, 2301)


def test_a_winless_agent_mirrors_an_unbeaten_one():
    (winner, _), (_, loser) = (rate(both_sides("random", "a", *won)).table for won in ((0, 1, 9), (9, 1, 0)))
    assert winner.elo == pytest.approx(-loser.elo)
    assert winner.interval == pytest.approx((-loser.interval[1], -loser.interval[0]))


@pytest.mark.parametrize("result", [(50, 0, 0), (0, 50, 0), (0, 0, 50), (50, 50, 0)])
def test_one_sided_results_are_rated(result):
    ratings = rate([("a", "b", *result), ("b", "a", *result)])
    assert [rating.elo for rating in ratings.table] == pytest.approx([0, 0], abs=1e-6)
    assert ratings.advantage_interval[0] < ratings.advantage < ratings.advantage_interval[1]
    assert np.sign(round(ratings.advantage)) == np.sign(result[0] - result[2])
    assert 0 < ratings.draw_rate_equal < 1


def test_games_of_an_agent_against_itself_tell_about_the_first_move_and_draws_only():
    others = both_sides("a", "random", 400, 200, 400)
    without, beside = rate(others), rate([*others, ("a", "a", 900, 50, 50)])
    assert beside.advantage > without.advantage + 50
    assert beside.draw_rate_equal < without.draw_rate_equal
    assert [rating.elo for rating in beside.table] == pytest.approx([0, 0], abs=1e-6)
    alone = rate([("a", "a", 600, 100, 300)])
    assert (alone.table[0].elo, alone.table[0].interval) == (0, (0, 0))
    assert alone.advantage == pytest.approx(120, abs=1)


def test_the_anchor_only_shifts_the_scale():
    results = simulate(np.random.default_rng(1), TRUTH, 200)
    ratings, centred, other = (
        rate(results),
        rate(results, anchor="absent"),
        rate(results, anchor="mcts"),
    )
    assert (ratings.anchor, centred.anchor, other.anchor) == ("random", None, "mcts")
    assert by_agent(ratings)["random"].interval == (0, 0)
    assert by_agent(ratings)["random"].elo == by_agent(other)["mcts"].elo == 0
    assert np.mean([rating.elo for rating in centred.table]) == pytest.approx(0, abs=1e-6)
    for shifted in (centred, other):
        gaps = [one.elo - two.elo for one, two in zip(ratings.table, shifted.table, strict=True)]
        assert gaps == pytest.approx([gaps[0]] * len(AGENTS), abs=1e-6)
        assert shifted.superiority == ratings.superiority


def test_the_likelihood_of_superiority_follows_the_ratings():
    ratings = rate(both_sides("a", "random", 530, 0, 470) + both_sides("a", "b", 500, 0, 500))
    assert ratings.los("a", "a") == 0.5
    assert ratings.los("a", "b") == pytest.approx(0.5, abs=1e-3)
    assert ratings.los("a", "random") == pytest.approx(0.9963, abs=1e-3)  # 1060 of 2000 tosses: z = 2.68
    assert ratings.los("a", "random") + ratings.los("random", "a") == pytest.approx(1)
    assert ratings.los("b", "random") < ratings.los("a", "random")  # seen only through a
    with pytest.raises(InvalidAgentError, match="there is no rating of 'c', only of 'a, b, random'"):
        ratings.los("a", "c")


def test_finished_games_are_counted_by_side():
    def record(first, second, winner, termination="normal"):
        return GameRecord(board="6x7x4", first=first, second=second, moves="", winner=winner, termination=termination)

    records = [
        record("a", "b", 1),
        record("a", "b", None),
        record("b", "a", 1),
        record("a", "b", 2, "crash"),
        record("a", "b", None, "unfinished"),
    ]
    assert CrossTable.of(records).results == {("a", "b"): SideTally(1, 1, 1, 1), ("b", "a"): SideTally(1, 0, 0, 1)}


def test_results_that_allow_no_ratings_are_refused_in_one_line():
    with pytest.raises(InvalidResultsError, match="there are no finished games"):
        rate([("a", "b", 0, 0, 0)])
    with pytest.raises(InvalidResultsError, match="no games link 'a, c' with 'b, d, e'"):
        rate([("a", "c", 1, 0, 0), ("b", "d", 1, 0, 0), ("e", "e", 0, 1, 0)])
    with pytest.raises(InvalidResultsError, match="counts must not be negative"):
        SideTally(3, -1, 0)


@st.composite
def tournaments(draw):
    """Results that link two to five agents, from a single game to thousands, often one-sided."""
    size = draw(st.integers(2, 5))
    chain = [(a, a + 1) for a in range(size - 1)]
    pairs = chain + draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=10))
    count = st.just(0) | st.integers(0, 5) | st.integers(0, 100_000)
    counts = [draw(st.tuples(count, count, count).filter(any)) for _ in pairs]
    return [(AGENTS[a], AGENTS[b], *counted) for (a, b), counted in zip(pairs, counts, strict=True)]


@given(tournaments())
def test_every_tournament_has_finite_ratings_inside_their_intervals(results):
    ratings = rate(results)
    assert [rating.elo for rating in ratings.table] == sorted((rating.elo for rating in ratings.table), reverse=True)
    for rating in ratings.table:
        assert rating.interval[0] < rating.elo < rating.interval[1] or rating.agent == ratings.anchor
    assert ratings.advantage_interval[0] < ratings.advantage < ratings.advantage_interval[1]
    assert np.isfinite([rating.interval for rating in ratings.table]).all()


@given(tournaments(), st.permutations(AGENTS), st.randoms(use_true_random=False))
def test_neither_names_nor_order_matter(results, names, choice):
    renamed = dict(zip(AGENTS, names, strict=True))
    moved = [(renamed[first], renamed[second], *counts) for first, second, *counts in results]
    choice.shuffle(moved)
    before, after = rate(results), by_agent(rate(moved, anchor=renamed["random"]))
    for rating in before.table:
        assert after[renamed[rating.agent]].elo == pytest.approx(rating.elo, abs=1e-4)
        assert after[renamed[rating.agent]].interval == pytest.approx(rating.interval, abs=0.1)


matrices = st.lists(st.integers(0, 50), min_size=27, max_size=27).map(
    lambda counts: np.reshape(counts, (3, 3, 3)) * 1.0
)
points = st.lists(st.floats(-3, 3), min_size=5, max_size=5).map(np.array)


@given(matrices, points)
def test_derivatives_are_those_of_the_log_posterior(counts, parameters):
    model = Davidson(*counts)
    assert model.gradient(parameters) == pytest.approx(approx_fprime(parameters, model.log_posterior), abs=1e-2)
    slopes = -approx_fprime(parameters, model.gradient)
    assert model.information(parameters) == pytest.approx(slopes, abs=1e-3)


@given(matrices)
def test_nothing_is_likelier_than_the_peak(counts):
    model = Davidson(*counts)
    assert model.gradient(find_peak(model)) == pytest.approx(np.zeros(5), abs=1e-6)
