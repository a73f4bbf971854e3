"""Pooled differences and tests of variances against scipy's and simulations."""

import numpy as np
import pytest
from scipy import stats

from inarow.studies.comparison import Spread, spread
from inarow.studies.pooling import Measurement, measurement, pool, variances_differ


def test_a_measurement_is_a_difference_with_the_error_of_welch():
    rng = np.random.default_rng(0)
    a, b = rng.normal(1, 2, 20), rng.normal(0, 1, 12)
    found = measurement(spread(a.tolist()), spread(b.tolist()))
    assert found.mean == pytest.approx(a.mean() - b.mean())
    assert found.mean / found.error == pytest.approx(stats.ttest_ind(a, b, equal_var=False).statistic)
    assert measurement(None, spread(b.tolist())) is None
    assert measurement(Spread(1, 0, 5), Spread(2, 0, 5)) is None


def test_equal_measurements_are_averaged_and_precise_ones_weigh_more():
    found = pool([Measurement(1.0, 0.5), Measurement(3.0, 0.5)])
    assert found.mean == pytest.approx(2.0)
    assert np.ptp(found.interval) == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(2), rel=1e-3)
    assert found.p_equal == pytest.approx(stats.chi2.sf(8.0, 1))
    assert pool([Measurement(1.0, 0.1), Measurement(3.0, 1.0)]).mean == pytest.approx((100 + 3) / 101)
    single = pool([Measurement(0.2, 0.1)])
    assert (single.mean, single.p_equal) == (pytest.approx(0.2), 1.0)
    assert single.p == pytest.approx(2 * stats.norm.sf(2))


def test_pooled_intervals_contain_the_truth_as_often_as_they_should():
    rng, inside = np.random.default_rng(1), 0
    for _ in range(1000):
        found = pool([Measurement(float(rng.normal(0.3, error)), error) for error in (0.1, 0.2, 0.4)])
        inside += found.interval[0] <= 0.3 <= found.interval[1]
    assert 920 <= inside <= 975


def test_variances_are_compared_as_by_scipy():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0, 1.5, 20), rng.normal(0, 1, 15)
    ratio = a.var(ddof=1) / b.var(ddof=1)
    expected = 2 * min(stats.f.sf(ratio, 19, 14), stats.f.cdf(ratio, 19, 14))
    assert variances_differ(spread(a.tolist()), spread(b.tolist())) == pytest.approx(expected)
    assert variances_differ(spread(b.tolist()), spread(a.tolist())) == pytest.approx(expected)
    assert variances_differ(Spread(0, 0, 5), Spread(0, 0, 5)) == 1
    assert variances_differ(Spread(0, 0, 5), Spread(0, 1, 5)) == 0


def test_equal_variances_differ_as_rarely_as_they_should():
    rng = np.random.default_rng(3)
    draws = [[spread(rng.normal(size=20).tolist()) for _ in range(2)] for _ in range(1000)]
    assert 25 <= sum(variances_differ(*pair) < 0.05 for pair in draws) <= 80
