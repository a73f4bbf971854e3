"""Nets that come with the package: one for each learner of santos-2025, the run of the median win rate."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from inarow.errors import NetError, shown
from inarow.games.spec import CONNECT_FOUR, GameSpec

_SUFFIX = ".onnx"
USUAL = ("santos-2025-first-quantum", "santos-2025-second-quantum")
"""For each side of Connect Four: a net knows the side that it was trained on."""


def shipped_nets() -> dict[str, Path]:
    """By name."""
    folder = Path(str(files("inarow.learning.deep_q"))) / "nets"
    return {path.stem: path for path in sorted(folder.glob(f"*{_SUFFIX}"))}


def net_path(name: str) -> Path:
    """The file of a net that comes with the package, or a file that is named itself; raises NetError."""
    if name.endswith(_SUFFIX):
        return Path(name)
    known = shipped_nets()
    if name not in known:
        raise NetError(
            f"there is no net {shown(name)}; nets that come with inarow are {', '.join(known)}, or name an {_SUFFIX}"
            " file made by `inarow train`"
        )
    return known[name]


def usual_net(spec: GameSpec, side: int) -> Path:
    """The net that comes with the package for a board and a side, 0 if it moves first; raises NetError."""
    if spec != CONNECT_FOUR:
        raise NetError(f"no net of deep Q-learning comes with inarow for {spec}; train one with `inarow train`")
    return net_path(USUAL[side])
