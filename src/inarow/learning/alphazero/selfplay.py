"""Games of an AlphaZero run: self-play in the learning process, in local workers and on a cluster, and matches between
two networks. `selfplay_kernel.py` plays the games of one board.

Local workers get the net as a file, which is replaced atomically, and continue their games from task to task. On a
cluster a node may die at any moment and games in progress would be lost; so each task there is a batch of whole games,
a pure function of the task, which can be repeated. Batches are numbered, assigned in turn and collected in order:
which net plays which games does not depend on speed, and the result of a run depends only on its config.
"""

import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import get_type_hints

import numpy as np
from msgspec import structs

from inarow.games import GameSpec, Position
from inarow.games.kernels import board_sizes, compiled_layout, new_arrays
from inarow.games.notation import format_moves
from inarow.learning.alphazero import selfplay_kernel as kernels
from inarow.learning.alphazero.config import AlphaZeroConfig, GateConfig, SelfPlayConfig
from inarow.learning.devices import CPU, Device
from inarow.learning.net_file import Net, net_evaluator, open_net
from inarow.learning.pretrained import ALPHAZERO
from inarow.learning.run_folder import PlayedGame
from inarow.search.tree.config import SearchConfig, search_rules
from inarow.search.tree.evaluation import Evaluate, checked_answers, clear_cache
from inarow.search.tree.memory import array_bytes
from inarow.search.tree.search import NetSearch
from inarow.search.tree.selection import halving_plan
from inarow.search.tree.simulation import make_batch, new_search
from inarow.workers import Shared, WorkerProcesses

_STEPS = 16  # calls of the network per `SelfPlayOutput`, between changes of the board or checks of the clock
_SPARE_SLOTS = 8  # for each simulation, in addition to a block of children: nodes of forced moves
_PLAYERS_KEY, _BATCHES_KEY = 1, 4  # of random streams, below the seed of the run
_IN_ADVANCE = 2  # batches assigned to each worker of a cluster: the current and the next one
_OPENING_PLIES, _OPENING_TRIES = 4, 100  # of a match
_MATCH_MEMORY = 32 << 20


@dataclass(frozen=True, slots=True)
class Examples:
    """Positions of one board with their targets, for the side to move."""

    stones: np.ndarray  # [n, words] uint64
    mask: np.ndarray  # [n, words] uint64
    policies: np.ndarray  # [n, actions] float32, sum to 1; all 0 if every move loses
    values: np.ndarray  # [n] float32 in [-1, 1]

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class SelfPlayOutput:
    """The examples and games of some steps of self-play."""

    spec: GameSpec
    examples: Examples
    games: tuple[PlayedGame, ...]
    simulations: int
    evaluations: int
    moves: int


