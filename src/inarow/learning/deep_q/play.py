"""Nets of deep Q-learning in play: the value of a move is the value of the board after it. A learner plays many games
at a time with a fixed net, and evaluates all moves of all games in one call of the net.

Data that a learner keeps by position, such as flags, changes as if games were played one after the other: a position
always has the same ply, and at each ply games choose in order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from inarow.errors import ConfigError, NetError, raised_as
from inarow.games import GameSpec, Position
from inarow.games.bits import store
from inarow.games.kernels import bits_of, compiled_layout
from inarow.learning.config import to_config
from inarow.learning.deep_q import boards as kernels
from inarow.learning.deep_q.boards import ONGOING, Afterstates, Boards, empty_boards
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.deep_q.potential import Potential, make_potential
from inarow.learning.net_file import Net, open_net
from inarow.learning.pretrained import DEEP_Q

Choose = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""From keys and legal actions as `decision_of` returns them, values float64 [N, A], and the numbers of the games to
actions, int64 [N]. Values of illegal actions are -inf.
"""
Reward = Callable[[np.ndarray, np.ndarray], None]
"""Gets the numbers of games and their results so far, when the opponent has answered the learner's last move in them or
that move has ended them.
"""


class Ahead(NamedTuple):
    """The values of all moves in some games, for the side to move with the stones `own`."""

    found: Afterstates
    values: np.ndarray  # float64 [games, A]: -inf where an action is illegal
    rows: np.ndarray  # int64 [games, A]: the number of the board that a legal action leads to
    potentials: np.ndarray  # float64 [boards]: the part of these values that is not from the net


