import numpy as np
import pytest

from inarow.errors import InvalidLimitError
from inarow.learning.exploration.agreement import (
    Agreement,
    Case,
    CaseResult,
    homogeneity,
    verify_back_ends,
)


def test_the_back_ends_agree():
    pytest.importorskip("qiskit_aer", reason="the extra `quantum` is not installed")
    seen = []
    agreement = verify_back_ends(cases=40, draws=4000, seed=1, progress=lambda done, total: seen.append((done, total)))
    assert agreement.is_agreed
    assert len(agreement.results) == 40
    assert seen == [(done, 40) for done in range(40)]
    masses = [result.mass for result in agreement.results]
    assert masses[:2] == [1, 1]
    assert min(masses[5:]) < 0.1
    assert any(result.case.column_oracle for result in agreement.results)
    assert any(len(result.case.legal) < len(result.case.probabilities) for result in agreement.results)
    p_values = [result.p_value for result in agreement.results if result.p_value < 1]
    assert 0.2 < np.mean(p_values) < 0.8  # uniform, if they agree


def test_draws_of_two_distributions_are_distinguished():
    rng = np.random.default_rng(0)
    one, other = [0.3, 0.2, 0.5, 0.0], [0.31, 0.18, 0.51, 0.0]
    assert homogeneity(rng.multinomial(20_000, one), rng.multinomial(20_000, other)) < 1e-4
    assert homogeneity(np.array([20_000, 0]), np.array([19_900, 100])) < 1e-20
    assert homogeneity(np.array([500, 0, 0]), np.array([500, 0, 0])) == 1
    values = [homogeneity(rng.multinomial(2000, one), rng.multinomial(2000, one)) for _ in range(300)]
    assert 0.4 < np.mean(values) < 0.6


def test_a_rejected_case_or_a_difference_is_no_agreement():
    def result(p_value, difference=0.0):
        return CaseResult(Case((1.0,), (0,), (0,)), 1.0, p_value, difference)

    assert Agreement(10, (result(1.0), result(6e-7))).is_agreed
    assert not Agreement(10, (result(1.0), result(4e-7))).is_agreed
    assert not Agreement(10, (result(1.0, 2e-12), result(1.0))).is_agreed
    assert Agreement(10, (result(1.0), result(4e-7))).rejected == (result(4e-7),)


def test_nothing_to_verify_is_refused():
    with pytest.raises(InvalidLimitError, match="cases is 0 and draws is 5; both must be at least 1"):
        verify_back_ends(cases=0, draws=5, seed=0)
