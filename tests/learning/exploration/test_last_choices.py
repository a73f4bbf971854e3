"""The last choices of games played together."""

import numpy as np

from inarow.games.spec import CONNECT_FOUR
from inarow.learning.exploration.last_choices import LastChoices


def test_a_choice_is_taken_once():
    last = LastChoices(4, CONNECT_FOUR)
    keys, legal = np.array([10, 30], np.uint64), np.array([127, 3, 99])  # one more than games
    last.keep(np.array([1, 3]), keys, legal, np.array([5, 0]))
    found = last.taken(np.array([0, 1, 3]), np.array([9.0, 0.5, -1.0]))
    assert [array.tolist() for array in found] == [[10, 30], [127, 3], [5, 0], [0.5, -1.0]]
    assert len(last.taken(np.array([1, 3]), np.array([1.0, 1.0]))[0]) == 0