def look_ahead(net: Net, spec: GameSpec, boards: Boards, games: np.ndarray, potential: Potential | None) -> Ahead:
    """Evaluates all moves in one call of the net; a board that several games reach is evaluated once."""
    layout = compiled_layout(spec)
    found = kernels.empty_afterstates(layout, len(games))
    count = kernels.list_afterstates(layout, boards, games, found)
    _, first, which = np.unique(found.after_keys[:count], return_index=True, return_inverse=True)
    (evaluated,) = net.run(found.planes[first][:, None])
    places = found.places[:count]
    values, rows = np.full(len(found.places), -np.inf), np.zeros(len(found.places), np.int64)
    values[places] = evaluated[which, 0]
    rows[places] = np.arange(count)
    potentials = np.zeros(count)
    if potential is not None:
        potentials = potential.after_moves(boards, games[places // spec.actions], places % spec.actions)
        values[places] += potentials
    return Ahead(found, values.reshape(-1, spec.actions), rows.reshape(-1, spec.actions), potentials)


class NetValues:
    """A net that evaluates moves, with the potential that it was trained with, if any."""

    def __init__(self, net: Net) -> None:
        config = to_config(net.about.config, DeepQConfig, "the net")
        self.net, self.potential = net, make_potential(config)
        self.win_reward = config.rewards.win  # the value of a certain win

    def values(self, position: Position) -> np.ndarray:
        """float64 [A], for the side to move; -inf where an action is illegal. Raises NetError for another board."""
        return np.asarray(self.values_of([position])[0])

    def values_of(self, positions: Sequence[Position]) -> np.ndarray:
        """The same for several positions of one board, float64 [n, A]."""
        spec = positions[0].spec
        self.net.check_board(spec)
        layout = compiled_layout(spec)
        boards = empty_boards(layout, len(positions))
        for game, position in enumerate(positions):
            stones, mask = bits_of(position, layout)
            store(boards.own, game, stones)
            store(boards.mask, game, mask)
        return look_ahead(self.net, spec, boards, np.arange(len(positions)), self.potential).values


def load_net_values(path: Path) -> NetValues:
    """The net in a file; raises NetError, also for nets of other kinds."""
    net = open_net(path, DEEP_Q)
    reason = "it has other inputs or outputs"
    with raised_as(NetError, f"{path} is not a net of deep Q-learning", reason=reason):
        values = NetValues(net)
        spec = GameSpec.parse(net.about.board)
        found = net.run(np.zeros((2, 1, spec.rows, spec.columns), np.float32))
    if [output.shape for output in found] != [(2, 1)] or not np.isfinite(found[0]).all():
        raise NetError(f"{path} is not a net of deep Q-learning: its value of the empty board is not finite")
    return values


# --- Games ---


class Opponents(Protocol):
    """The other side of N games that are played together; see `opponents.py`."""

    def choose(self, boards: Boards, games: np.ndarray) -> np.ndarray:
        """The actions, int64, in some games in which this side is to move."""

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        """Called with every move of either side."""


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """The results of games, and the learner's moves with their values."""

    results: np.ndarray  # [games], `boards.WON` and so on
    plies: np.ndarray  # [games], of both sides
    actions: np.ndarray  # [games, cells] int16, of both sides
    planes: np.ndarray  # [moves, rows, columns] float32: the board after the move
    values: np.ndarray  # [moves] float64: of that board, including its potential
    potentials: np.ndarray  # [moves] float64: of that board, 0 without shaping
    futures: np.ndarray  # [moves] float64: the best value of the learner's next turn; NaN for the last move of a game
    games: np.ndarray  # [moves]: the game of each
    side: int  # the learner's, 0 if it moves first


def play_games(
    net: Net,
    spec: GameSpec,
    opponents: Opponents,
    choose: Choose,
    count: int,
    side: int,
    *,
    potential: Potential | None = None,
    reward: Reward | None = None,
) -> PlayedGames:
    """Plays `count` games from the empty board; the learner has `side`, 0 if first. `reward` is called when games know
    the rewards of their last moves. Raises ConfigError if the net has diverged.
    """
    layout = compiled_layout(spec)
    boards = empty_boards(layout, count)
    results, plies = np.zeros(count, np.int64), np.zeros(count, np.int64)
    actions = np.zeros((count, spec.cells), np.int16)
    kept: list[tuple[np.ndarray, ...]] = []  # planes, values, potentials and games of the learner's moves
    futures, moves = np.full(count * (spec.cells // 2 + 1), np.nan), 0
    last = np.full(count, -1)  # the number of the last move of each game
    for ply in range(spec.cells):
        games = np.flatnonzero(results == ONGOING)
        if not len(games):
            break
        is_learner = ply % 2 == side
        if is_learner:
            ahead, values, rows, potentials = look_ahead(net, spec, boards, games, potential)
            best = values.max(axis=1)
            check_finite(best)
            chosen = choose(ahead.keys, ahead.legal, values, games)
            taken = np.arange(len(games)), chosen
            kept.append((ahead.planes[rows[taken]], values[taken], potentials[rows[taken]], games))
            before = last[games]
            futures[before[before >= 0]] = best[before >= 0]
            last[games] = moves + np.arange(len(games))
            moves += len(games)
        else:
            chosen = opponents.choose(boards, games)
        opponents.watch(games, chosen)
        kernels.play_actions(layout, boards, games, chosen, is_learner, results)
        actions[games, plies[games]] = chosen
        plies[games] += 1
        if reward is not None:
            known = games[(results[games] != ONGOING) | (not is_learner)]
            reward(known, results[known])
    planes, known, shaping, games_of_moves = map(np.concatenate, zip(*kept, strict=True))
    return PlayedGames(results, plies, actions, planes, known, shaping, futures[:moves], games_of_moves, side)


def choose_best(keys: np.ndarray, legal: np.ndarray, values: np.ndarray, games: np.ndarray) -> np.ndarray:
    """The first of the best actions, for each game."""
    return np.asarray(values.argmax(axis=1))


def check_finite(figures: np.ndarray | float) -> None:
    """Raises ConfigError if the net with these values or losses has diverged."""
    if not np.isfinite(figures).all():
        raise ConfigError("the net has diverged: its values are no longer finite; lower learning_rate")
