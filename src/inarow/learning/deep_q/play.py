"""Games of a learner with a fixed net, many at a time: all moves of all games in one call of the net.

What a learner keeps by position, such as flags, evolves as if games were played one after the other: a position always
comes at the same ply, and at each ply games choose in their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from inarow.errors import ConfigError
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.deep_q.boards import ONGOING, Boards, choose_by_negamax, empty_boards, play_actions
from inarow.learning.deep_q.values import look_ahead
from inarow.learning.learner import MakeOpponent, Opponent
from inarow.learning.net_file import Net
from inarow.search.minimax.negamax import negamax_search

_NEGAMAX = re.compile(r"negamax(?::(?P<settings>.*))?")

Choose = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""From keys and legal actions as `decision_of` gives them, values float64 [N, A], and the numbers of the games to
actions, int64 [N]. Values of illegal actions are -inf.
"""


class Opponents(Protocol):
    """The other side of N games that are played together."""

    def choose(self, boards: Boards, games: np.ndarray) -> np.ndarray:
        """Its actions, int64, in some games in which it is to move."""
        ...

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        """Called with every move of either side."""
        ...


class NegamaxOpponents:
    """The agent `negamax`, compiled."""

    def __init__(self, spec: GameSpec, depth: int, omega: float, rng: np.random.Generator) -> None:
        self._depth, self._omega, self._rng = depth, omega, rng
        self._context = negamax_search(spec).context

    def choose(self, boards: Boards, games: np.ndarray) -> np.ndarray:
        actions = np.empty(len(games), np.int64)
        choose_by_negamax(self._context, boards, games, self._depth, self._omega, self._rng, actions)
        return actions

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        """Boards are all that it needs."""


class AgentOpponents:
    """Any agent, a new one for each game."""

    def __init__(self, spec: GameSpec, agents: list[Opponent]) -> None:
        self._agents = agents
        self._positions = [Position.start(spec)] * len(agents)

    def choose(self, boards: Boards, games: np.ndarray) -> np.ndarray:
        return np.array([self._agents[game].decide(self._positions[game]).action for game in games], np.int64)

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        for game, action in zip(games.tolist(), actions.tolist(), strict=True):
            self._positions[game] = self._positions[game].play(action)


def make_opponents(
    text: str, spec: GameSpec, games: int, seed: np.random.SeedSequence, make_opponent: MakeOpponent | None
) -> Opponents:
    """For this many games. `make_opponent` is needed for opponents without a compiled form."""
    negamax = negamax_settings(text)
    if negamax is not None:
        return NegamaxOpponents(spec, *negamax, np.random.default_rng(seed))
    assert make_opponent is not None
    return AgentOpponents(spec, [make_opponent(text, each) for each in seed.spawn(games)])


def negamax_settings(text: str) -> tuple[int, float] | None:
    """(depth, omega) of an agent string that means `negamax`; None for others and for what is not well formed."""
    found = _NEGAMAX.fullmatch(text)
    if found is None:
        return None
    depth, omega = 2, 0.3
    for setting in (found["settings"] or "").split(",") if found["settings"] else ():
        if match := re.fullmatch(r"depth=(\d{1,3})", setting):
            depth = int(match[1])
        elif match := re.fullmatch(r"omega=([01]|0?\.\d{1,17}|1\.0)", setting):
            omega = float(match[1])
        else:
            return None
    return depth, omega


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """How games ended, and each move of the learner with what the net knew about it."""

    results: np.ndarray  # [games], `boards.WON` and so on
    plies: np.ndarray  # [games], of both sides
    actions: np.ndarray  # [games, cells] int16, of both sides
    planes: np.ndarray  # [moves, rows, columns] float32: the board after the move
    values: np.ndarray  # [moves] float64: of that board
    futures: np.ndarray  # [moves] float64: the best value of the learner's next turn; NaN for the last move of a game
    games: np.ndarray  # [moves]: the game of each


def play_games(net: Net, spec: GameSpec, opponents: Opponents, choose: Choose, count: int, side: int) -> PlayedGames:
    """`count` games from the empty board, move by move together; the learner has `side`, 0 if it moves first.

    Raises ConfigError if the net has diverged.
    """
    layout, boards = compiled_layout(spec), empty_boards(spec, count)
    results, plies = np.zeros(count, np.int64), np.zeros(count, np.int64)
    actions = np.zeros((count, spec.cells), np.int16)
    kept: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []  # planes, values and games of the learner's moves
    futures, moves = np.full(count * (spec.cells // 2 + 1), np.nan), 0
    last = np.full(count, -1)  # the number of the last move of each game
    for ply in range(spec.cells):
        games = np.flatnonzero(results == ONGOING)
        if not len(games):
            break
        is_learner = ply % 2 == side
        if is_learner:
            ahead = look_ahead(net, spec, boards, games)
            best = ahead.values.max(axis=1)
            check_finite(best)
            chosen = choose(ahead.keys, ahead.legal, ahead.values, games)
            taken = np.arange(len(games)), chosen
            kept.append((ahead.planes[ahead.rows[taken]], ahead.values[taken], games))
            before = last[games]
            futures[before[before >= 0]] = best[before >= 0]
            last[games] = moves + np.arange(len(games))
            moves += len(games)
        else:
            chosen = opponents.choose(boards, games)
        opponents.watch(games, chosen)
        play_actions(layout, boards, games, chosen, is_learner, results)
        actions[games, plies[games]] = chosen
        plies[games] += 1
    planes, values, games_of_moves = map(np.concatenate, zip(*kept, strict=True))
    return PlayedGames(results, plies, actions, planes, values, futures[:moves], games_of_moves)


def choose_best(keys: np.ndarray, legal: np.ndarray, values: np.ndarray, games: np.ndarray) -> np.ndarray:
    """The first of the best actions."""
    best: np.ndarray = values.argmax(axis=1)
    return best


def check_finite(figures: np.ndarray | float) -> None:
    """Raises ConfigError if a net, of whose values or losses these are some, has diverged."""
    if not np.isfinite(figures).all():
        raise ConfigError("the net has diverged, its values are no longer finite: lower learning_rate")
