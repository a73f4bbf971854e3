"""Opponents of deep Q-learning: each is the other side of N games that are played together."""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from inarow.games import GameSpec, Position
from inarow.learning.deep_q import boards as kernels
from inarow.learning.deep_q.boards import Boards
from inarow.learning.deep_q.config import PAST, DeepQConfig
from inarow.learning.deep_q.play import Opponents, look_ahead
from inarow.learning.deep_q.potential import make_potential
from inarow.learning.learner import MakeOpponent, Opponent
from inarow.learning.net_file import Net
from inarow.search.minimax.negamax import negamax_search


class NegamaxOpponents:
    """The agent `negamax`, compiled."""

    def __init__(self, spec: GameSpec, depth: int, omega: float, rng: np.random.Generator) -> None:
        self._depth, self._omega, self._rng = depth, omega, rng
        self._context = negamax_search(spec).context

    def choose(self, boards: Boards, games: np.ndarray) -> np.ndarray:
        actions = np.empty(len(games), np.int64)
        kernels.choose_by_negamax(self._context, boards, games, self._depth, self._omega, self._rng, actions)
        return actions

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        """Does nothing: the boards are sufficient."""


class AgentOpponents:
    """Agents of any kind, a new one for each game."""

    def __init__(self, spec: GameSpec, agents: Sequence[Opponent] | Mapping[int, Opponent]) -> None:
        """`agents` are indexed by the number of their game."""
        self._spec, self._agents = spec, agents
        self._positions: dict[int, Position] = {}

    def choose(self, boards: Boards, games: np.ndarray) -> np.ndarray:
        return np.array([self._agents[game].decide(self._position(game)).action for game in games.tolist()], np.int64)

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        for game, action in zip(games.tolist(), actions.tolist(), strict=True):
            self._positions[game] = self._position(game).play(action)

    def _position(self, game: int) -> Position:
        return self._positions.get(game) or Position.start(self._spec)


class PastOpponents:
    """Past versions of the learner: each game draws one of their nets, which moves greedily, with some random moves."""

    def __init__(self, config: DeepQConfig, nets: Sequence[Net], games: int, rng: np.random.Generator) -> None:
        self._config, self._nets, self._rng = config, nets, rng
        self._potential = make_potential(config)
        self._drawn = rng.integers(len(nets), size=games)

    def choose(self, boards: Boards, games: np.ndarray) -> np.ndarray:
        """Evaluates the afterstates of all games of a net in one call."""
        spec, epsilon = self._config.spec, self._config.pool.epsilon
        seen = Boards(boards.mask ^ boards.own, boards.mask)  # its own stones are the learner's opponent's
        values = np.empty((len(games), spec.actions))
        for number in np.unique(self._drawn[games]).tolist():
            of_net = self._drawn[games] == number
            values[of_net] = look_ahead(self._nets[number], spec, seen, games[of_net], self._potential).values
        random = np.where(np.isfinite(values), self._rng.random(values.shape), -1.0)
        is_random = self._rng.random(len(games)) < epsilon
        return np.asarray(np.where(is_random, random.argmax(axis=1), values.argmax(axis=1)))

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        """Does nothing: the boards are sufficient."""


class MixedOpponents:
    """Several of these; `parts[which[game]]` plays in a game."""

    def __init__(self, parts: Sequence[Opponents], which: np.ndarray) -> None:
        self._parts, self._which = parts, which

    def choose(self, boards: Boards, games: np.ndarray) -> np.ndarray:
        actions = np.empty(len(games), np.int64)
        for number, part in enumerate(self._parts):
            if (mine := self._which[games] == number).any():
                actions[mine] = part.choose(boards, games[mine])
        return actions

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        for number, part in enumerate(self._parts):
            mine = self._which[games] == number
            part.watch(games[mine], actions[mine])


def make_opponents(
    config: DeepQConfig,
    games: int,
    seed: np.random.SeedSequence,
    make_opponent: MakeOpponent | None,
    past: Callable[[], Sequence[Net]],
) -> Opponents:
    """The opponents of this many games. `make_opponent` is needed for opponents without a compiled form; `past` is
    called for the nets of past versions if they play.
    """

    def make(text: str, of_games: np.ndarray, seed: np.random.SeedSequence) -> Opponents:
        if text == PAST:
            return PastOpponents(config, past(), games, np.random.default_rng(seed))
        if (negamax := negamax_settings(text)) is not None:
            return NegamaxOpponents(config.spec, *negamax, np.random.default_rng(seed))
        assert make_opponent is not None
        seeds = seed.spawn(len(of_games))
        agents = {game: make_opponent(text, each) for game, each in zip(of_games.tolist(), seeds, strict=True)}
        return AgentOpponents(config.spec, agents)

    mix = config.mix
    if len(mix) == 1:
        return make(mix[0].agent, np.arange(games), seed)
    draws, *seeds = seed.spawn(1 + len(mix))
    shares = np.array([part.share for part in mix])
    which = np.random.default_rng(draws).choice(len(mix), size=games, p=shares / shares.sum())
    parts = [make(part.agent, np.flatnonzero(which == number), seeds[number]) for number, part in enumerate(mix)]
    return MixedOpponents(parts, which)


def negamax_settings(text: str) -> tuple[int, float] | None:
    """(depth, omega) of an agent string of `negamax`; None for other agents and for invalid strings."""
    name, _, settings = text.partition(":")
    if name != "negamax":
        return None
    depth, omega = 2, 0.3
    for setting in settings.split(",") if settings else ():
        if match := re.fullmatch(r"depth=(\d{1,3})", setting):
            depth = int(match[1])
        elif match := re.fullmatch(r"omega=([01]|0?\.\d{1,17}|1\.0)", setting):
            omega = float(match[1])
        else:
            return None
    return depth, omega
