"""The one interface of everything that plays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import msgspec

from inarow.games.position import Position
from inarow.games.spec import GameSpec


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """An action, and what the agent knows about it: None where it does not.

    Everything is for the side to move. Tuples have one entry per action of the spec.
    """

    action: int
    value: float | None = None
    """Expected result in [-1, 1]."""
    policy: tuple[float, ...] | None = None
    """The distribution that `action` was drawn from, or that search prefers; sums to 1."""
    visits: tuple[int, ...] | None = None
    scores: tuple[float | None, ...] | None = None
    """The agent's own evaluation of each action; None for an illegal one."""
    score: int | None = None
    """The exact score, from agents that know it."""
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    details: dict[str, Any] | None = None
    """What only this agent has; must be JSON."""


class Agent(Protocol):
    """Decides in positions that are not over; in others ours raise FinishedGameError. Its random stream is
    given at construction, so the same agent string and seed in the same game give the same decisions.
    """

    @property
    def name(self) -> str:
        """The agent string that makes it."""
        ...

    def decide(self, position: Position) -> Decision: ...


@runtime_checkable
class BoardBoundAgent(Protocol):
    """An agent that does not play every board."""

    def check_board(self, spec: GameSpec) -> None:
        """Raises the InarowError with which it would refuse to decide on a board; loads no more than that takes."""
        ...


def check_board(agent: Agent, spec: GameSpec) -> None:
    """Raises InarowError if an agent knows that it does not play a board."""
    if isinstance(agent, BoardBoundAgent):
        agent.check_board(spec)


Watch = Callable[[Decision], None]
"""Told, while an agent thinks, what it would decide now and what it knows."""


@runtime_checkable
class WatchedAgent(Protocol):
    """An agent that can be watched while it thinks. Being watched changes no decision.

    An exception out of `watch` ends the search and gets through; searches call it every few
    milliseconds.
    """

    def decide_watched(self, position: Position, watch: Watch | None) -> Decision: ...


def decide_watched(agent: Agent, position: Position, watch: Watch) -> Decision:
    """The decision of any agent; `watch` is told of it on the way by those that can be watched."""
    return agent.decide_watched(position, watch) if isinstance(agent, WatchedAgent) else agent.decide(position)
