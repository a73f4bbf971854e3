"""What a page needs to know about the lab before anything else: version, boards, agents."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from inarow import __version__
from inarow.agents.levels import level_ratings
from inarow.agents.registry import parameter_infos, registry

_BOARDS = (
    ("Connect Four", "6x7x4"),
    ("Tic Tac Toe", "3x3x3/free"),
    ("Small", "4x4x4"),
    ("Wide", "8x9x5"),
    ("Large", "12x12x5"),
    ("Gomoku 15", "15x15x5/free"),
)
"""Boards to begin with; any other can be typed."""


@lru_cache(maxsize=1)
def describe_lab() -> dict[str, Any]:
    """`version, boards, agents, levels`; agents with their parameters as `inarow agents` has them."""
    return {
        "version": __version__,
        "boards": [{"name": name, "board": board} for name, board in _BOARDS],
        "agents": [
            {
                "name": kind.name,
                "summary": kind.summary,
                "parameters": [msgspec.to_builtins(info) for info in parameter_infos(kind)],
            }
            for kind in registry().values()
            if kind.name != "human"
        ],
        "levels": msgspec.to_builtins(level_ratings().levels),
    }
