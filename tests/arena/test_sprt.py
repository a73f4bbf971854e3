import numpy as np
import pytest
from scipy.optimize import brentq

from inarow.arena.match import match_games, play_match
from inarow.arena.match_plan import MatchSettings, plan_match
from inarow.arena.sprt import Sprt, until_decided
from inarow.arena.statistics import PAIR_SCORES, elo, expected_score
from inarow.arena.store import Store
from inarow.errors import InvalidLimitError


def chances_with_score(rng, score):
    """A random pentanomial distribution with this expected score."""
    chances, scores = rng.dirichlet(np.ones(5)), np.array(PAIR_SCORES)

    def tilted(slope):
        weights = chances * np.exp(slope * scores)
        return weights / weights.sum()

    return tilted(brentq(lambda slope: tilted(slope) @ scores - score, -500, 500))


def simulate(sprt, chances, rng):
    counts = [0] * 5
    for result in rng.choice(5, 2000, p=chances):
        counts[result] += 1
        verdict = sprt.result(counts).accepted
        if verdict is not None:
            return verdict
    return None


@pytest.mark.parametrize(("truth", "wrong"), [(0, "H1"), (120, "H0")])
def test_each_hypothesis_is_refused_wrongly_about_as_often_as_promised(truth, wrong):
    rng = np.random.default_rng(1)
    sprt = Sprt(0, 120)
    verdicts = [simulate(sprt, chances_with_score(rng, expected_score(truth)), rng) for _ in range(250)]
    assert None not in verdicts
    assert verdicts.count(wrong) / len(verdicts) <= 0.09  # 0.05 and three standard deviations


def test_the_ratio_is_that_of_the_most_likely_distributions():
    """Against a search of the whole simplex by hand: two results only, so one distribution per score."""
    counts = (30, 0, 0, 0, 50)
    low, high = expected_score(0), expected_score(40)
    by_hand = 50 * np.log(high / low) + 30 * np.log((1 - high) / (1 - low))
    assert Sprt(0, 40).log_likelihood_ratio(counts) == pytest.approx(by_hand, abs=0.05)


def test_the_ratio_grows_with_the_score_and_is_symmetric():
    sprt = Sprt(-20, 20)
    assert sprt.log_likelihood_ratio((3, 4, 5, 4, 3)) == pytest.approx(0, abs=1e-9)
    ratios = [sprt.log_likelihood_ratio(counts) for counts in ((9, 4, 5, 4, 3), (3, 4, 5, 4, 3), (3, 4, 5, 4, 9))]
    assert ratios == sorted(ratios)
    assert ratios[0] == pytest.approx(-ratios[2])
    assert elo(expected_score(70)) == pytest.approx(70)


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("pairs", [1, 500_000])
def test_the_ratio_exists_for_one_sided_results(place, pairs):
    counts = [0] * 5
    counts[place] = pairs
    assert np.isfinite(Sprt(0, 10).log_likelihood_ratio(counts))


@pytest.mark.parametrize(("elo0", "elo1"), [(5, 5), (5, 0), (0, 5000), (float("nan"), 3)])
def test_senseless_hypotheses_are_refused(elo0, elo1):
    with pytest.raises(InvalidLimitError, match="SPRT from"):
        Sprt(elo0, elo1)


def test_a_match_stops_at_the_same_game_on_any_number_of_workers(tmp_path):
    sprt = Sprt(0, 100)
    matches = [play_match("winblock", "random", games=2000, seed=3, sprt=sprt, workers=workers) for workers in (1, 2)]
    summary = matches[0].summary
    assert summary.games < 200
    assert summary.games % 2 == 0
    assert summary.sprt.accepted == "H1"
    assert summary.sprt.llr >= summary.sprt.bounds[1]
    assert [record.moves for record in matches[0].records] == [record.moves for record in matches[1].records]
    plan = plan_match("winblock", "random", settings=MatchSettings(games=2000, seed=3))
    with Store(tmp_path / "lab.sqlite") as store:
        for _ in range(2):  # played, then found
            records = match_games(plan, store=store, sprt=sprt)
            assert [record.moves for record in records] == [record.moves for record in matches[0].records]
    assert play_match("random", "winblock", games=2000, seed=3, sprt=sprt).summary.sprt.accepted == "H0"
    assert len(list(until_decided(matches[0].records[:-2], sprt))) == summary.games - 2  # not sooner
