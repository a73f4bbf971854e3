"""The truth about small boards by another method: all positions are listed forwards, ply by ply, and
valued backwards. Only NumPy and the picture of the bits in `games/layout.py`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inarow.games.spec import GameSpec


@dataclass
class Level:
    """The positions of one ply: stones of the side to move, all stones, and in the end the score
    (0 where the game is over)."""

    stones: np.ndarray
    mask: np.ndarray
    is_over: np.ndarray
    scores: np.ndarray


def all_levels(spec: GameSpec) -> list[Level]:
    """Every reachable position of a board of at most 31 bits, valued."""
    levels = [_level(np.zeros(1, np.uint64), np.zeros(1, np.uint64), spec)]
    while not levels[-1].is_over.all():
        last = levels[-1]
        children = [child for _, child in _children(last, spec)]
        codes = np.unique(np.concatenate([_code(stones, mask) for stones, mask in children]))
        levels.append(_level(codes & np.uint64(2**32 - 1), codes >> np.uint64(32), spec))
    for number in reversed(range(len(levels) - 1)):
        _value(levels[number], levels[number + 1], number, spec)
    return levels


def _code(stones: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return mask << np.uint64(32) | stones


def _level(stones: np.ndarray, mask: np.ndarray, spec: GameSpec) -> Level:
    full = mask == _board(spec)
    return Level(stones, mask, full | _has_line(mask ^ stones, spec), np.zeros(len(stones), np.int64))


def _children(level: Level, spec: GameSpec) -> list[tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]]:
    """For each action: which positions it is played in, and the stones and mask after it."""
    stride = spec.rows + 1
    found = []
    for action in range(spec.actions):
        if spec.gravity:
            bottom = np.uint64(1 << action * stride)
            column = np.uint64(((1 << spec.rows) - 1) << action * stride)
            stone = (level.mask + bottom) & ~level.mask & column
        else:
            row, column_number = divmod(action, spec.columns)
            stone = np.uint64(1 << column_number * stride + spec.rows - 1 - row) & ~level.mask
        where = np.flatnonzero((stone != 0) & ~level.is_over)
        stones, mask = level.stones[where], level.mask[where]
        found.append((where, (mask ^ stones, mask | stone[where])))
    return found


def _value(level: Level, following: Level, ply: int, spec: GameSpec) -> None:
    best = np.full(len(level.stones), -99)
    codes = _code(following.stones, following.mask)
    for where, (stones, mask) in _children(level, spec):
        places = np.searchsorted(codes, _code(stones, mask))
        assert (codes[places] == _code(stones, mask)).all()
        won = _has_line(mask ^ stones, spec)
        values = np.where(won, 1 + (spec.cells - (ply + 1)) // 2, -following.scores[places])
        np.maximum.at(best, where, values)
    level.scores = np.where(level.is_over, 0, best)


def _board(spec: GameSpec) -> np.uint64:
    stride = spec.rows + 1
    return np.uint64(sum(((1 << spec.rows) - 1) << column * stride for column in range(spec.columns)))


def _has_line(stones: np.ndarray, spec: GameSpec) -> np.ndarray:
    line = np.zeros(len(stones), bool)
    stride = spec.rows + 1
    for step in (1, stride - 1, stride, stride + 1):
        run = stones.copy()
        for distance in range(1, spec.inarow):
            run &= stones >> np.uint64(min(63, step * distance))
        line |= run != 0
    return line
