"""The value that a net gives each move of a position: that of the board after it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inarow.errors import NetError, one_line
from inarow.games.bits import from_int, store
from inarow.games.kernels import compiled_layout
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.config import to_config
from inarow.learning.deep_q.boards import Boards, empty_afterstates, empty_boards, list_afterstates
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.net_file import Net, load_net
from inarow.learning.pretrained import DEEP_Q


@dataclass(frozen=True, slots=True)
class Outlook:
    """N positions and their moves."""

    keys: np.ndarray  # [N] uint64, as `legal` what `decision_of` returns
    legal: np.ndarray  # [N] int64
    values: np.ndarray  # [N, A] float64, for the side to move; -inf where an action is illegal
    planes: np.ndarray  # [boards, rows, columns] float32: boards after moves
    rows: np.ndarray  # [N, A] int64: which of `planes` a legal action leads to


def look_ahead(net: Net, spec: GameSpec, boards: Boards, games: np.ndarray) -> Outlook:
    """All moves of all `games` in one call of the net. A board that several games reach is evaluated once."""
    found = empty_afterstates(spec, len(games))
    count = list_afterstates(compiled_layout(spec), boards, games, found)
    _, first, which = np.unique(found.after_keys[:count], return_index=True, return_inverse=True)
    (evaluated,) = net.run(found.planes[first][:, None])
    places = found.places[:count]
    values, rows = np.full(len(found.places), -np.inf), np.zeros(len(found.places), np.int64)
    values[places] = evaluated[which, 0]
    rows[places] = np.arange(count)
    width = spec.actions
    return Outlook(found.keys, found.legal, values.reshape(-1, width), found.planes, rows.reshape(-1, width))


class NetValues:
    """A net that evaluates one position at a time."""

    def __init__(self, net: Net) -> None:
        self._net = net
        self.win_reward = to_config(net.about.config, DeepQConfig, "the net").rewards.win  # the value of a certain win

    def check_board(self, spec: GameSpec) -> None:
        """Raises NetError if the net is for another board."""
        self._net.check_board(spec)

    def values(self, position: Position) -> np.ndarray:
        """float64 [A], for the side to move; -inf where an action is illegal. Raises NetError for another board."""
        spec = position.spec
        self.check_board(spec)
        boards, like = empty_boards(spec, 1), compiled_layout(spec).board
        store(boards.own, 0, from_int(position.stones, like))
        store(boards.mask, 0, from_int(position.mask, like))
        values: np.ndarray = look_ahead(self._net, spec, boards, np.zeros(1, np.int64)).values[0]
        return values


def load_net_values(path: Path) -> NetValues:
    """The net of a training run; raises NetError, also for nets of other kinds."""
    net = load_net(path, DEEP_Q)
    try:
        values = NetValues(net)
        spec = GameSpec.parse(net.about.board)
        found = net.run(np.zeros((2, 1, spec.rows, spec.columns), np.float32))
    except Exception as error:  # ONNX Runtime has its own errors, all directly under Exception
        raise NetError(f"{path} is not a net of deep Q-learning: {one_line(error)}") from None
    if [output.shape for output in found] != [(2, 1)] or not np.isfinite(found[0]).all():
        raise NetError(f"{path} is not a net of deep Q-learning: it has no finite value for the empty board")
    return values
