import numpy as np
import pytest

from inarow.learning.exploration.config import Temperature, random_share


def test_epsilon_is_that_of_the_spec():
    episodes = np.array([1, 2, 10, 100, 300, 900, 1800])
    assert random_share(episodes) == pytest.approx([1, 0.910, 0.417, 0.217, 0.175, 0.147, 0.133], abs=5e-4)


@pytest.mark.parametrize(("delta", "episodes"), [(97, 1800), (194, 3600)])
def test_the_temperature_is_that_of_the_spec(delta, episodes):
    parts = np.array([0, episodes / 6, episodes / 3, episodes / 2, episodes * 2 / 3, episodes])
    found = Temperature(delta=delta).at(parts)
    assert found == pytest.approx([10.1, 5.21, 2.238, 0.941, 0.457, 0.2299], rel=2e-3)


def test_the_temperature_ends_at_its_floor():
    assert Temperature(delta=1, floor=0.5).at(np.array([10**9])) == pytest.approx([0.5])
