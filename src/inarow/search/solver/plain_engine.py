"""The engine for every kind of board: a shell around `plain_kernel.py`."""

from __future__ import annotations

import numpy as np

from inarow.games.bits import from_int
from inarow.games.kernels import compiled_layout
from inarow.games.layout import Layout
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.games.symmetry import symmetries
from inarow.search.solver.geometry import lines_through_cells
from inarow.search.solver.plain_kernel import NODE_LIMIT, NODES, STOPPED, PlainSearch, ask

_SLOT_BYTES = 10
_NO_LIMIT = 1 << 62
_QUICK_MOVES = 40_000
"""How often a quick question may look at a move: at every node it looks at all actions."""


class PlainEngine:
    """Answers questions on one board, with a table of at most `memory` bytes.

    One worker at a time: its table has two words an entry, which threads could see half written.
    """

    max_workers = 1

    def __init__(self, spec: GameSpec, memory: int, *, wide: bool | None = None) -> None:
        self._quick_nodes = _QUICK_MOVES // spec.actions
        slots = 1 << (max(1, memory // _SLOT_BYTES).bit_length() - 1)
        self._layout = compiled_layout(spec, wide=wide)
        bits = self._layout.stride * self._layout.columns
        images = [symmetry.cells for symmetry in symmetries(spec)[1:]]
        moves = sum(min(spec.actions, left) for left in range(spec.cells + 1))
        self._search = PlainSearch(
            keys=np.zeros(slots, np.uint64),
            bounds=np.zeros(slots, np.uint16),
            symmetries=np.array(images, np.int64).reshape(-1, bits),
            symmetry_plies=spec.cells // 2,
            cell_order=lines_through_cells(spec),
            moves=np.zeros(moves, np.int64),
            effort=np.zeros(3, np.int64),
            stop=np.zeros(1, np.uint8),
        )

    def open_worker(self) -> PlainSearchWorker:
        return PlainSearchWorker(self._layout, self._search, self._quick_nodes)

    def clear(self) -> None:
        self._search.bounds.fill(0)


class PlainSearchWorker:
    """See `engine.SearchWorker`."""

    def __init__(self, layout: Layout, search: PlainSearch, quick_nodes: int) -> None:
        self.quick_nodes = quick_nodes
        self._layout = layout
        self._search = search
        search.effort[NODES] = 0

    @property
    def nodes(self) -> int:
        return int(self._search.effort[NODES])

    def ask(self, position: Position, beta: int, *, nodes: int | None = None) -> int | None:
        effort = self._search.effort
        effort[NODE_LIMIT] = _NO_LIMIT if nodes is None else effort[NODES] + nodes
        effort[STOPPED] = self._search.stop[0] = 0
        like = self._layout.board
        stones, mask = from_int(position.stones, like), from_int(position.mask, like)
        bound = ask(self._layout, stones, mask, position.ply, beta, 0, self._search)
        return None if effort[STOPPED] else int(bound)

    def stop(self) -> None:
        self._search.stop[0] = 1