class SelfPlay:
    """Games in progress on one board. All memory is allocated here; `bytes` is its size."""

    def __init__(
        self,
        spec: GameSpec,
        evaluate: Evaluate,
        config: SelfPlayConfig,
        search: SearchConfig,
        rng: np.random.Generator,
        *,
        cache_memory: int,
        simulations: int = 0,
    ) -> None:
        """`simulations` per move; by default those at the beginning of a run."""
        self.spec, self._evaluate, self._rng, self._considered = spec, evaluate, rng, search.considered
        layout = compiled_layout(spec)
        sizes = {"games": config.games, **board_sizes(layout)}
        slots = 1 + (max(config.simulations, config.quick_simulations) + 1) * (spec.actions + _SPARE_SLOTS)
        kinds = get_type_hints(kernels.SelfPlaySettings)
        settings = kernels.SelfPlaySettings(*(kind(getattr(config, name)) for name, kind in kinds.items()))
        self._play = kernels.SelfPlayState(
            search=new_search(layout, config.games, slots, cache_memory, search_rules(search, noise=config.noise)),
            games=new_arrays(kernels.GamesInProgress, **sizes),
            # Space for all results of a call: every game ends at most once.
            buffers=new_arrays(kernels.SelfPlayBuffers, examples=config.games * spec.cells, counters=6, **sizes),
            settings=settings._replace(random_plies=min(config.random_plies, spec.cells // 2)),
        )
        self._play.buffers.counts[kernels.TO_BEGIN] = kernels.ENDLESS
        self._batch = make_batch(config.games, layout)
        self._no_answers = self._batch.logits, self._batch.values
        self._asked = 0
        self.set_simulations(simulations or config.first_simulations)

    @property
    def bytes(self) -> int:
        """The size of trees, games, cache and buffers."""
        search = self._play.search
        parts = (search.tree, search.state, search.cache, self._play.games, self._play.buffers)
        return array_bytes(*parts) + self._batch.planes.nbytes

    def use(self, evaluate: Evaluate) -> None:
        """Continues with another network."""
        self._evaluate = evaluate
        clear_cache(self._play.search.cache)

    def set_simulations(self, simulations: int) -> None:
        """Sets the simulations of later moves. Must not be fewer than before: searches in progress use the
        plan, too.
        """
        self._play = self._play._replace(
            search=self._play.search._replace(plan=halving_plan(self._considered, simulations)),
            settings=self._play.settings._replace(simulations=simulations),
        )

    def play(self, steps: int) -> SelfPlayOutput:
        """Calls the network `steps` times for all games."""
        buffers, counts = self._play.buffers, self._play.buffers.counts
        totals = [kernels.SIMULATIONS, kernels.EVALUATIONS, kernels.MOVES]
        counts[totals] = 0
        learnt = buffers.stones, buffers.mask, buffers.policies, buffers.values
        parts = [tuple(array[:0] for array in learnt)]
        games: list[PlayedGame] = []
        for _ in range(steps):
            logits, values = self._no_answers
            if self._asked:
                planes = self._batch.planes[: self._asked]
                logits, values = checked_answers(planes, *self._evaluate(planes))
            self._asked = kernels.play_on(self._play, self._batch._replace(logits=logits, values=values), self._rng)
            if counts[kernels.GAMES_DONE]:
                games += [self._game(number) for number in range(counts[kernels.GAMES_DONE])]
                parts.append(tuple(array[: counts[kernels.EXAMPLES]].copy() for array in learnt))
        examples = Examples(*map(np.concatenate, zip(*parts, strict=True)))
        return SelfPlayOutput(self.spec, examples, tuple(games), *counts[totals].tolist())

    def play_out(self, games: int) -> tuple[SelfPlayOutput, ...]:
        """Plays this number of games to their end. In a new object, they depend only on network and random stream."""
        counts = self._play.buffers.counts
        counts[kernels.TO_BEGIN] = games
        outputs = []
        while counts[kernels.TO_BEGIN] or self._asked:
            outputs.append(self.play(_STEPS))
        return tuple(outputs)

    def _game(self, number: int) -> PlayedGame:
        buffers, start = self._play.buffers, Position.start(self.spec)
        actions = [start.action_of(int(cell)) for cell in buffers.cells[number, : buffers.plies[number]]]
        moves = format_moves(actions, self.spec)
        return PlayedGame(str(self.spec), int(buffers.opening[number]), int(buffers.results[number]), moves)


# --- Players ---


class Player:
    """Plays on the boards of a run, the same number of games on each. With equal time, boards with short games would
    get nearly all games: with 4x4 to 9x9 and lines of three to five, boards with lines of three got 93 %.
    """

    def __init__(self, config: AlphaZeroConfig, evaluate: Evaluate, number: int, start: int) -> None:
        """The `number` of the process and the number of starts of the run, `start`, determine its random stream."""
        self._config, self._evaluate = config, evaluate
        self._rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(_PLAYERS_KEY, number, start)))
        self._simulations = config.selfplay.first_simulations
        self._boards: dict[GameSpec, SelfPlay] = {}
        order = self._rng.permutation(len(config.specs)).tolist()
        self._ended = {config.specs[number]: 0 for number in order}  # games by board

    @property
    def bytes(self) -> int:
        """The size of all memory allocated so far; every board used needs its own."""
        return sum(board.bytes for board in self._boards.values())

    def use(self, evaluate: Evaluate) -> None:
        """Continues with another network."""
        self._evaluate = evaluate
        for board in self._boards.values():
            board.use(evaluate)

    def set_simulations(self, simulations: int) -> None:
        """Sets the simulations of later moves. Must not be fewer than before."""
        self._simulations = max(self._simulations, simulations)
        for board in self._boards.values():
            board.set_simulations(self._simulations)

    def play(self, steps: int = _STEPS) -> SelfPlayOutput:
        """Plays some steps on the board with the fewest games so far."""
        spec = min(self._ended, key=self._ended.__getitem__)
        if spec not in self._boards:
            config, rng = self._config, self._rng.spawn(1)[0]
            memory = (config.selfplay.cache << 20) // len(config.specs)
            settings = {"cache_memory": memory, "simulations": self._simulations}
            self._boards[spec] = SelfPlay(spec, self._evaluate, config.selfplay, config.search, rng, **settings)
        output = self._boards[spec].play(steps)
        self._ended[spec] += len(output.games)
        return output


@dataclass(frozen=True, slots=True)
class PlaySlice:
    """A task of a local worker: continue its games for some time with the net in a file."""

    config: AlphaZeroConfig
    net: Path
    number: int
    start: int
    simulations: int
    seconds: float
    device: Device = CPU


@dataclass(frozen=True, slots=True)
class PlaySliceResult:
    """The result of a task."""

    outputs: tuple[SelfPlayOutput, ...]
    core_seconds: float
    bytes: int  # of all memory of its games


