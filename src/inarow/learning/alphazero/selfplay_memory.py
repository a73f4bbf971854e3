"""The memory of games of the network against itself: how they are played, where they are, what they bring in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.games.layout import Layout
from inarow.games.rules import action_count
from inarow.games.wide import WORDS, Wide

HABITS = np.dtype(
    [
        ("simulations", "i8"),  # of a search
        ("quick_simulations", "i8"),  # of a quick one, which makes no example
        ("quick_share", "f8"),  # how many are quick
        ("random_starts", "f8"),  # share of games that begin with random moves
        ("random_plies", "i8"),  # so many at most
        ("early_stop", "f8"),  # share of games that end when a search has proven the result
        ("drawn_plies", "i8"),  # under PUCT, moves of the first plies are drawn by visits
        ("dirichlet", "f8"),  # parameter of the noise under PUCT
        ("search_weight", "f8"),  # what the search thought, against what came after, in the value of an example
    ],
    align=True,
)
"""How games are played."""

GAMES_DONE, EXAMPLES, SIMULATIONS, EVALUATIONS, MOVES, TO_BEGIN = range(6)
"""Places in `Harvest.counts`: the first two of this call, three of all calls, and games that may still begin."""

_ENDLESS = np.iinfo(np.int64).max


class Play(NamedTuple):
    """Games under way. `values` has by ply what a search thought, where one was made."""

    cells: np.ndarray  # [games, cells] int16, the moves so far
    opening: np.ndarray  # [games] int32, how many of them were random
    values: np.ndarray  # [games, cells + 1] float32
    is_proven: np.ndarray  # [games, cells + 1] bool, whether it was a proof
    is_example: np.ndarray  # [games, cells + 1] bool
    policies: np.ndarray  # [games, cells + 1, actions] float32
    is_quick: np.ndarray  # [games] bool, this move's search
    stops: np.ndarray  # [games] bool, whether a proof ends this game
    is_new: np.ndarray  # [games] bool, before its first move
    is_due: np.ndarray  # [games] bool, before a search


class Harvest(NamedTuple):
    """What a call brings in: `counts` says how much."""

    stones: np.ndarray  # [examples, words] uint64, of the side to move
    mask: np.ndarray  # [examples, words] uint64
    policies: np.ndarray  # [examples, actions] float32, sum to 1; all 0 where every move loses
    values: np.ndarray  # [examples] float32 in [-1, 1], for the side to move
    cells: np.ndarray  # [games, cells] int16, moves of a finished game
    plies: np.ndarray  # [games] int32, how many
    opening: np.ndarray  # [games] int32, of which random
    results: np.ndarray  # [games] int8, 1, 0 or -1 for the first side
    counts: np.ndarray  # [6] int64


def make_play(games: int, layout: Layout) -> Play:
    """New games."""
    cells = layout.rows * layout.columns
    actions = action_count(layout)
    return Play(
        cells=np.zeros((games, cells), np.int16),
        opening=np.zeros(games, np.int32),
        values=np.zeros((games, cells + 1), np.float32),
        is_proven=np.zeros((games, cells + 1), np.bool_),
        is_example=np.zeros((games, cells + 1), np.bool_),
        policies=np.zeros((games, cells + 1, actions), np.float32),
        is_quick=np.zeros(games, np.bool_),
        stops=np.zeros(games, np.bool_),
        is_new=np.ones(games, np.bool_),
        is_due=np.ones(games, np.bool_),
    )


def make_harvest(games: int, layout: Layout) -> Harvest:
    """Room for all that a call can bring in: every game ends at most once."""
    cells = layout.rows * layout.columns
    actions = action_count(layout)
    words = WORDS if isinstance(layout.board, Wide) else 1
    return Harvest(
        stones=np.zeros((games * cells, words), np.uint64),
        mask=np.zeros((games * cells, words), np.uint64),
        policies=np.zeros((games * cells, actions), np.float32),
        values=np.zeros(games * cells, np.float32),
        cells=np.zeros((games, cells), np.int16),
        plies=np.zeros(games, np.int32),
        opening=np.zeros(games, np.int32),
        results=np.zeros(games, np.int8),
        counts=np.array([0, 0, 0, 0, 0, _ENDLESS], np.int64),
    )
