"""A game with undo and redo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inarow.games import Position

IsStop = Callable[[Position], bool]
"""Whether undo and redo may stop at a position, where the user has the move."""


@dataclass(frozen=True, slots=True)
class Game:
    """A position with its game, and the undone actions after it."""

    position: Position
    undone: tuple[int, ...] = ()  # the last one is the next to redo

    def play(self, action: int) -> Game:
        """The game after `action`, with nothing to redo; raises IllegalMoveError."""
        return Game(self.position.play(action))

    def undo(self, is_stop: IsStop) -> Game | None:
        """The game at the last earlier position where `is_stop`; None without one."""
        *earlier, _ = self.position.line()
        for position in reversed(earlier):
            if is_stop(position):
                return Game(position, self.undone + self.position.actions[position.ply :][::-1])
        return None

    def redo(self, is_stop: IsStop) -> Game | None:
        """The game at the next position where `is_stop`, or after all undone actions; None if there are none."""
        if not self.undone:
            return None
        position, undone = self.position, self.undone
        while undone:
            position, undone = position.play(undone[-1]), undone[:-1]
            if is_stop(position):
                break
        return Game(position, undone)
