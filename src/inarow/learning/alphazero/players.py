"""Self-play in processes: what the learning process does itself, and gives its worker_processes to do.

A net goes to them as a file, replaced whole; they look at it before every stretch of play.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inarow.games.spec import GameSpec
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.evaluator import KIND, Evaluate, net_evaluator
from inarow.learning.alphazero.selfplay import SelfPlay, Yield
from inarow.learning.net_file import Net, load_net

_STEPS = 16
"""Questions to the network between two boards, or two looks at the clock."""
_PLAYERS_KEY = 1
"""Of their random streams, below the seed of the run."""


class Player:
    """Plays on the boards of a run, as many games on each. Equal time would let boards on which games are short have
    nearly all of them: of 4x4 to 9x9 with lines of three to five those of three had 93 %.
    """

    def __init__(self, config: AlphaZeroConfig, evaluate: Evaluate, number: int, start: int) -> None:
        """The `number` of the process and how often the run was started make its random stream."""
        self._config = config
        self._rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(_PLAYERS_KEY, number, start)))
        self._evaluate = evaluate
        self._simulations = config.selfplay.first_simulations
        self._boards: dict[GameSpec, SelfPlay] = {}
        order = self._rng.permutation(len(config.specs)).tolist()
        self._ended = {config.specs[number]: 0 for number in order}
        """Games by board."""

    @property
    def bytes(self) -> int:
        """Of what was allocated so far; every board that is played on needs its share."""
        return sum(board.bytes for board in self._boards.values())

    def use(self, evaluate: Evaluate) -> None:
        """Plays on with another network."""
        self._evaluate = evaluate
        for board in self._boards.values():
            board.use(evaluate)

    def set_simulations(self, simulations: int) -> None:
        """For moves from now on; never fewer than before."""
        self._simulations = max(self._simulations, simulations)
        for board in self._boards.values():
            board.set_simulations(self._simulations, self._config.search.considered)

    def play(self, steps: int = _STEPS) -> Yield:
        """Some steps on the board with the fewest games so far."""
        spec = min(self._ended, key=self._ended.__getitem__)
        if spec not in self._boards:
            self._boards[spec] = self._make(spec)
        found = self._boards[spec].play(steps)
        self._ended[spec] += len(found.games)
        return found

    def _make(self, spec: GameSpec) -> SelfPlay:
        config = self._config
        memory = (config.selfplay.cache << 20) // len(config.specs)
        board = SelfPlay(
            spec, self._evaluate, config.selfplay, config.search, self._rng.spawn(1)[0], cache_memory=memory
        )
        board.set_simulations(self._simulations, config.search.considered)
        return board


@dataclass(frozen=True, slots=True)
class Stretch:
    """A task for a worker_process: play so long with the net in a file."""

    config: AlphaZeroConfig
    net: Path
    number: int
    start: int
    simulations: int
    seconds: float


@dataclass(frozen=True, slots=True)
class StretchResult:
    """What a worker_process brings in."""

    yields: tuple[Yield, ...]
    core_seconds: float
    bytes: int
    """Of all memory of its games."""


_players: dict[int, tuple[Player, Net]] = {}
"""In a worker_process: its player and the net that it uses, kept between tasks."""


def play_stretch(task: Stretch) -> StretchResult:
    """Works on a task: goes on with the games of the task before."""
    net = load_net(task.net, KIND)
    player, net_before = _players.get(task.start, (None, None))
    if player is None:
        player = Player(task.config, net_evaluator(net), task.number, task.start)
    elif net is not net_before:
        player.use(net_evaluator(net))
    _players[task.start] = player, net
    player.set_simulations(task.simulations)
    begin, end = time.process_time(), time.monotonic() + task.seconds
    yields = [player.play()]
    while time.monotonic() < end:
        yields.append(player.play())
    return StretchResult(tuple(yields), time.process_time() - begin, player.bytes)
