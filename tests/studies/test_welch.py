"""Welch's test against scipy's, and how often it is right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inarow.studies.comparison import Spread, deviation_estimate, difference, spread

runs = st.lists(st.floats(-100, 100), min_size=2, max_size=30).filter(lambda values: np.ptp(values) > 0.01)


@given(runs, runs)
def test_it_is_the_test_of_scipy(a, b):
    found = difference(spread(a), spread(b))
    expected = stats.ttest_ind(a, b, equal_var=False)
    assert found.t == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert found.runs == len(a) + len(b)


def test_published_spreads_are_those_of_a_population():
    rng = np.random.default_rng(1)
    values = rng.normal(size=20)
    assert spread(values.tolist()) == Spread(pytest.approx(values.mean()), pytest.approx(values.std()), 20)


def test_a_detectable_difference_is_found_four_times_in_five():
    rng = np.random.default_rng(2)
    far = difference(Spread(0.0, 1.0, 20), Spread(0.0, 1.0, 20)).detectable
    found = sum(
        difference(spread(rng.normal(far, 1.026, 20).tolist()), spread(rng.normal(0, 1.026, 20).tolist())).p < 0.05
        for _ in range(1000)
    )
    assert 740 <= found <= 860  # 800 expected, three deviations are 38; the formula is approximate


def test_deviations_lie_in_their_intervals_as_often_as_they_should():
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(1000):
        low, high = deviation_estimate(rng.normal(0, 3.0, 20).tolist()).interval
        inside += low <= 3.0 <= high
    assert 920 <= inside <= 980


def test_too_few_or_equal_runs_tell_nothing():
    assert spread([1.0]) is None
    assert deviation_estimate([1.0]) is None
    assert difference(spread([1.0]), spread([1.0, 2.0])) is None
    assert difference(spread([1.0, 1.0]), spread([2.0, 2.0])) is None


def test_four_runs_have_no_verdict():
    rng = np.random.default_rng(4)
    ours = spread(rng.normal(size=4).tolist())
    found = difference(Spread(0.0, 1.0, 20), ours).agreement()
    assert (found.agrees, found.sentence) == (None, "none: 4 runs of 5")
    assert difference(Spread(0.0, 1.0, 20), spread(rng.normal(size=5).tolist())).agreement().agrees is not None