_players: dict[int, tuple[Player, Net]] = {}  # in a local worker: its player and net, kept between tasks


def play_slice(task: PlaySlice) -> PlaySliceResult:
    """Continues the games of the previous task."""
    net = open_net(task.net, ALPHAZERO, task.device)
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
    """A task of a cluster: play some games to their end with one net."""

    config: AlphaZeroConfig
    net: Shared[bytes]
    start: int  # number of starts of the run; together with `number` it determines the random stream of the batch
    number: int
    simulations: int
    games: int
    device: Device = CPU


_nets: list[tuple[Shared[bytes], Evaluate]] = []  # in a worker of a cluster: the last net, loaded


def play_batch(task: GameBatch) -> PlaySliceResult:
    """Plays a batch; the games depend only on the task."""
    begin, config = time.process_time(), task.config
    if not _nets or _nets[0][0] != task.net:
        _nets[:] = [(task.net, net_evaluator(Net(task.net.value, "the net", task.device)))]
    rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(_BATCHES_KEY, task.start, task.number)))
    board = SelfPlay(
        config.specs[int(rng.integers(len(config.specs)))],
        _nets[0][1],
        structs.replace(config.selfplay, games=min(config.selfplay.games, task.games)),
        config.search,
        rng,
        cache_memory=config.selfplay.cache << 20,
        simulations=task.simulations,
    )
    return PlaySliceResult(board.play_out(task.games), time.process_time() - begin, board.bytes)


class ClusterSelfPlay:
    """Self-play by worker processes of a cluster. Batches assigned but not yet collected amount to about one
    iteration.
    """

    def __init__(self, workers: WorkerProcesses, config: AlphaZeroConfig, start: int, device: Device = CPU) -> None:
        self._workers, self._config, self._start, self._device = workers, config, start, device
        self._in_advance = _IN_ADVANCE * len(workers)
        self._games = max(1, min(config.selfplay.games, config.iteration_games // self._in_advance))
        self._given = self._taken = 0
        # By worker: results that must wait for those of earlier batches.
        self._results: tuple[deque[PlaySliceResult], ...] = tuple(deque() for _ in workers)
        self._net: tuple[bytes, Shared[bytes]] | None = None

    def give(self, net: bytes, simulations: int) -> None:
        """Assigns all batches that may be assigned now, with this net (the content of its file)."""
        if self._given == self._taken + self._in_advance:
            return
        if self._net is None or self._net[0] is not net:
            self._net = net, self._workers.share(net)
        while self._given < self._taken + self._in_advance:
            batch = self._config, self._net[1], self._start, self._given, simulations, self._games
            task = GameBatch(*batch, self._device)
            self._workers[self._given % len(self._workers)].give(play_batch, task)
            self._given += 1

    def take(self, seconds: float) -> PlaySliceResult | None:
        """The result of the next batch in order, or None if it does not arrive within `seconds`."""
        turn = self._taken % len(self._workers)
        if not self._results[turn]:
            self._results[turn].extend(self._workers[turn].take(seconds))
        if not self._results[turn]:
            return None
        self._taken += 1
        return self._results[turn].popleft()


# --- Matches between two networks ---


def play_match(
    spec: GameSpec, nets: tuple[Evaluate, Evaluate], gate: GateConfig, search: SearchConfig, rng: np.random.Generator
) -> tuple[int, int]:
    """(Wins, losses) of the first net in games from random openings, each opening played with both sides."""
    players = [NetSearch(spec, each, search, games=gate.games, memory=_MATCH_MEMORY) for each in nets]
    openings = [_opening(spec, rng) for _ in range(-(-gate.games // 2))]
    positions = [openings[game // 2] for game in range(gate.games)]
    while any(not position.is_over for position in positions):
        for number, player in enumerate(players):
            turn = [game for game, at in enumerate(positions) if not at.is_over and (at.ply + game) % 2 == number]
            found = player.search_many([positions[game] for game in turn], gate.simulations)
            for game, result in zip(turn, found, strict=True):
                positions[game] = positions[game].play(result.action)
    wins = sum(position.winner == 1 + game % 2 for game, position in enumerate(positions))
    losses = sum(position.winner == 2 - game % 2 for game, position in enumerate(positions))
    return wins, losses


def _opening(spec: GameSpec, rng: np.random.Generator) -> Position:
    """A position after a few random moves in which no move wins at once; the empty board if none is found."""
    for _ in range(_OPENING_TRIES):
        position = Position.start(spec)
        for _ in range(min(_OPENING_PLIES, spec.cells // 4)):
            if not position.is_over:
                position = position.play(rng.choice(position.legal_actions))
        if not position.is_over and not position.winning_actions():
            return position
    return Position.start(spec)
