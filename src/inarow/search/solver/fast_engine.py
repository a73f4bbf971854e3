"""The engine for boards with gravity that fit one word: a shell around `fast_kernel.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.search.solver.constant_geometry import ConstantGeometry
from inarow.search.solver.fast_kernel import EFFORT, prepare, search
from inarow.search.solver.geometry import make_geometry
from inarow.search.solver.table import MIN_BUCKET_BITS

_BUCKET_BYTES = 16
_DEEP_BITS = 17
"""Buckets of the deep table as a power of two: 2 MB, which stays in the processor's cache."""
_DEEP_CELLS = 18
"""Positions with at most so many empty cells use the deep table."""
_NO_LIMIT = 1 << 62
_MAX_WORKERS = 64
_QUICK_NODES = 20_000


class FastEngine:
    """Answers questions on one board, with a table of at most `memory` bytes (and at least 4 MB).

    Desks share the table without locks; what one finds, the others use. With `constant` the kernels
    are compiled for this board alone: quicker, at some seconds of compilation for every such board,
    so by default only 6x7x4 has it.
    """

    max_workers = _MAX_WORKERS

    def __init__(self, spec: GameSpec, memory: int, *, constant: bool | None = None) -> None:
        deep_bytes = _BUCKET_BYTES << _DEEP_BITS
        buckets = max(1 << MIN_BUCKET_BITS, (memory - deep_bytes) // _BUCKET_BYTES)
        self._shallow_bits = buckets.bit_length() - 1
        self._deep_ply = spec.cells - _DEEP_CELLS
        is_constant = spec == CONNECT_FOUR if constant is None else constant
        self._geometry = ConstantGeometry(spec) if is_constant else make_geometry(spec)[0]
        self._table = np.zeros(2 * ((1 << _DEEP_BITS) + (1 << self._shallow_bits)), np.uint64)

    def open_worker(self) -> FastSearchWorker:
        effort: Any = np.zeros(1, EFFORT).view(np.recarray)
        effort[0].deep_bits, effort[0].shallow_bits = _DEEP_BITS, self._shallow_bits
        effort[0].deep_ply = self._deep_ply
        return FastSearchWorker(self._geometry, effort, self._table)

    def clear(self) -> None:
        self._table.fill(0)


class FastSearchWorker:
    """See `engine.SearchWorker`."""

    quick_nodes = _QUICK_NODES

    def __init__(self, geometry: Any, effort: Any, table: np.ndarray) -> None:
        self._geometry, self._effort, self._table = geometry, effort, table
        self._stop = np.zeros(1, np.uint8)

    @property
    def nodes(self) -> int:
        return int(self._effort[0].nodes)

    def ask(self, position: Position, beta: int, *, nodes: int | None = None) -> int | None:
        effort = self._effort[0]
        effort.node_limit = _NO_LIMIT if nodes is None else effort.nodes + nodes
        effort.stopped = self._stop[0] = 0
        stones, mask = np.uint64(position.stones), np.uint64(position.mask)
        settled, bound, again = prepare(stones, mask, beta, self._geometry, effort, self._table)
        if not settled:
            beta = beta if again else 1 - beta
            bound = search(0, beta, 1, self._geometry, effort, self._table, self._stop)
            if effort.stopped:
                return None
        return int(bound if again else -bound)

    def stop(self) -> None:
        self._stop[0] = 1
