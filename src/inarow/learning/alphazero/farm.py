"""Self-play on a cluster: batches of whole games, each a pure function of its task.

A node may die at any moment. Games that go on from task to task would die with it; a batch is played again and
brings the same games. Batches are numbered, handed out in turn and taken in in their order, so that which net plays
which games does not depend on how fast anybody is: a run follows from its config alone.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass

import numpy as np
from msgspec import structs

from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.evaluator import Evaluate, net_evaluator
from inarow.learning.alphazero.players import StretchResult
from inarow.learning.alphazero.selfplay import SelfPlay
from inarow.learning.net_file import Net
from inarow.workers import Shared, WorkerProcesses

_IN_ADVANCE = 2
"""Batches of each worker_process: one to play and one to go on with."""
_BATCHES_KEY = 4
"""Of their random streams, below the seed of the run."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A task: so many games to their end with one net."""

    config: AlphaZeroConfig
    net: Shared[bytes]
    start: int
    """How often the run was started; with its number it makes the random stream of the batch."""
    number: int
    simulations: int
    games: int


_nets: list[tuple[Shared[bytes], Evaluate]] = []
"""Where batches are played: the last net, ready to be asked."""


def play_batch(task: Batch) -> StretchResult:
    """Works on a task."""
    begin = time.process_time()
    config = task.config
    rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(_BATCHES_KEY, task.start, task.number)))
    board = SelfPlay(
        config.specs[int(rng.integers(len(config.specs)))],
        _evaluator(task.net),
        structs.replace(config.selfplay, games=min(config.selfplay.games, task.games)),
        config.search,
        rng,
        cache_memory=config.selfplay.cache << 20,
    )
    board.set_simulations(task.simulations, config.search.considered)
    return StretchResult(board.play_out(task.games), time.process_time() - begin, board.bytes)


def _evaluator(net: Shared[bytes]) -> Evaluate:
    if not _nets or _nets[0][0] != net:
        _nets[:] = [(net, net_evaluator(Net(net.value, "the net")))]
    return _nets[0][1]


class Farm:
    """WorkerProcesses that play for a run. What is handed out, and not yet taken in, is about one iteration."""

    def __init__(self, worker_processes: WorkerProcesses, config: AlphaZeroConfig, start: int) -> None:
        self._companions, self._config, self._start = worker_processes, config, start
        self._in_advance = _IN_ADVANCE * len(worker_processes)
        self._games = max(1, min(config.selfplay.games, config.iteration_games // self._in_advance))
        self._given = self._taken = 0
        self._found: tuple[deque[StretchResult], ...] = tuple(deque() for _ in worker_processes)
        """Of each worker_process, what came and is not yet its turn."""
        self._net: tuple[bytes, Shared[bytes]] | None = None

    def give(self, net: bytes, simulations: int) -> None:
        """Hands out what may be handed out, to be played with the content of this net file."""
        if self._given == self._taken + self._in_advance:
            return
        if self._net is None or self._net[0] is not net:
            self._net = net, self._companions.share(net)
        while self._given < self._taken + self._in_advance:
            task = Batch(self._config, self._net[1], self._start, self._given, simulations, self._games)
            self._companions[self._given % len(self._companions)].give(play_batch, task)
            self._given += 1

    def take(self, seconds: float) -> StretchResult | None:
        """The next batch, if it is there or comes within so many seconds."""
        turn = self._taken % len(self._companions)
        if not self._found[turn]:
            self._found[turn].extend(self._companions[turn].take(seconds))
        if not self._found[turn]:
            return None
        self._taken += 1
        return self._found[turn].popleft()
