"""Every position that a perfect file can meet: what `inarow export verify` counts and checks.

The search of the file is compiled from its own source, so that it makes the same decisions with the same nodes.
Positions are keys as by `outcome.key_of`, the same for mirror images.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.adapters.kaggle_export.player import outcome
from inarow.adapters.kaggle_export.player.perfect import SEARCH_NODES

Keys = npt.NDArray[np.int64]
FIRST_REPLIES = outcome.COLUMNS // 2 + 1
"""First moves of an opponent, without mirror images."""
_CHUNK = 1 << 20  # positions decided at a time
_KEPT = 50  # answers in a sample
_MOST = 1 << 27  # positions of one ply; more are followed in parts, which can meet the same positions again


class Root(NamedTuple):
    """Where an enumeration starts: the empty board, or the position after a first move of the opponent."""

    name: str
    key: int

    @classmethod
    def all(cls) -> list["Root"]:
        """As first player from the empty board, as second after every first move."""
        replies = [1 << outcome.STRIDE * column for column in range(FIRST_REPLIES)]
        after = [cls(f"second, after {column + 1}", outcome.key_of(0, cell)) for column, cell in enumerate(replies)]
        return [cls("first", outcome.key_of(0, 0)), *after]


class PlyCount(NamedTuple):
    """The positions of a ply in which the file is to move."""

    ply: int
    positions: int
    stored: int
    """Positions whose move is in the table."""
    most_nodes: int
    """Of the searches in the other positions."""


class Answer(NamedTuple):
    """What the search of the file says in a position: a column, the outcome for the side to move, and its nodes."""

    key: int
    column: int
    outcome: int
    nodes: int


@dataclass
class Enumeration:
    """What can happen from a root."""

    root: str
    plies: list[PlyCount] = field(default_factory=list)
    wins: int = 0
    """Distinct positions after which the file may win with its next move or the opponent's; and so on."""
    draws: int = 0
    losses: int = 0
    longest: int = 0
    """Stones at the end of the longest game."""
    seconds: float = 0.0
    hardest: list[Answer] = field(default_factory=list)
    """The searches with most nodes."""
    sample: list[Answer] = field(default_factory=list)
    """Random searches of every ply."""


Missing = Callable[[int], int]
"""The column to play in a position, given as a key, that the search does not decide. May raise."""
Report = Callable[[str, PlyCount], None]
"""Is called with the root and the count of each ply."""


def enumerate_positions(
    root: Root, column_for: Missing, report: Report = lambda root, count: None, *, seed: int = 0
) -> Enumeration:
    """Follows every reply of the opponent to the moves of the file, from `root` to the end of all games; `seed` draws
    the sample.
    """
    clock, rng = time.perf_counter(), np.random.default_rng(seed)
    found = Enumeration(root.name)
    counts: dict[int, PlyCount] = {}
    left = [(outcome.count_cells(stones_of(root.key)[1]), np.array([root.key], dtype=np.int64))]
    while left:
        ply, keys = left.pop()
        if len(keys) > _MOST:
            half = len(keys) // 2
            left += [(ply, keys[half:].copy()), (ply, keys[:half].copy())]
            continue
        count, following = _follow_ply(ply, keys, column_for, found, rng)
        before = counts.get(ply, PlyCount(ply, 0, 0, 0))
        most = max(before.most_nodes, count.most_nodes)
        counts[ply] = PlyCount(ply, before.positions + count.positions, before.stored + count.stored, most)
        report(root.name, counts[ply])
        if len(following):
            left.append((ply + 2, following))
    found.plies = [counts[ply] for ply in sorted(counts)]
    found.seconds = time.perf_counter() - clock
    return found


def _follow_ply(
    ply: int, keys: Keys, column_for: Missing, found: Enumeration, rng: np.random.Generator
) -> tuple[PlyCount, Keys]:
    """The count of a ply, and the positions two plies later."""
    compiled = compiled_search()
    following: list[Keys] = []
    stored = most = 0
    for start in range(0, len(keys), _CHUNK):
        chunk = keys[start : start + _CHUNK]
        cells, outcomes, nodes = (np.zeros_like(chunk) for _ in range(3))
        compiled.decide(chunk, SEARCH_NODES, cells, outcomes, nodes)
        too_hard = np.flatnonzero(nodes > SEARCH_NODES)
        for index in too_hard:
            cells[index] = landing_cell(int(chunk[index]), column_for(int(chunk[index])))
        decided = np.flatnonzero(nodes <= SEARCH_NODES)
        stored += len(too_hard)
        most = max(most, int(nodes[decided].max(initial=0)))
        asked = chunk, cells, outcomes, nodes
        hardest = _answers(decided[np.argsort(nodes[decided])[-_KEPT:]], *asked)
        found.hardest = sorted([*found.hardest, *hardest], key=lambda each: -each.nodes)[:_KEPT]
        if start == 0:
            found.sample += _answers(rng.permutation(decided)[:_KEPT], *asked)
        ends = np.zeros(4, dtype=np.int64)
        following.append(_distinct(compiled.expand(chunk, cells, ends)))
        found.wins, found.draws, found.losses = (
            before + int(more) for before, more in zip((found.wins, found.draws, found.losses), ends[:3], strict=True)
        )
        found.longest = max(found.longest, int(ends[3]))
    return PlyCount(ply, len(keys), stored, most), _distinct(np.concatenate(following))


