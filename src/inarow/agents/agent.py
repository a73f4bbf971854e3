"""The interface of agents, and base classes for them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Annotated, Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
from msgspec import Meta, Struct

from inarow.games import GameSpec, Position
from inarow.results import Result
from inarow.search.limits import Limits, Watch


class _Action(Struct, frozen=True):
    action: int


class Decision(_Action, Result, frozen=True, kw_only=True):
    """An action, and what the agent knows about it; None where it knows nothing.

    Everything is for the side to move. Tuples have one entry per action of the spec.
    """

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
    """Further data of this agent; must be JSON."""

    def rows(self) -> list[dict[str, object]]:
        """A row for each action of which something is known, and for the one chosen."""
        known = {"policy": self.policy, "visits": self.visits, "score": self.scores}
        actions = max([self.action + 1, *(len(values) for values in known.values() if values)])
        return [
            {
                "action": action,
                "is_chosen": action == self.action,
                **{name: values[action] if values else None for name, values in known.items()},
            }
            for action in range(actions)
            if action == self.action or any(known.values())
        ]


Watcher = Watch[Decision]


class Agent(Protocol):
    """Decides in positions that are not over; in others ours raise FinishedGameError. Its random stream is
    given at construction, so the same agent string and seed in the same game give the same decisions.

    `limits` and `watch` are described in `search/limits.py`. Agents that decide at once ignore them.
    """

    @property
    def name(self) -> str:
        """The agent string that makes it."""
        ...

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision: ...


Seconds = Annotated[float, Meta(gt=0, le=3600)] | Literal["none"]  # a parameter: time for a move
ParametersT = TypeVar("ParametersT", bound=Struct)
ResultT = TypeVar("ResultT")


def watch_results(watch: Watcher | None, to_decision: Callable[[ResultT], Decision]) -> Watch[ResultT] | None:
    """A watch of a search that passes its results on as decisions."""
    return None if watch is None else lambda result: watch(to_decision(result))


def joined_digests(*digests: str | None) -> str | None:
    """One text for the digests of what an agent is made of; None if there are none."""
    return "+".join(digest or "" for digest in digests) if any(digests) else None


class ParameterisedAgent(Generic[ParametersT]):
    """Base of agents built from the parameters of an agent string and a random stream."""

    def __init__(self, name: str, parameters: ParametersT, rng: np.random.Generator) -> None:
        self.name = name
        self._parameters = parameters
        self._rng = rng


class ImmediateAgent(ABC):
    """Base of agents that decide at once: they ignore limits and watchers."""

    name: str

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision:
        position.check_ongoing()
        return self._decide(position)

    @abstractmethod
    def _decide(self, position: Position) -> Decision:
        """The decision in a position that is not over."""


@runtime_checkable
class BoardBoundAgent(Protocol):
    """An agent that does not play every board."""

    def check_board(self, spec: GameSpec) -> None:
        """Raises an InarowError if it cannot play on a board; loads only what this check needs."""
        ...


def check_board(agent: Agent, spec: GameSpec) -> None:
    """Raises InarowError if an agent cannot play on a board."""
    if isinstance(agent, BoardBoundAgent):
        agent.check_board(spec)


@runtime_checkable
class PreparedAgent(Protocol):
    """An agent whose first decision would take long."""

    def prepare(self, spec: GameSpec) -> None:
        """Loads what decisions on a board need; changes none of them."""
        ...
