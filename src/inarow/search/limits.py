"""Limits and watchers of searches, the same for every search, agent and front end.

A search polls its limits every few milliseconds, stops within 50 ms of reaching one and returns the best result so far.
It calls `watch` at the same rate, which does not change results; an exception of `watch` ends the search and
propagates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from inarow.errors import InvalidLimitError

ResultT = TypeVar("ResultT")

Watch = Callable[[ResultT], None]
"""Receives intermediate results of a search: a `Decision` from an agent, the search's own result type otherwise."""

POLL_SECONDS = 0.02  # usual upper limit of the time between two checks of the limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits that stop a search early; None is no limit.

    Passed to an agent, a budget (any field except `cancelled`) replaces the budget of the agent string; `cancelled`
    alone does not. Fields that an agent does not support are ignored: `AgentKind.limits` lists the supported ones.
    `seconds=math.inf` with `cancelled` searches until cancelled.
    """

    nodes: int | None = None
    simulations: int | None = None
    depth: int | None = None  # plies to look ahead, at least 1
    seconds: float | None = None  # wall-clock time; the result is not reproducible
    cancelled: Callable[[], bool] | None = None  # called during the search, possibly from another thread; True stops it

    def __post_init__(self) -> None:
        least = {"nodes": self.nodes, "simulations": self.simulations, "seconds": self.seconds}
        for name, value in least.items():
            if value is not None and not value >= 0:
                raise InvalidLimitError(f"{name} is {value}; it must not be negative")
        if self.depth is not None and self.depth < 1:
            raise InvalidLimitError(f"depth is {self.depth}; it must be at least 1")

    def replaced_by(self, given: Limits | None, honoured: Sequence[str]) -> Limits:
        """These limits, or the budget of `given` if it sets a field of `honoured`; `cancelled` is that of `given`."""
        if given is None:
            return self
        budget = {name: getattr(given, name) for name in honoured}
        if all(value is None for value in budget.values()):
            return replace(self, cancelled=given.cancelled)
        return Limits(**budget, cancelled=given.cancelled)

    def less(self, nodes: int, seconds: float) -> Limits:
        """The limits that remain after this many nodes and seconds."""
        return replace(
            self,
            nodes=None if self.nodes is None else max(0, self.nodes - nodes),
            seconds=None if self.seconds is None else max(0.0, self.seconds - seconds),
        )

    def is_reached(self, nodes: int, seconds: float) -> bool:
        """Whether a search that has used this many nodes and seconds must stop; calls `cancelled`."""
        return (
            (self.nodes is not None and nodes >= self.nodes)
            or (self.seconds is not None and seconds >= self.seconds)
            or (self.cancelled is not None and self.cancelled())
        )


NO_LIMITS = Limits()
