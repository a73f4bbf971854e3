"""Games of the network against itself on one board: the shell around `selfplay_kernel.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inarow.games.kernels import compiled_layout
from inarow.games.notation import format_moves
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.alphazero.cache import forget, make_cache
from inarow.learning.alphazero.config import SelfPlayConfig
from inarow.learning.alphazero.evaluator import Evaluate
from inarow.learning.alphazero.forest import make_forest, make_searches
from inarow.learning.alphazero.planes import PLANES
from inarow.learning.alphazero.search_config import SearchConfig, search_rules
from inarow.learning.alphazero.selection import halving_plan
from inarow.learning.alphazero.selfplay_kernel import play_on
from inarow.learning.alphazero.selfplay_memory import (
    EVALUATIONS,
    EXAMPLES,
    GAMES_DONE,
    HABITS,
    MOVES,
    SIMULATIONS,
    TO_BEGIN,
    make_harvest,
    make_play,
)
from inarow.learning.games_file import PlayedGame

_STEPS = 16
"""Questions to the network that make a `Yield`, when games are played to their end."""
_SPARE_SLOTS = 8
"""For each simulation beyond a block of children: nodes of forced moves."""
_NO_ANSWERS = np.zeros((0, 0, 0), np.float32), np.zeros(0, np.float32)
_COPIED = (
    "quick_simulations",
    "quick_share",
    "random_starts",
    "early_stop",
    "drawn_plies",
    "dirichlet",
    "search_weight",
)


@dataclass(frozen=True, slots=True)
class Examples:
    """Positions of one board and what to learn about them, for the side to move."""

    stones: np.ndarray  # [n, words] uint64
    mask: np.ndarray  # [n, words] uint64
    policies: np.ndarray  # [n, actions] float32, sum to 1; all 0 where every move loses
    values: np.ndarray  # [n] float32 in [-1, 1]

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class Yield:
    """What some steps of play brought in."""

    spec: GameSpec
    examples: Examples
    games: tuple[PlayedGame, ...]
    simulations: int
    evaluations: int
    moves: int


class SelfPlay:
    """Games under way on one board. All memory is allocated here; `bytes` says how much."""

    def __init__(
        self,
        spec: GameSpec,
        evaluate: Evaluate,
        config: SelfPlayConfig,
        search: SearchConfig,
        rng: np.random.Generator,
        *,
        cache_memory: int,
    ) -> None:
        self.spec = spec
        self._evaluate = evaluate
        self._rng = rng
        self._layout = compiled_layout(spec)
        self._rules: Any = search_rules(search, noise=config.noise)
        self._habits: Any = np.zeros(1, HABITS).view(np.recarray)
        for name in _COPIED:
            setattr(self._habits[0], name, getattr(config, name))
        self._habits[0].random_plies = min(config.random_plies, spec.cells // 2)
        self._slots = 1 + (max(config.simulations, config.quick_simulations) + 1) * (spec.actions + _SPARE_SLOTS)
        self._forest = make_forest(config.games, self._slots)
        self._searches = make_searches(config.games, self._layout)
        self._cache = make_cache(cache_memory, spec.actions)
        self._play = make_play(config.games, self._layout)
        self._harvest = make_harvest(config.games, self._layout)
        self._planes = np.zeros((config.games, PLANES, spec.rows, spec.columns), np.float32)
        self._waiting = np.zeros(config.games, np.int64)
        self._asked = 0
        self.set_simulations(config.first_simulations, search.considered)

    @property
    def bytes(self) -> int:
        """Of trees, games, cache and buffers."""
        parts = (*self._forest, *self._searches, *self._cache, *self._play, *self._harvest, self._planes)
        return sum(array.nbytes for array in parts)

    def use(self, evaluate: Evaluate) -> None:
        """Plays on with another network."""
        self._evaluate = evaluate
        forget(self._cache)

    def set_simulations(self, simulations: int, considered: int) -> None:
        """For moves from now on; never fewer than before, since searches under way follow the plan, too."""
        self._habits[0].simulations = simulations
        self._plan = halving_plan(considered, simulations)

    def play(self, steps: int) -> Yield:
        """Asks the network `steps` times about all games."""
        harvest, counts = self._harvest, self._harvest.counts
        counts[SIMULATIONS] = counts[EVALUATIONS] = counts[MOVES] = 0
        examples: list[Examples] = []
        games: list[PlayedGame] = []
        for _ in range(steps):
            logits, values = self._evaluate(self._planes[: self._asked]) if self._asked else _NO_ANSWERS
            self._asked = play_on(
                self._layout,
                self._forest,
                self._searches,
                self._cache,
                self._play,
                harvest,
                self._rules[0],
                self._habits[0],
                self._plan,
                self._rng,
                self._planes,
                self._waiting,
                self._asked,
                logits,
                values,
                self._slots,
            )
            if counts[GAMES_DONE]:
                games += [self._game(number) for number in range(counts[GAMES_DONE])]
                arrays = (harvest.stones, harvest.mask, harvest.policies, harvest.values)
                examples.append(Examples(*(array[: counts[EXAMPLES]].copy() for array in arrays)))
        return Yield(
            self.spec,
            self._joined(examples),
            tuple(games),
            int(counts[SIMULATIONS]),
            int(counts[EVALUATIONS]),
            int(counts[MOVES]),
        )

    def play_out(self, games: int) -> tuple[Yield, ...]:
        """Plays so many games to their end, and begins no other. For games that follow from the random stream alone:
        with fresh memory, and the same network all the time.
        """
        counts = self._harvest.counts
        counts[TO_BEGIN] = games
        yields = []
        while counts[TO_BEGIN] or self._asked:
            yields.append(self.play(_STEPS))
        return tuple(yields)

    def _joined(self, parts: list[Examples]) -> Examples:
        harvest = self._harvest
        empty = Examples(harvest.stones[:0], harvest.mask[:0], harvest.policies[:0], harvest.values[:0])
        parts = parts or [empty]
        return Examples(
            np.concatenate([part.stones for part in parts]),
            np.concatenate([part.mask for part in parts]),
            np.concatenate([part.policies for part in parts]),
            np.concatenate([part.values for part in parts]),
        )

    def _game(self, number: int) -> PlayedGame:
        harvest, start = self._harvest, Position.start(self.spec)
        actions = [start.action_of(int(cell)) for cell in harvest.cells[number, : harvest.plies[number]]]
        return PlayedGame(
            board=str(self.spec),
            opening=int(harvest.opening[number]),
            result=int(harvest.results[number]),
            moves=format_moves(actions, self.spec),
        )
