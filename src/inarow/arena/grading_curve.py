"""How good a network is while it trains: on a few positions in which something is at stake."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from inarow.arena.accuracy import Choices
from inarow.arena.known_suites import find_suite
from inarow.arena.suite import ILLEGAL, Suite
from inarow.errors import InarowError
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.learning.alphazero.evaluator import Evaluate
from inarow.learning.alphazero.search import NetSearch
from inarow.learning.alphazero.search_config import SearchConfig

_POSITIONS = 250
_GAMES = 64
_BYTES_A_SIMULATION = 1 << 10


def curve_grader(specs: Sequence[GameSpec]) -> Callable[[Evaluate, int], tuple[float, float]] | None:
    """Grades a network on critical positions of a board of a run, always the same: how often it keeps the
    outcome without search and with so many simulations. None where no board has exact scores.
    """
    spec = CONNECT_FOUR if CONNECT_FOUR in specs else specs[0]
    try:
        suite = _critical(find_suite(None, spec))
    except InarowError:  # too large to score
        return None
    if not len(suite):
        return None

    def grade(evaluate: Evaluate, simulations: int) -> tuple[float, float]:
        search = NetSearch(
            spec, evaluate, SearchConfig(), games=_GAMES, memory=_GAMES * simulations * _BYTES_A_SIMULATION
        )
        return _accuracy(search, suite, 1), _accuracy(search, suite, simulations)

    return grade


def _critical(suite: Suite) -> Suite:
    """A sample of the positions in which some move does not keep the outcome."""
    outcomes = np.sign(suite.scores.astype(np.int64))
    worst = np.where(suite.scores == ILLEGAL, 1, outcomes).min(axis=1)
    places = np.flatnonzero(worst < outcomes.max(axis=1))
    return suite.part(np.sort(np.random.default_rng(0).permutation(places)[:_POSITIONS]))


def _accuracy(search: NetSearch, suite: Suite, simulations: int) -> float:
    results = search.search_many(suite.positions, simulations)
    choices = Choices.of(suite, np.array([result.action for result in results], np.int64))
    return float(choices.figures()["outcome_accuracy"])
