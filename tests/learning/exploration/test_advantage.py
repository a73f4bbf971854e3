"""Queries of classical and quantum agents against draws one by one."""

import numpy as np
import pytest

from inarow.learning.exploration.advantage import (
    CLASSICAL,
    QUANTUM,
    decision_with,
    least_actions,
    quantum_queries,
    remembered_queries,
    training_queries,
)
from inarow.learning.exploration.theory import draw_cost, success

MASSES = [1e-4, 0.004, 0.01, 0.05, 0.1, 1 / 7, 0.2, 0.25, 0.3, 0.5, 0.6, 0.75, 0.9, 0.99, 1.0]


@pytest.mark.parametrize(("way", "amplification"), [("quantum", "ceil-inclusive"), ("best", "optimal")])
def test_quantum_queries_are_those_of_theory(way, amplification):
    found = quantum_queries(np.array(MASSES), way)
    assert found == pytest.approx([draw_cost(mass, amplification).queries for mass in MASSES])


def test_the_cheapest_m_is_the_cheapest():
    found = quantum_queries(np.array(MASSES), "cheapest")
    assert found == pytest.approx([min((m + 1) / success(mass, m) for m in range(200)) for mass in MASSES])


def test_without_mass_no_draw_is_enough():
    assert [quantum_queries(np.zeros(1), way)[0] for way in QUANTUM] == [np.inf] * 3


def test_remembered_draws_ask_about_an_action_once():
    rng = np.random.default_rng(0)
    probabilities, flags = [0.4, 0.3, 0.15, 0.1, 0.05], {2, 4}
    counts = []
    for _ in range(20_000):
        asked = set()
        while not asked & flags:
            asked.add(int(rng.choice(5, p=probabilities)))
        counts.append(len(asked))
    assert remembered_queries(probabilities, sorted(flags)) == pytest.approx(np.mean(counts), rel=0.02)
    assert remembered_queries([1 / 7] * 7, [3]) == pytest.approx(4)  # the average place of one of seven
    assert remembered_queries([1.0, 0.0], [0]) == 1


def test_remembering_never_costs_more_than_the_other_classical_ways():
    for actions in (2, 7, 50):
        for mass in (0.01, 0.3, 0.9):
            found = decision_with(actions, mass)
            assert found.remembered <= min(found.draws, found.all)
            assert found.saved("cheapest") >= found.saved("best")


def test_the_least_number_of_actions_is_the_first():
    least = least_actions(3.0, "best")
    assert decision_with(least, 1 / least).saved("best") >= 3
    assert all(decision_with(n, 1 / n).saved("best") < 3 for n in range(2, least))
    assert least_actions(3.0, "best", most=least - 1) is None


def test_queries_of_a_training_are_those_of_its_decisions():
    trace = np.array([[7, 1.0, 1.0], [7, 1 / 7, 4.0], [2, 0.5, 1.5], [100, 0.01, 50.5], [4, 0.0, 4.0]])
    found = training_queries(trace)
    assert (found.decisions, found.all_flagged, found.below_half, found.below_tenth) == (5, 0.2, 0.6, 0.4)
    assert found.draws == pytest.approx(np.mean([1, 7, 2, 100, 4]))
    assert found.remembered == pytest.approx(np.mean([1, 4, 1.5, 50.5, 4]))
    assert found.all == found.actions == pytest.approx(np.mean([7, 7, 2, 100, 4]))
    best = [draw_cost(mass, "optimal").queries for mass in trace[:4, 1]]
    assert found.best == pytest.approx(np.mean([*best, 4]))
    assert found.reached == 0.2  # only the fourth
    assert found.saved("best") == pytest.approx(min(getattr(found, way) for way in CLASSICAL) / found.best)