def _answers(places: Keys, keys: Keys, cells: Keys, outcomes: Keys, nodes: Keys) -> list[Answer]:
    columns = (column_of(int(cell)) for cell in cells[places])
    return list(map(Answer, keys[places].tolist(), columns, outcomes[places].tolist(), nodes[places].tolist()))


def _distinct(keys: Keys) -> Keys:
    """The distinct keys in ascending order; sorts in place."""
    keys.sort()
    return keys[np.flatnonzero(np.diff(keys, prepend=-1))]


def column_of(cell: int) -> int:
    return outcome.count_cells(cell - 1) // outcome.STRIDE


def landing_cell(key: int, column: int) -> int:
    """The cell of the next stone in a column; 0 if it is full."""
    return (stones_of(key)[1] + outcome.BOTTOM) & outcome.COLUMN << outcome.STRIDE * column


def stones_of(key: int) -> tuple[int, int]:
    """(stones of the side to move, stones of both) of a key."""
    mask = 0
    for column in range(outcome.COLUMNS):
        part = key >> outcome.STRIDE * column & outcome.FULL_COLUMN
        mask |= (1 << part.bit_length() - 1) - 1 << outcome.STRIDE * column
    return key - mask - outcome.BOTTOM, mask


# --- The search of the file, compiled ---


@cache
def compiled_search() -> Any:
    """`decide(keys, limit, cells, outcomes, nodes)` and `expand(keys, cells, ends)`, compiled in this process."""
    import numba
    from numba.typed import Dict

    names: dict[str, Any] = dict(vars(outcome))
    for name, function in vars(outcome).items():
        if isinstance(function, FunctionType):
            names[name] = numba.njit(nogil=True)(FunctionType(function.__code__, names, name))

    @numba.njit
    def count_stones(cells: int) -> int:
        cells = cells - ((cells >> 1) & 0x5555555555555555)
        cells = (cells & 0x3333333333333333) + ((cells >> 2) & 0x3333333333333333)
        cells = (cells + (cells >> 4)) & 0x0F0F0F0F0F0F0F0F
        return (cells * 0x0101010101010101) >> 56

    names["count_cells"] = count_stones
    count_cells, choose, key_of, has_line = (names[name] for name in ("count_cells", "choose", "key_of", "has_line"))
    bottom, all_cells, stride, columns = outcome.BOTTOM, outcome.CELLS, outcome.STRIDE, outcome.COLUMNS
    full_column, integer = outcome.FULL_COLUMN, numba.int64

    @numba.njit(nogil=True)
    def mask_of(key: int) -> int:
        mask = 0
        for column in range(columns):
            part = key >> stride * column & full_column
            part |= part >> 1
            part |= part >> 2
            part |= part >> 4
            mask |= (part >> 1) << stride * column
        return mask

    @numba.njit(nogil=True)
    def decide(keys: Keys, limit: int, cells: Keys, outcomes: Keys, nodes: Keys) -> None:
        effort = np.zeros(2, dtype=np.int64)
        for index in range(len(keys)):
            mask = mask_of(keys[index])
            stones = keys[index] - mask - bottom
            near, full = Dict.empty(integer, integer), Dict.empty(integer, integer)
            effort[0], effort[1] = 0, limit
            cells[index], outcomes[index] = choose(stones, mask ^ stones, near, full, effort)
            nodes[index] = effort[0]

    @numba.njit(nogil=True)
    def expand(keys: Keys, cells: Keys, ends: Keys) -> Keys:
        following = np.empty(columns * len(keys), dtype=np.int64)
        count = 0
        for index in range(len(keys)):
            mask = mask_of(keys[index])
            own = (keys[index] - mask - bottom) | cells[index]
            others = mask & ~own
            mask |= cells[index]
            if has_line(own) or mask == all_cells:
                ends[0 if has_line(own) else 1] += 1
                ends[3] = max(ends[3], count_cells(mask))
                continue
            playable = (mask + bottom) & all_cells
            while playable:
                cell = playable & -playable
                playable ^= cell
                if has_line(others | cell) or mask | cell == all_cells:
                    ends[2 if has_line(others | cell) else 1] += 1
                    ends[3] = max(ends[3], count_cells(mask) + 1)
                    continue
                following[count] = key_of(own, mask | cell)
                count += 1
        return following[:count].copy()

    return SimpleNamespace(decide=decide, expand=expand)
