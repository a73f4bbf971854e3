"""Self-play in processes: by the learning process itself, by local workers, and by a cluster.

Local workers get the net as a file, replaced as a whole, and continue their games from task to task. On a cluster a
node may die at any moment, and games that continue would die with it; so each task there is a batch of whole games,
a pure function of the task, which can be played again. Batches are numbered, assigned in turn and collected in order:
which net plays which games does not depend on speed, and a run follows from its config alone.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec import structs

from inarow.games.spec import GameSpec
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.evaluator import net_evaluator
from inarow.learning.alphazero.selfplay import SelfPlay, SelfPlayOutput
from inarow.learning.net_file import Net, load_net
from inarow.learning.pretrained import ALPHAZERO
from inarow.search.tree.evaluation import Evaluate
from inarow.workers import Shared, WorkerProcesses

_STEPS = 16  # questions to the network between two boards, or two looks at the clock
_PLAYERS_KEY, _BATCHES_KEY = 1, 4  # of random streams, below the seed of the run
_IN_ADVANCE = 2  # batches assigned to each worker of a cluster: one to play and the next


class Player:
    """Plays on the boards of a run, the same number of games on each. Equal time would give nearly all games to
    boards on which games are short: of 4x4 to 9x9 with lines of three to five those of three had 93 %.
    """

    def __init__(self, config: AlphaZeroConfig, evaluate: Evaluate, number: int, start: int) -> None:
        """The `number` of the process and the number of starts of the run determine its random stream."""
        self._config = config
        self._rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(_PLAYERS_KEY, number, start)))
        self._evaluate = evaluate
        self._simulations = config.selfplay.first_simulations
        self._boards: dict[GameSpec, SelfPlay] = {}
        order = self._rng.permutation(len(config.specs)).tolist()
        self._ended = {config.specs[number]: 0 for number in order}  # games by board

    @property
    def bytes(self) -> int:
        """Of what was allocated so far; every board that is played on needs its share."""
        return sum(board.bytes for board in self._boards.values())

    def use(self, evaluate: Evaluate) -> None:
        """Continues with another network."""
        self._evaluate = evaluate
        for board in self._boards.values():
            board.use(evaluate)

    def set_simulations(self, simulations: int) -> None:
        """For moves from now on; never fewer than before."""
        self._simulations = max(self._simulations, simulations)
        for board in self._boards.values():
            board.set_simulations(self._simulations, self._config.search.considered)

    def play(self, steps: int = _STEPS) -> SelfPlayOutput:
        """Plays some steps on the board with the fewest games so far."""
        spec = min(self._ended, key=self._ended.__getitem__)
        if spec not in self._boards:
            self._boards[spec] = self._make(spec)
        output = self._boards[spec].play(steps)
        self._ended[spec] += len(output.games)
        return output

    def _make(self, spec: GameSpec) -> SelfPlay:
        config = self._config
        memory = (config.selfplay.cache << 20) // len(config.specs)
        board = SelfPlay(
            spec, self._evaluate, config.selfplay, config.search, self._rng.spawn(1)[0], cache_memory=memory
        )
        board.set_simulations(self._simulations, config.search.considered)
        return board


# --- Local workers ---


@dataclass(frozen=True, slots=True)
class PlaySlice:
    """A task for a local worker: continue its games for some time with the net in a file."""

    config: AlphaZeroConfig
    net: Path
    number: int
    start: int
    simulations: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PlaySliceResult:
    """What a worker has played."""

    outputs: tuple[SelfPlayOutput, ...]
    core_seconds: float
    bytes: int  # of all memory of its games


_players: dict[int, tuple[Player, Net]] = {}
"""In a local worker: its player and the net that it uses, kept between tasks."""


def play_slice(task: PlaySlice) -> PlaySliceResult:
    """Continues the games of the task before."""
    net = load_net(task.net, ALPHAZERO)
    player, net_before = _players.get(task.start, (None, None))
    if player is None:
        player = Player(task.config, net_evaluator(net), task.number, task.start)
    elif net is not net_before:
        player.use(net_evaluator(net))
    _players[task.start] = player, net
    player.set_simulations(task.simulations)
    begin, end = time.process_time(), time.monotonic() + task.seconds
    outputs = [player.play()]
    while time.monotonic() < end:
        outputs.append(player.play())
    return PlaySliceResult(tuple(outputs), time.process_time() - begin, player.bytes)


# --- A cluster ---


@dataclass(frozen=True, slots=True)
class GameBatch:
    """A task for a cluster: play some games to their end with one net."""

    config: AlphaZeroConfig
    net: Shared[bytes]
    start: int  # number of starts of the run; together with `number` it determines the random stream of the batch
    number: int
    simulations: int
    games: int


_nets: list[tuple[Shared[bytes], Evaluate]] = []  # in a worker of a cluster: the last net, loaded


def play_batch(task: GameBatch) -> PlaySliceResult:
    """Plays a batch; the games follow from the task alone."""
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
    return PlaySliceResult(board.play_out(task.games), time.process_time() - begin, board.bytes)


def _evaluator(net: Shared[bytes]) -> Evaluate:
    if not _nets or _nets[0][0] != net:
        _nets[:] = [(net, net_evaluator(Net(net.value, "the net")))]
    return _nets[0][1]


class ClusterSelfPlay:
    """Worker processes that play for a run. The batches assigned and not yet collected are about one iteration."""

    def __init__(self, workers: WorkerProcesses, config: AlphaZeroConfig, start: int) -> None:
        self._workers, self._config, self._start = workers, config, start
        self._in_advance = _IN_ADVANCE * len(workers)
        self._games = max(1, min(config.selfplay.games, config.iteration_games // self._in_advance))
        self._given = self._taken = 0
        self._results: tuple[deque[PlaySliceResult], ...] = tuple(deque() for _ in workers)
        """By worker: results whose turn has not come."""
        self._net: tuple[bytes, Shared[bytes]] | None = None

    def give(self, net: bytes, simulations: int) -> None:
        """Assigns all batches that may be assigned now, to be played with the content of this net file."""
        if self._given == self._taken + self._in_advance:
            return
        if self._net is None or self._net[0] is not net:
            self._net = net, self._workers.share(net)
        while self._given < self._taken + self._in_advance:
            task = GameBatch(self._config, self._net[1], self._start, self._given, simulations, self._games)
            self._workers[self._given % len(self._workers)].give(play_batch, task)
            self._given += 1

    def take(self, seconds: float) -> PlaySliceResult | None:
        """The next batch in order, or None if it does not arrive within this time."""
        turn = self._taken % len(self._workers)
        if not self._results[turn]:
            self._results[turn].extend(self._workers[turn].take(seconds))
        if not self._results[turn]:
            return None
        self._taken += 1
        return self._results[turn].popleft()
