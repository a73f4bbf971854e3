"""What `inarow bench` measures: our work, and the same work by a peer in the same run.

Absolute times depend on the machine and the minute; the ratio to the peer is what to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from inarow.cli.benchmarks.learning import plain_q_episodes, q_episodes
from inarow.cli.benchmarks.network import evaluations, games, simulations
from inarow.cli.benchmarks.peers import (
    Peer,
    Work,
    bitbully_analyses,
    c_perft,
    openspiel_mcts,
    openspiel_minimax,
    openspiel_playouts,
    rate,
)
from inarow.cli.benchmarks.selections import aer_selections, selections
from inarow.cli.benchmarks.stored_games import stored_games
from inarow.errors import InvalidLimitError, shown
from inarow.games.perft import count_sequences
from inarow.games.playout import random_playouts
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import Minimax
from inarow.search.solver.solver import Solver
from inarow.search.tree.mcts import TreeSearch
from inarow.workers import Progress

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


def _no_peer(start: Position) -> Peer | None:
    return None


def _perft(start: Position) -> Work:
    return lambda: count_sequences(start, _PERFT_DEPTH)[-1]


def _sample(start: Position, plies: range, count: int) -> list[Position]:
    """Unfinished positions of random games in which nobody overlooks a win, always the same."""
    rng = np.random.default_rng(1)
    sample: list[Position] = []
    while len(sample) < count:
        position = start
        length = plies[int(rng.random() * len(plies))]
        while position.ply < length and not position.is_over and not position.winning_actions():
            legal = position.legal_actions
            position = position.play(legal[int(rng.random() * len(legal))])
        if position.ply == length and not position.is_over:
            sample.append(position)
    return sample


def _analyses(start: Position, plies: range, count: int) -> Work:
    sample = _sample(start, plies, count)
    solver = Solver(start.spec, memory=_SOLVER_MEMORY)

    def work() -> int:
        solver.clear()
        for position in sample:
            solver.analyse(position)
        return count

    return work


def _simulations(start: Position) -> Work:
    def work() -> int:
        TreeSearch(start.spec, np.random.default_rng(1), solve=False).search(start, simulations=_SIMULATIONS)
        return _SIMULATIONS

    return work


def _searches_to_the_end(start: Position) -> Work:
    search = Minimax(start.spec, make_heuristic("windows", start.spec), order=np.arange(start.spec.actions))

    def work() -> int:
        search.search(start, None)
        return 1

    return work


def _minimax_nodes(start: Position, depth: int | None) -> Work:
    search = Minimax(start.spec, make_heuristic("windows", start.spec), prune=False)
    return lambda: search.search(start, depth).nodes


_SIMULATIONS = 10_000
_SOLVER_MEMORY = 64 << 20
_MIDGAME, _OPENING = range(12, 25), range(8, 15)

_BENCHMARKS = (
    _Benchmark("playouts", "6x7x4", "playouts/s", _playouts, lambda start: openspiel_playouts(start, _SECONDS)),
    _Benchmark("playouts", "12x12x5", "playouts/s", _playouts, lambda start: openspiel_playouts(start, _SECONDS)),
    _Benchmark("perft", "6x7x4", "nodes/s", _perft, lambda start: c_perft(start, _PERFT_DEPTH, _SECONDS)),
    *(
        _Benchmark(
            "mcts",
            board,
            "simulations/s",
            _simulations,
            lambda start: openspiel_mcts(start, _SIMULATIONS, _SECONDS),
        )
        for board in ("6x7x4", "12x12x5")
    ),
    _Benchmark(
        "minimax",
        "tictactoe",
        "searches/s, alpha-beta to the end",
        _searches_to_the_end,
        lambda start: openspiel_minimax(_SECONDS),
    ),
    _Benchmark("minimax", "tictactoe", "nodes/s, to the end", lambda start: _minimax_nodes(start, None), _no_peer),
    _Benchmark("minimax", "6x7x4", "nodes/s, 6 plies", lambda start: _minimax_nodes(start, 6), _no_peer),
    _Benchmark("minimax", "12x12x5", "nodes/s, 4 plies", lambda start: _minimax_nodes(start, 4), _no_peer),
    _Benchmark(
        "solve",
        "6x7x4",
        "analyses/s, 12-24 stones",
        lambda start: _analyses(start, _MIDGAME, 100),
        lambda start: bitbully_analyses(_sample(start, _MIDGAME, 100), _SECONDS),
    ),
    _Benchmark(
        "solve",
        "6x7x4",
        "analyses/s, 8-14 stones",
        lambda start: _analyses(start, _OPENING, 8),
        lambda start: bitbully_analyses(_sample(start, _OPENING, 8), _SECONDS),
    ),
    *(
        _Benchmark(
            "q-episodes", board, "episodes/s, against winblock", q_episodes, lambda s: plain_q_episodes(s, _SECONDS)
        )
        for board in ("tictactoe", "6x7x4")
    ),
    _Benchmark("selections", "6x7x4", "quantum draws/s", selections, lambda start: aer_selections(start, _SECONDS)),
    _Benchmark("network", "6x7x4", "evaluations/s, batch 128", evaluations, _no_peer),
    _Benchmark("selfplay", "6x7x4", "simulations/s", simulations, _no_peer),
    _Benchmark("selfplay", "6x7x4", "games/s, 32 simulations a move", games, _no_peer),
    _Benchmark("games", "6x7x4", "games/s, random - winblock, stored", stored_games, _no_peer),
)
NAMES = tuple(dict.fromkeys(benchmark.name for benchmark in _BENCHMARKS))


def run_benchmarks(*, peers: bool, only: str | None = None, progress: Progress | None = None) -> Iterator[BenchRow]:
    """The rows, one by one; `only` keeps those of one name."""
    if only is not None and only not in NAMES:
        raise InvalidLimitError(f"there is no benchmark {shown(only)}; benchmarks are {', '.join(NAMES)}")
    chosen = [benchmark for benchmark in _BENCHMARKS if only in (None, benchmark.name)]
    for done, benchmark in enumerate(chosen):
        if progress is not None:
            progress(done, len(chosen))
        yield _measured(benchmark, peers)


def _measured(benchmark: _Benchmark, peers: bool) -> BenchRow:
    start = Position.start(GameSpec.parse(benchmark.board))
    ours = benchmark.ours(start)
    peer = benchmark.peer(start) if peers else None
    ours()  # compiles
    rates = [(rate(ours, _SECONDS), peer.measure() if peer is not None else None) for _ in range(_ROUNDS)]  # in turn
    value = float(np.median([our_rate for our_rate, _ in rates]))
    row = BenchRow(benchmark.name, benchmark.board, value, benchmark.unit)
    if peer is None:
        return row
    peer_value = float(np.median([peer_rate for _, peer_rate in rates if peer_rate is not None]))
    return BenchRow(row.name, row.board, value, row.unit, peer.name, peer_value, value / peer_value)
