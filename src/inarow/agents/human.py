"""A person. Whoever makes this agent says how to ask."""

from __future__ import annotations

from collections.abc import Callable

from inarow.agents.agent import Decision
from inarow.games.position import Position

Ask = Callable[[Position], int]
"""Returns the action that somebody chose; it may be illegal."""


class HumanAgent:
    """Decides by asking."""

    def __init__(self, name: str, ask: Ask) -> None:
        self.name = name
        self._ask = ask

    def decide(self, position: Position) -> Decision:
        position.check_ongoing()
        return Decision(action=self._ask(position))
