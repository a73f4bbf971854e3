"""Every position of a small board, each action scored: the whole game, valued backwards."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from inarow.arena.suite import ILLEGAL, Suite
from inarow.errors import InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.solver.solution import win_score

EXHAUSTIVE = "exhaustive"
MAX_POSITIONS = 200_000


@lru_cache(maxsize=4)
def exhaustive_suite(spec: GameSpec) -> Suite:
    """All reachable unfinished positions of a board, ply by ply.

    Symmetric positions are listed apart, since an agent need not treat them alike. Raises
    InvalidLimitError if there are more than `MAX_POSITIONS`.
    """
    levels = _levels(spec)
    positions = [position for level in levels for position in level.values()]
    scores = np.full((len(positions), spec.actions), ILLEGAL, np.int8)
    following: dict[int, int] = {}
    row = len(positions)
    for level in reversed(levels):
        row -= len(level)
        scores_of_level = {key: _scores(position, following) for key, position in level.items()}
        for number, its_scores in enumerate(scores_of_level.values(), start=row):
            scores[number, list(its_scores)] = list(its_scores.values())
        following = {key: max(its_scores.values()) for key, its_scores in scores_of_level.items()}
    return Suite(EXHAUSTIVE, spec, tuple(positions), scores, {})


def _levels(spec: GameSpec) -> list[dict[int, Position]]:
    """The unfinished positions of each ply, by key."""
    start = Position.start(spec)
    levels = [{start.key: start}]
    left = MAX_POSITIONS - 1
    while levels[-1]:
        level: dict[int, Position] = {}
        for position in levels[-1].values():
            for action in position.legal_actions:
                after = position.play(action)
                if not after.is_over:
                    level.setdefault(after.key, after)
            if len(level) > left:
                raise InvalidLimitError(
                    f"{spec} has more than {MAX_POSITIONS:,} positions; draw some: inarow suite build"
                )
        left -= len(level)
        levels.append(level)
    return levels[:-1]


def _scores(position: Position, following: dict[int, int]) -> dict[int, int]:
    """The score of each legal action; `following` has those of the unfinished positions after them."""
    scores = {}
    for action in position.legal_actions:
        after = position.play(action)
        if after.is_over:
            scores[action] = 0 if after.winner is None else win_score(position, 1)
        else:
            scores[action] = -following[after.key]
    return scores
