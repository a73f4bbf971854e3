"""What a net says about the moves of positions: the value of the board after each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inarow.errors import NetError, one_line
from inarow.games.bits import from_int, store
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.games.wide import WORDS
from inarow.learning.config import to_config
from inarow.learning.deep_q import boards
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.net_file import Net, load_net

KIND = "deep-q"
"""Of net files."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """N positions and their moves."""

    keys: np.ndarray
    """uint64 [N], as `legal` what `exploration.flags.decision_of` gives."""
    legal: np.ndarray
    """int64 [N]."""
    values: np.ndarray
    """float64 [N, A], for the side to move; -inf where an action is illegal."""
    planes: np.ndarray
    """float32 [boards, rows, columns]: boards after moves."""
    rows: np.ndarray
    """int64 [N, A]: which of `planes` a legal action leads to."""


def empty_boards(spec: GameSpec, count: int) -> np.ndarray:
    """uint64 [count, words]: stones of as many games, none yet, as `boards.py` takes them."""
    return np.zeros((count, 1 if spec.fits_word else WORDS), np.uint64)


def look_ahead(net: Net, spec: GameSpec, own: np.ndarray, mask: np.ndarray, games: np.ndarray) -> Outlook:
    """All moves of all `games` in one call of the net. Boards that several games reach are asked for once."""
    width = spec.actions
    keys, legal = np.empty(len(games), np.uint64), np.empty(len(games), np.int64)
    after_keys, places = np.empty(len(games) * width, np.uint64), np.empty(len(games) * width, np.int64)
    planes = np.empty((len(games) * width, spec.rows, spec.columns), np.float32)
    layout = compiled_layout(spec)
    count = boards.list_afterstates(layout, own, mask, games, width, keys, legal, after_keys, places, planes)
    _, first, which = np.unique(after_keys[:count], return_index=True, return_inverse=True)
    (found,) = net.run(planes[first][:, None])
    values, rows = np.full(len(games) * width, -np.inf), np.zeros(len(games) * width, np.int64)
    values[places[:count]] = found[which, 0]
    rows[places[:count]] = np.arange(count)
    return Outlook(keys, legal, values.reshape(-1, width), planes, rows.reshape(-1, width))


class NetValues:
    """A net that is asked about one position at a time."""

    def __init__(self, net: Net) -> None:
        self._net = net
        self.win_reward = to_config(net.about.config, DeepQConfig, "the net").rewards.win
        """The value of a certain win."""

    def check_board(self, spec: GameSpec) -> None:
        """Raises NetError if the net is for another board."""
        self._net.check_board(spec)

    def values(self, position: Position) -> np.ndarray:
        """float64 [A], for the side to move; -inf where an action is illegal. Raises NetError for another board."""
        spec = position.spec
        self.check_board(spec)
        own, mask, like = empty_boards(spec, 1), empty_boards(spec, 1), compiled_layout(spec).board
        store(own, 0, from_int(position.stones, like))
        store(mask, 0, from_int(position.mask, like))
        values: np.ndarray = look_ahead(self._net, spec, own, mask, np.zeros(1, np.int64)).values[0]
        return values


def load_net_values(path: Path) -> NetValues:
    """The net of a training run; raises NetError, also if it does not do what a net of deep Q-learning does."""
    net = load_net(path, KIND)
    try:
        values = NetValues(net)
        spec = GameSpec.parse(net.about.board)
        found = net.run(np.zeros((2, 1, spec.rows, spec.columns), np.float32))
    except Exception as error:  # ONNX Runtime has its own errors, all directly under Exception
        raise NetError(f"{path} is not a net of deep Q-learning: {one_line(error)}") from None
    if [output.shape for output in found] != [(2, 1)] or not np.isfinite(found[0]).all():
        raise NetError(f"{path} is not a net of deep Q-learning: it has no finite value for the empty board")
    return values
