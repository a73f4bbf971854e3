"""The compiled searches behind one interface: null-window searches of a position on one board.

`FastEngine` serves boards with gravity that fit one word, `PlainEngine` all others. Several threads may search at the
same time, each with its own worker; they share the engine's table.
"""

from collections.abc import Callable

import numpy as np

from inarow.games import CONNECT_FOUR, GameSpec, Position
from inarow.games.kernels import bits_of, compiled_layout, new_record
from inarow.games.symmetry import symmetries
from inarow.search.solver.fast_kernel import FastEffort, prepare, search
from inarow.search.solver.geometry import ConstantGeometry, lines_through_cells, make_geometry
from inarow.search.solver.plain_kernel import Effort, PlainSearch, search_plain
from inarow.search.solver.table import MIN_BUCKET_BITS

_NO_LIMIT = 1 << 62


class SearchWorker:
    """The state of one thread."""

    def __init__(
        self, bound: Callable[[Position, int], int], effort: Effort, stop: np.ndarray, quick_nodes: int
    ) -> None:
        """`bound` is the compiled search: it returns what `search` returns, meaningless once `effort.stopped`
        is set.
        """
        self._bound, self._effort, self._stop = bound, effort, stop
        self.quick_nodes = quick_nodes  # a few milliseconds; a longer search runs in a thread, where it can be stopped

    @property
    def nodes(self) -> int:
        """Positions visited since the worker was opened; may be read during a search."""
        return int(self._effort.nodes)

    def search(self, position: Position, beta: int, *, nodes: int | None = None) -> int | None:
        """A lower bound >= beta or an upper bound < beta of the score; None if stopped, or after about `nodes`
        nodes.
        """
        effort = self._effort
        effort.node_limit = _NO_LIMIT if nodes is None else effort.nodes + nodes
        effort.stopped = self._stop[0] = 0
        bound = self._bound(position, beta)
        return None if effort.stopped else int(bound)

    def stop(self) -> None:
        """Ends the search of another thread within milliseconds. Call it repeatedly: a search that is just starting may
        miss it.
        """
        self._stop[0] = 1


# --- Boards with gravity in one word ---

_BUCKET_BYTES = 16
_DEEP_BITS = 17  # buckets of the deep table as a power of two: 2 MB, which stays in the processor's cache
_QUICK_NODES = 20_000
_DEEP_CELLS = 18  # positions with at most this many empty cells use the deep table


class FastEngine:
    """An engine with a table of at most `memory` bytes (and at least 4 MB), which workers share without locks. With
    `constant` the kernels are compiled for this board only: faster, but compiling takes seconds, so the default is True
    for 6x7x4 only.
    """

    max_workers = 64  # most threads that may search at the same time

    def __init__(self, spec: GameSpec, memory: int, *, constant: bool | None = None) -> None:
        deep_bytes = _BUCKET_BYTES << _DEEP_BITS
        buckets = max(1 << MIN_BUCKET_BITS, (memory - deep_bytes) // _BUCKET_BYTES)
        self._shallow_bits = buckets.bit_length() - 1
        self._deep_ply = spec.cells - _DEEP_CELLS
        is_constant = spec == CONNECT_FOUR if constant is None else constant
        self._geometry = ConstantGeometry(spec) if is_constant else make_geometry(spec)
        self._table = np.zeros(2 * ((1 << _DEEP_BITS) + (1 << self._shallow_bits)), np.uint64)

    def open_worker(self) -> SearchWorker:
        effort, stop = new_record(FastEffort), np.zeros(1, np.uint8)
        effort.deep_bits, effort.shallow_bits = np.uint64(_DEEP_BITS), np.uint64(self._shallow_bits)
        effort.deep_ply = self._deep_ply
        context = self._geometry, effort, self._table

        def find_bound(position: Position, beta: int) -> int:
            settled, bound, again = prepare(np.uint64(position.stones), np.uint64(position.mask), beta, *context)
            if not settled:
                bound = search(0, beta if again else 1 - beta, 1, *context, stop)
            return bound if again else -bound

        return SearchWorker(find_bound, effort, stop, _QUICK_NODES)

    def clear(self) -> None:
        """Clears the table."""
        self._table.fill(0)


# --- All boards ---

_SLOT_BYTES = 10
_QUICK_MOVES = 40_000  # moves that a short search may examine; every node examines all actions


class PlainEngine:
    """An engine with a table of at most `memory` bytes, for one worker: another could read half-written entries."""

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
            effort=new_record(Effort),
            stop=np.zeros(1, np.uint8),
        )

    def open_worker(self) -> SearchWorker:
        layout, state = self._layout, self._search
        state.effort.nodes = 0

        def find_bound(position: Position, beta: int) -> int:
            return search_plain(layout, *bits_of(position, layout), position.ply, beta, 0, state)

        return SearchWorker(find_bound, state.effort, state.stop, self._quick_nodes)

    def clear(self) -> None:
        """Clears the table."""
        self._search.bounds.fill(0)
