"""Whether published numbers and ours agree, and how sure ours are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.studies.comparison import LEAST_RUNS, Estimate, agreement, estimate

runs = st.lists(st.floats(-1000, 1000), min_size=LEAST_RUNS, max_size=30)


@given(runs)
def test_the_interval_holds_the_mean_and_one_run_scatters_more_than_the_mean(values):
    ours = estimate(values)
    low, high = ours.interval
    assert low <= ours.mean + 1e-9
    assert high >= ours.mean - 1e-9
    assert ours.scatter >= (high - low) / 2 - 1e-9


@given(runs, st.floats(-2000, 2000))
def test_agreement_is_being_as_near_as_single_runs_are(values, published):
    ours = estimate(values)
    found = agreement(published, ours, digits=2)
    distance = abs(published - ours.mean)
    assert found.agrees == (distance <= ours.scatter + 0.005 or distance <= 0.005 * 1.000001)


def test_one_in_twenty_single_runs_lies_outside():
    rng = np.random.default_rng(1)
    outside = sum(
        not agreement(float(rng.normal()), estimate(rng.normal(size=8).tolist()), digits=9).agrees for _ in range(2000)
    )
    assert 70 <= outside <= 130  # 100 expected, three deviations are 29


def test_equal_runs_leave_no_room_without_games_and_wilsons_with_them():
    ours = estimate([100.0] * 20, is_rate=True, games=100)
    assert ours.interval == (pytest.approx(99.8, abs=0.05), 100.0)
    assert agreement(99.0, ours, digits=0, games=100).agrees
    assert not agreement(90.0, ours, digits=0, games=100).agrees
    strict = agreement(99.0, estimate([100.0] * 20), digits=0)
    assert strict.sentence == "outside: all our runs are equal"
    assert agreement(1575.0, estimate([1575.0] * 5), digits=0).sentence == "equal"


def test_a_printed_number_is_equal_to_what_rounds_to_it():
    assert agreement(53.17, estimate([53.1666, 53.1670] * 3), digits=2).sentence == "equal"


def test_sentences_name_the_scatter():
    ours = estimate([1.0, 2.0, 3.0, 2.0, 2.0])
    assert agreement(2.5, ours, digits=1).sentence == "within ± 2.2"
    assert agreement(9.0, ours, digits=1).sentence == "outside ± 2.2"


@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=LEAST_RUNS - 1), st.sampled_from([None, 100]))
def test_fewer_than_five_runs_have_no_verdict_however_many_games_they_have(values, games):
    found = agreement(values[0], Estimate(values[0], runs=len(values)), digits=1, games=games)
    assert found.agrees is None
    assert found.sentence == f"none: {len(values)} run{'s' * (len(values) > 1)} of 5"


def test_rates_stay_between_0_and_100_and_nothing_comes_of_nothing():
    assert estimate([0.0, 1.0, 100.0, 99.0], is_rate=True).interval == (0.0, 100.0)
    assert estimate([]) is None
    assert estimate([5.0]).interval is None
    assert agreement(6.0, estimate([5.0]), digits=1).agrees is None
