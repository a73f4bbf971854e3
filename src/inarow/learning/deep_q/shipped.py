"""Nets that come with inarow: one for each learner of santos-2025, the run of the median win rate."""

from __future__ import annotations

from pathlib import Path

from inarow.errors import NetError
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.learning.shipped_nets import find_path

USUAL = ("santos-2025-first-quantum", "santos-2025-second-quantum")
"""For each side of Connect Four: a net knows the side that it was trained on."""


def net_path(name: str) -> Path:
    """The file of a net by its name, or itself; raises NetError."""
    return find_path(name, "deep_q")


def usual_net(spec: GameSpec, side: int) -> Path:
    """The net that comes with the package for a board and a side, 0 if it moves first; raises NetError."""
    if spec != CONNECT_FOUR:
        raise NetError(f"no net of deep Q-learning comes with inarow for {spec}; train one with `inarow train`")
    return net_path(USUAL[side])
