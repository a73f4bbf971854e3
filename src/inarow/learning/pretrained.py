"""Nets and tables that ship with inarow, in the folders `nets` and `tables` of the learners that made them."""

from importlib.resources import files
from pathlib import Path

from inarow.errors import NetError, TableError, did_you_mean, shown
from inarow.games import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.learning.net_file import Net, open_net

DEEP_Q, ALPHAZERO = "deep-q", "alphazero"  # kinds of net files, each named after its learner

DEEP_Q_DEFAULTS = ("santos-2025-first-quantum", "santos-2025-second-quantum")
"""For each side of Connect Four, the run with the median win rate: a net plays only the side that it was trained on."""
_BOARD_NETS = {CONNECT_FOUR: "connect4", TIC_TAC_TOE: "tictactoe"}
_OTHER_BOARDS = "universal"
ALPHAZERO_DEFAULTS = (*_BOARD_NETS.values(), _OTHER_BOARDS)
_SUFFIX = ".onnx"


def shipped_nets(kind: str) -> dict[str, Path]:
    """The shipped nets of a kind, by name."""
    return {path.stem: path for path in _shipped(kind.replace("-", "_"), "nets", f"*{_SUFFIX}")}


def net_path(name: str, kind: str = ALPHAZERO) -> Path:
    """The file of a net by its name, or a path that is given instead; raises NetError."""
    if name.endswith(_SUFFIX):
        return Path(name)
    known = shipped_nets(kind)
    if name not in known:
        raise NetError(
            f"there is no net {shown(name)}{did_you_mean(name, known)}; nets that ship with inarow are "
            f"{', '.join(known)}; or give an {_SUFFIX} file written by `inarow train`"
        )
    return known[name]


def find_net(name: str, kind: str = ALPHAZERO) -> Net:
    """A net by its name or file; raises NetError."""
    return open_net(net_path(name, kind), kind)


def default_deep_q_net(spec: GameSpec, side: int) -> Path:
    """The file of the net for a board and a side, 0 if it moves first; raises NetError."""
    if spec != CONNECT_FOUR:
        raise NetError(f"inarow has no deep Q-learning net for {spec}; train one with `inarow train`")
    return net_path(DEEP_Q_DEFAULTS[side], DEEP_Q)


def default_alphazero_net(spec: GameSpec) -> str:
    """The name of the net for a board; raises NetError."""
    if spec not in _BOARD_NETS and not spec.gravity:
        raise NetError(f"inarow has no AlphaZero net for {spec}; train one with `inarow train`")
    return _BOARD_NETS.get(spec, _OTHER_BOARDS)


def shipped_tables() -> dict[str, Path]:
    """Q-tables by board."""
    return {path.stem.replace("-", "/"): path for path in _shipped("tabular", "tables", "*.npz")}


def shipped_table(spec: GameSpec) -> Path:
    """The Q-table for a board; raises TableError."""
    tables = shipped_tables()
    if str(spec) not in tables:
        boards = ", ".join(tables)
        raise TableError(f"inarow has no Q-table for {spec}, only for {boards}; train one with `inarow train`")
    return tables[str(spec)]


def shipped_window_net() -> Path:
    """The net for windows of 4x4 in Connect Four."""
    (path,) = _shipped("windows", "nets", "4x4x4.npz")
    return path


def _shipped(package: str, folder: str, pattern: str) -> list[Path]:
    return sorted((Path(str(files(f"inarow.learning.{package}"))) / folder).glob(pattern))
