"""Counting move sequences and distinct positions by ply. Partly compiled.

The counts of many boards are published, so they are the first test of a change to the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from inarow.errors import InvalidLimitError
from inarow.games.bits import Bits, count_cells, first_cell, load, single_cell, store
from inarow.games.kernels import bits_of, compiled_layout, completes_line, kernel
from inarow.games.layout import Layout
from inarow.games.position import Position
from inarow.games.rules import gravity_key, has_line, playable
from inarow.games.spec import GameSpec

Progress = Callable[[int, int], None]  # called with (done, total) during a count

_CHUNK_SEQUENCES = 20_000_000  # sequences counted between two calls of the progress function, approximately

DEFAULT_MEMORY = 4 << 30


def count_sequences(
    position: Position, depth: int, *, wide: bool | None = None, progress: Progress | None = None
) -> list[int]:
    """The number of move sequences of length 0 to `depth` from `position`; a finished game has no continuation."""
    layout = compiled_layout(position.spec, wide=wide)
    chunk = 1  # the largest number of plies with at most _CHUNK_SEQUENCES sequences
    while position.spec.actions ** (chunk + 1) <= _CHUNK_SEQUENCES and chunk < 64:
        chunk += 1
    counts = [1]
    while len(counts) <= depth:
        split = max(0, len(counts) - chunk)  # plies played in Python, so that it can report progress and be stopped
        total = 0
        for done, head in enumerate(_unfinished_after(position, split)):
            total += int(_sequences(layout, *bits_of(head, layout), len(counts) - split))
            if progress is not None and split > 0:
                progress(done + 1, counts[split])
        counts.append(total)
    return counts


def _unfinished_after(position: Position, plies: int) -> Iterator[Position]:
    """Every unfinished position at the end of a sequence of `plies` moves, with repetitions."""
    if position.is_over:
        return
    if plies == 0:
        yield position
        return
    for action in position.legal_actions:
        yield from _unfinished_after(position._after(action), plies - 1)


@kernel
def _sequences(layout: Layout, stones: Bits, mask: Bits, depth: int) -> int:
    """Sequences of exactly `depth` > 0 moves from an unfinished position."""
    free = playable(mask, layout)
    if depth == 1:
        return count_cells(free)
    total = 0
    for _ in range(count_cells(free)):
        cell = first_cell(free)
        stone = single_cell(cell, free)
        free = free ^ stone
        if not completes_line(stones | stone, cell, layout):
            total += _sequences(layout, mask ^ stones, mask | stone, depth - 1)
    return total


@dataclass(frozen=True, slots=True)
class PositionCounts:
    """Counts by ply. Index 0 is the start."""

    positions: list[int]
    terminal: list[int]  # positions in which the game is over
    sequences: list[int]  # move sequences that lead to them: equal to `count_sequences`, computed differently
    games: list[int]  # complete games of that length


def count_positions(
    position: Position,
    plies: int,
    *,
    wide: bool | None = None,
    memory: int = DEFAULT_MEMORY,
    progress: Progress | None = None,
) -> PositionCounts:
    """Counts distinct positions by ply; raises InvalidLimitError beyond about `memory` bytes or 2^63 sequences."""
    layout = compiled_layout(position.spec, wide=wide)
    level = _Level.of(position, layout)
    counts = PositionCounts([], [], [], [])
    while True:
        unfinished = level.unfinished(layout)
        done = len(counts.positions)
        counts.positions.append(len(level.stones))
        counts.terminal.append(len(level.stones) - len(unfinished.stones))
        counts.sequences.append(int(level.paths.sum()))
        counts.games.append(int(level.paths.sum() - unfinished.paths.sum()))
        if progress is not None:
            progress(done, plies)
        if done == plies:
            return counts
        level = unfinished.successors(layout, position.spec, memory)


@dataclass(frozen=True, slots=True)
class _Level:
    """The distinct positions of one ply."""

    stones: np.ndarray  # [N, words] uint64
    mask: np.ndarray  # [N, words] uint64
    paths: np.ndarray  # [N] uint64, sequences that lead there

    @classmethod
    def of(cls, position: Position, layout: Layout) -> _Level:
        stones, mask = (np.array([cells], np.uint64).reshape(1, -1) for cells in bits_of(position, layout))
        return cls(stones, mask, np.ones(1, np.uint64))

    def unfinished(self, layout: Layout) -> _Level:
        keep = _unfinished_positions(layout, self.stones, self.mask)
        return _Level(self.stones[keep], self.mask[keep], self.paths[keep])

    def successors(self, layout: Layout, spec: GameSpec, memory: int) -> _Level:
        children = len(self.stones) * spec.actions  # at most; untouched pages cost no memory
        words = self.stones.shape[1]
        key_words = words if spec.gravity else 2 * words
        needed = children * 8 * (2 * words + 2 * key_words + 4)  # arrays, sorted copy, order, paths
        if needed > memory:
            raise InvalidLimitError(f"the next ply needs about {needed >> 20} MB; the limit is {memory >> 20} MB")
        stones, mask = (np.empty((children, words), np.uint64) for _ in range(2))
        keys, parents = np.empty((children, key_words), np.uint64), np.empty(children, np.int64)
        children = int(_fill_children(layout, self.stones, self.mask, stones, mask, keys, parents))
        stones, mask, keys, parents = (array[:children] for array in (stones, mask, keys, parents))
        order = np.lexsort(keys.T) if key_words > 1 else np.argsort(keys[:, 0], kind="stable")
        starts = np.flatnonzero(np.r_[True, np.any(np.diff(keys[order], axis=0) != 0, axis=1)][:children])
        paths = self.paths[parents[order]]
        if float(paths.astype(np.float64).sum()) >= 2.0**63:
            raise InvalidLimitError("the next ply has more than 2^63 move sequences")
        first = order[starts]
        return _Level(stones[first], mask[first], np.add.reduceat(paths, starts) if children else paths)


@kernel
def _unfinished_positions(layout: Layout, stones: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """For each position, whether the side that moved last has no line and the board is not full."""
    keep = np.empty(len(stones), np.bool_)
    for index in range(len(stones)):
        taken = load(mask, index, layout.board)
        moved_last = taken ^ load(stones, index, layout.board)
        full = count_cells(taken) == layout.rows * layout.columns
        keep[index] = not (full or has_line(moved_last, layout))
    return keep


@kernel
def _fill_children(
    layout: Layout,
    stones: np.ndarray,
    mask: np.ndarray,
    child_stones: np.ndarray,
    child_mask: np.ndarray,
    keys: np.ndarray,
    parents: np.ndarray,
) -> int:
    """Writes every successor, its exact key, and the index of its parent; returns their number."""
    child = 0
    words = stones.shape[1]
    for index in range(len(stones)):
        taken = load(mask, index, layout.board)
        other = taken ^ load(stones, index, layout.board)
        free = playable(taken, layout)
        for _ in range(count_cells(free)):
            stone = single_cell(first_cell(free), free)
            free = free ^ stone
            store(child_stones, child, other)
            store(child_mask, child, taken | stone)
            parents[child] = index
            if layout.gravity:
                store(keys, child, gravity_key(other, taken | stone, layout))
            else:
                for word in range(words):  # a slice would take seconds to compile
                    keys[child, word] = child_stones[child, word]
                    keys[child, words + word] = child_mask[child, word]
            child += 1
    return child
