"""Games of the network against itself on one board: the shell around `selfplay_kernel.py`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inarow.games.kernels import compiled_layout
from inarow.games.notation import format_moves
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.alphazero.config import SelfPlayConfig
from inarow.learning.alphazero.selfplay_kernel import (
    EVALUATIONS,
    EXAMPLES,
    GAMES_DONE,
    MOVES,
    SIMULATIONS,
    TO_BEGIN,
    SelfPlaySettings,
    SelfPlayState,
    make_buffers,
    make_games,
    play_on,
)
from inarow.learning.games_file import PlayedGame
from inarow.search.tree.config import SearchConfig, search_rules
from inarow.search.tree.evaluation import Evaluate, checked_answers, clear_cache, make_cache
from inarow.search.tree.memory import array_bytes, make_network_trees, make_search_state
from inarow.search.tree.selection import halving_plan
from inarow.search.tree.simulation import SearchContext, make_batch

_STEPS = 16  # questions to the network that make a `SelfPlayOutput`, when games are played to their end
_SPARE_SLOTS = 8  # for each simulation beyond a block of children: nodes of forced moves


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
class SelfPlayOutput:
    """What some steps of self-play produced."""

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
    ) -> None:
        self.spec = spec
        self._evaluate = evaluate
        self._rng = rng
        layout = compiled_layout(spec)
        slots = 1 + (max(config.simulations, config.quick_simulations) + 1) * (spec.actions + _SPARE_SLOTS)
        self._play = SelfPlayState(
            search=SearchContext(
                layout=layout,
                tree=make_network_trees(config.games, slots),
                state=make_search_state(config.games, layout),
                cache=make_cache(cache_memory, spec.actions),
                rules=search_rules(search, noise=config.noise),
                plan=np.zeros((0, 0), np.int32),
            ),
            games=make_games(config.games, layout),
            buffers=make_buffers(config.games, layout),
            settings=_settings(config, spec),
        )
        self._batch = make_batch(config.games, layout)
        self._no_answers = self._batch.logits, self._batch.values
        self._asked = 0
        self.set_simulations(config.first_simulations, search.considered)

    @property
    def bytes(self) -> int:
        """Of trees, games, cache and buffers."""
        search = self._play.search
        parts = (search.tree, search.state, search.cache, self._play.games, self._play.buffers)
        return array_bytes(*parts) + self._batch.planes.nbytes

    def use(self, evaluate: Evaluate) -> None:
        """Continues with another network."""
        self._evaluate = evaluate
        clear_cache(self._play.search.cache)

    def set_simulations(self, simulations: int, considered: int) -> None:
        """For moves from now on; must not be fewer than before, since searches in progress follow the plan, too."""
        self._play = self._play._replace(
            search=self._play.search._replace(plan=halving_plan(considered, simulations)),
            settings=self._play.settings._replace(simulations=simulations),
        )

    def play(self, steps: int) -> SelfPlayOutput:
        """Asks the network `steps` times about all games."""
        buffers, counts = self._play.buffers, self._play.buffers.counts
        counts[SIMULATIONS] = counts[EVALUATIONS] = counts[MOVES] = 0
        learnt = buffers.stones, buffers.mask, buffers.policies, buffers.values
        parts = [tuple(array[:0] for array in learnt)]
        games: list[PlayedGame] = []
        for _ in range(steps):
            logits, values = self._no_answers
            if self._asked:
                logits, values = checked_answers(self._evaluate, self._batch.planes[: self._asked])
            self._asked = play_on(self._play, self._batch._replace(logits=logits, values=values), self._rng)
            if counts[GAMES_DONE]:
                games += [self._game(number) for number in range(counts[GAMES_DONE])]
                parts.append(tuple(array[: counts[EXAMPLES]].copy() for array in learnt))
        return SelfPlayOutput(
            self.spec,
            Examples(*map(np.concatenate, zip(*parts, strict=True))),
            tuple(games),
            int(counts[SIMULATIONS]),
            int(counts[EVALUATIONS]),
            int(counts[MOVES]),
        )

    def play_out(self, games: int) -> tuple[SelfPlayOutput, ...]:
        """Plays this number of games to their end. With fresh memory and the same network all the time, the games
        follow from the random stream alone.
        """
        counts = self._play.buffers.counts
        counts[TO_BEGIN] = games
        outputs = []
        while counts[TO_BEGIN] or self._asked:
            outputs.append(self.play(_STEPS))
        return tuple(outputs)

    def _game(self, number: int) -> PlayedGame:
        buffers, start = self._play.buffers, Position.start(self.spec)
        actions = [start.action_of(int(cell)) for cell in buffers.cells[number, : buffers.plies[number]]]
        return PlayedGame(
            board=str(self.spec),
            opening=int(buffers.opening[number]),
            result=int(buffers.results[number]),
            moves=format_moves(actions, self.spec),
        )


def _settings(config: SelfPlayConfig, spec: GameSpec) -> SelfPlaySettings:
    return SelfPlaySettings(
        simulations=config.first_simulations,
        quick_simulations=config.quick_simulations,
        quick_share=np.float64(config.quick_share),
        random_starts=np.float64(config.random_starts),
        random_plies=min(config.random_plies, spec.cells // 2),
        early_stop=np.float64(config.early_stop),
        drawn_plies=config.drawn_plies,
        dirichlet=np.float64(config.dirichlet),
        search_weight=np.float64(config.search_weight),
    )
