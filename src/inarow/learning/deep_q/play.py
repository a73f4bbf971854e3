"""Nets of deep Q-learning in play: the value of each move is that of the board after it. Games of a learner with a
fixed net are played many at a time, with all moves of all games in one call of the net.

What a learner keeps by position, such as flags, evolves as if games were played one after the other: a position always
comes at the same ply, and at each ply games choose in their order.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inarow.errors import ConfigError, NetError, raised_as
from inarow.games import GameSpec, Position
from inarow.games.bits import store
from inarow.games.kernels import bits_of, compiled_layout
from inarow.learning.config import to_config
from inarow.learning.deep_q import boards as kernels
from inarow.learning.deep_q.boards import ONGOING, Afterstates, Boards, empty_boards
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.learner import MakeOpponent, Opponent
from inarow.learning.net_file import Net, open_net
from inarow.learning.pretrained import DEEP_Q
from inarow.search.minimax.negamax import negamax_search

Choose = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""From keys and legal actions as `decision_of` gives them, values float64 [N, A], and the numbers of the games to
actions, int64 [N]. Values of illegal actions are -inf.
"""


def look_ahead(
    net: Net, spec: GameSpec, boards: Boards, games: np.ndarray
) -> tuple[Afterstates, np.ndarray, np.ndarray]:
    """(What the side to move can reach in all `games`; the values of all moves for it, float64 [games, A], -inf where
    an action is illegal; int64 [games, A], which of the boards a legal action leads to.) The net is called once, and a
    board that several games reach is evaluated once.
    """
    layout = compiled_layout(spec)
    found = kernels.empty_afterstates(layout, len(games))
    count = kernels.list_afterstates(layout, boards, games, found)
    _, first, which = np.unique(found.after_keys[:count], return_index=True, return_inverse=True)
    (evaluated,) = net.run(found.planes[first][:, None])
    places = found.places[:count]
    values, rows = np.full(len(found.places), -np.inf), np.zeros(len(found.places), np.int64)
    values[places] = evaluated[which, 0]
    rows[places] = np.arange(count)
    return found, values.reshape(-1, spec.actions), rows.reshape(-1, spec.actions)


class NetValues:
    """A net that evaluates one position at a time."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.win_reward = to_config(net.about.config, DeepQConfig, "the net").rewards.win  # the value of a certain win

    def values(self, position: Position) -> np.ndarray:
        """float64 [A], for the side to move; -inf where an action is illegal. Raises NetError for another board."""
        self.net.check_board(position.spec)
        layout = compiled_layout(position.spec)
        boards, (stones, mask) = empty_boards(layout, 1), bits_of(position, layout)
        store(boards.own, 0, stones)
        store(boards.mask, 0, mask)
        return np.asarray(look_ahead(self.net, position.spec, boards, np.zeros(1, np.int64))[1][0])


def load_net_values(path: Path) -> NetValues:
    """The net of a training run; raises NetError, also for nets of other kinds."""
    net = open_net(path, DEEP_Q)
    reason = "it has other inputs or outputs"
    with raised_as(NetError, f"{path} is not a net of deep Q-learning", reason=reason):
        values = NetValues(net)
        spec = GameSpec.parse(net.about.board)
        found = net.run(np.zeros((2, 1, spec.rows, spec.columns), np.float32))
    if [output.shape for output in found] != [(2, 1)] or not np.isfinite(found[0]).all():
        raise NetError(f"{path} is not a net of deep Q-learning: it has no finite value for the empty board")
    return values


# --- Games ---


class NegamaxOpponents:
    """The agent `negamax`, compiled: the other side of N games that are played together."""

    def __init__(self, spec: GameSpec, depth: int, omega: float, rng: np.random.Generator) -> None:
        self._depth, self._omega, self._rng = depth, omega, rng
        self._context = negamax_search(spec).context

    def choose(self, boards: Boards, games: np.ndarray) -> np.ndarray:
        """Its actions, int64, in some games in which it is to move."""
        actions = np.empty(len(games), np.int64)
        kernels.choose_by_negamax(self._context, boards, games, self._depth, self._omega, self._rng, actions)
        return actions

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        """Called with every move of either side; here boards are all that it needs."""


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


Opponents = NegamaxOpponents | AgentOpponents


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
    """`count` games from the empty board; the learner has `side`, 0 if first. Raises ConfigError if it diverged."""
    layout = compiled_layout(spec)
    boards = empty_boards(layout, count)
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
            ahead, values, rows = look_ahead(net, spec, boards, games)
            best = values.max(axis=1)
            check_finite(best)
            chosen = choose(ahead.keys, ahead.legal, values, games)
            taken = np.arange(len(games)), chosen
            kept.append((ahead.planes[rows[taken]], values[taken], games))
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
    planes, known, games_of_moves = map(np.concatenate, zip(*kept, strict=True))
    return PlayedGames(results, plies, actions, planes, known, futures[:moves], games_of_moves)


def choose_best(keys: np.ndarray, legal: np.ndarray, values: np.ndarray, games: np.ndarray) -> np.ndarray:
    """The first of the best actions."""
    return np.asarray(values.argmax(axis=1))


def check_finite(figures: np.ndarray | float) -> None:
    """Raises ConfigError if a net, of whose values or losses these are some, has diverged."""
    if not np.isfinite(figures).all():
        raise ConfigError("the net has diverged, its values are no longer finite: lower learning_rate")
