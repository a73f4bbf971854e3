"""A game with people in it: moves can be taken back, and anybody may leave."""

from __future__ import annotations

from collections.abc import Callable

from inarow.agents.agent import Agent
from inarow.games.position import Position
from inarow.games.record import GameRecord

Show = Callable[[Position], None]


class TakeBackRequest(Exception):
    """Raised from a question to a person who wants the last own move back."""


class LeaveRequest(Exception):
    """Raised from a question to a person who wants to stop."""


class Session:
    """Plays from `start` with `first` and `second`, showing every position."""

    def __init__(self, first: Agent, second: Agent, start: Position, show: Show) -> None:
        self.position = start
        self._start = start
        self._agents = first, second
        self._show = show

    @property
    def to_move(self) -> Agent:
        return self._agents[self.position.side_to_move - 1]

    def run(self) -> GameRecord:
        """Plays until the game is over or somebody leaves."""
        while not self.position.is_over:
            self._show(self.position)
            try:
                self.position = self.position.play(self.to_move.decide(self.position).action)
            except TakeBackRequest:
                self._take_back()
            except LeaveRequest:
                break
        self._show(self.position)
        return self.record()

    def record(self) -> GameRecord:
        first, second = self._agents
        return GameRecord.of_position(self.position, first.name, second.name, opening=self._start.ply)

    def _take_back(self) -> None:
        """Back to the last position in which the same agent was to move; stays if there is none."""
        actions, asking = self.position.actions, self.to_move
        for ply in range(len(actions) - 1, self._start.ply - 1, -1):
            if self._agents[ply % 2].name == asking.name:
                self.position = self._replayed(actions[:ply])
                return

    def _replayed(self, actions: tuple[int, ...]) -> Position:
        position = Position.start(self.position.spec)
        for action in actions:
            position = position.play(action)
        return position
