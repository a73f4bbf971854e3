"""What `inarow bench` measures: our work, and the same work by a peer in the same run.

Absolute times depend on the machine and the minute; the ratio to the peer is what to keep.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from inarow.errors import InvalidLimitError, shown
from inarow.games.perft import count_sequences
from inarow.games.playout import random_playouts
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.interfaces.bench.peers import Peer, c_perft, openspiel_playouts

Work = Callable[[], int]
"""Does a fixed amount of work and returns how many units that was."""

_ROUNDS = 3
_SECONDS = 1.0
_PERFT_DEPTH = 9


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One figure, as the JSON of `inarow bench` gives it."""

    name: str
    board: str
    value: float
    unit: str
    peer: str | None = None
    peer_value: float | None = None
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class _Benchmark:
    name: str
    board: str
    unit: str
    ours: Callable[[Position], Work]
    peer: Callable[[Position], Peer | None]


def _playouts(start: Position) -> Work:
    rng = np.random.default_rng(0)

    def work(games: int = 50_000) -> int:
        random_playouts(start, games, rng)
        return games

    return work


def _perft(start: Position) -> Work:
    return lambda: count_sequences(start, _PERFT_DEPTH)[-1]


_BENCHMARKS = (
    _Benchmark("playouts", "6x7x4", "playouts/s", _playouts, openspiel_playouts),
    _Benchmark("playouts", "12x12x5", "playouts/s", _playouts, openspiel_playouts),
    _Benchmark("perft", "6x7x4", "nodes/s", _perft, lambda start: c_perft(start, _PERFT_DEPTH)),
)
NAMES = tuple(dict.fromkeys(benchmark.name for benchmark in _BENCHMARKS))


def run_benchmarks(*, peers: bool, only: str | None = None) -> Iterator[BenchRow]:
    """The rows, one by one; `only` keeps those of one name."""
    if only is not None and only not in NAMES:
        raise InvalidLimitError(f"there is no benchmark {shown(only)}; benchmarks are {', '.join(NAMES)}")
    return (_measured(benchmark, peers) for benchmark in _BENCHMARKS if only in (None, benchmark.name))


def _measured(benchmark: _Benchmark, peers: bool) -> BenchRow:
    start = Position.start(GameSpec.parse(benchmark.board))
    ours = benchmark.ours(start)
    peer = benchmark.peer(start) if peers else None
    ours()  # compiles
    rates = [(_rate(ours), _rate(peer.work) if peer is not None else None) for _ in range(_ROUNDS)]  # in turn
    value = float(np.median([rate for rate, _ in rates]))
    row = BenchRow(benchmark.name, benchmark.board, value, benchmark.unit)
    if peer is None:
        return row
    peer_value = float(np.median([rate for _, rate in rates if rate is not None]))
    return BenchRow(row.name, row.board, value, row.unit, peer.name, peer_value, value / peer_value)


def _rate(work: Work) -> float:
    """Units per second of wall clock, over about a second."""
    units, clock = 0, time.perf_counter()
    while (spent := time.perf_counter() - clock) < _SECONDS or not units:
        units += work()
    return units / spent
