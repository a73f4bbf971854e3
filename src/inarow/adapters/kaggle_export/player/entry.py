"""What Kaggle calls: `agent(observation, configuration) -> int`."""

from __future__ import annotations

import time
from typing import Any, Protocol

from inarow.adapters.kaggle_export.player.clock import LOADED, Deadline
from inarow.adapters.kaggle_export.player.rules import Rules, read_stones

SHARE_OF_TIME = 0.5
"""Of `actTimeout`, that a move may take: machines are slower at times."""


class Player(Protocol):
    """Decides in positions that are not over, about when the deadline is."""

    def choose(self, rules: Rules, own: int, both: int, deadline: Deadline) -> int: ...


class Entry:
    """Reads what Kaggle shows, and lets a player decide."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._start: float | None = LOADED

    def __call__(self, observation: Any, configuration: Any) -> int:
        start = time.perf_counter() if self._start is None else self._start
        self._start = None
        rules = Rules(configuration["rows"], configuration["columns"], configuration["inarow"])
        own, both = read_stones(observation["board"], observation["mark"], rules)
        deadline = Deadline(start, SHARE_OF_TIME * configuration["actTimeout"])
        return int(self._player.choose(rules, own, both, deadline))
