"""Nets that come with inarow: `connect4`, `tictactoe`, and `universal` for all other boards on which stones fall."""

from __future__ import annotations

from pathlib import Path

from inarow.errors import NetError
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.learning.alphazero.evaluator import KIND
from inarow.learning.net_file import Net, load_net
from inarow.learning.shipped_nets import find_path

_OF_BOARD = {CONNECT_FOUR: "connect4", TIC_TAC_TOE: "tictactoe"}
_OF_OTHERS = "universal"
USUAL = (*_OF_BOARD.values(), _OF_OTHERS)
"""The nets that `usual_net` chooses from."""


def usual_net(spec: GameSpec) -> str:
    """The name of the net for a board; raises NetError."""
    if spec not in _OF_BOARD and not spec.gravity:
        raise NetError(f"no net of AlphaZero comes with inarow for {spec}; train one with `inarow train`")
    return _OF_BOARD.get(spec, _OF_OTHERS)


def net_path(name: str) -> Path:
    """The file of a net by its name, or itself; raises NetError."""
    return find_path(name, "alphazero")


def find_net(name: str) -> Net:
    """The net by its name, or in a file; raises NetError."""
    return load_net(net_path(name), KIND)
