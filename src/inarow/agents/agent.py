"""The interface of agents, and its base classes."""

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
    """An action with the agent's evaluation; None where it has none.

    Everything is for the side to move. Tuples have one entry per action of the spec.
    """

    value: float | None = None
    """Expected result in [-1, 1]."""
    policy: tuple[float, ...] | None = None
    """The distribution from which `action` was drawn, or the policy of the search; sums to 1."""
    visits: tuple[int, ...] | None = None
    scores: tuple[float | None, ...] | None = None
    """The agent's own evaluation of each action; None for an illegal one."""
    score: int | None = None
    """The exact score, if the agent knows it."""
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    details: dict[str, Any] | None = None
    """Other data of this agent; must be JSON."""

    def rows(self) -> list[dict[str, object]]:
        """A row for each action with any data, and for the chosen action."""
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
    """Decides in unfinished positions; agents of inarow raise FinishedGameError in finished ones. The random stream is
    given at construction, so the same agent string and seed in the same game give the same decisions.

    `limits` and `watch` are described in `search/limits.py`. Agents that decide without search ignore them.
    """

    @property
    def name(self) -> str:
        """The agent string of this agent."""
        ...

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision: ...


Seconds = Annotated[float, Meta(gt=0, le=3600)] | Literal["none"]  # parameter: time per move
ParametersT = TypeVar("ParametersT", bound=Struct)
ResultT = TypeVar("ResultT")


def watch_results(watch: Watcher | None, to_decision: Callable[[ResultT], Decision]) -> Watch[ResultT] | None:
    """A watcher of a search that forwards its results as decisions to `watch`."""
    return None if watch is None else lambda result: watch(to_decision(result))


def joined_digests(*digests: str | None) -> str | None:
    """The digests of an agent's parts as one string; None if there are none."""
    return "+".join(digest or "" for digest in digests) if any(digests) else None


class ParameterisedAgent(Generic[ParametersT]):
    """Base class of agents built from the parameters of an agent string and a random stream."""

    def __init__(self, name: str, parameters: ParametersT, rng: np.random.Generator) -> None:
        self.name = name
        self._parameters = parameters
        self._rng = rng


class ImmediateAgent(ABC):
    """Base class of agents that decide without search: they ignore limits and watchers."""

    name: str

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision:
        position.check_ongoing()
        return self._decide(position)

    @abstractmethod
    def _decide(self, position: Position) -> Decision:
        """The decision in a position that is not over."""


@runtime_checkable
class BoardBoundAgent(Protocol):
    """An agent that cannot play every board."""

    def check_board(self, spec: GameSpec) -> None:
        """Raises an InarowError if the agent cannot play on a board; loads only the data for this check."""
        ...


def check_board(agent: Agent, spec: GameSpec) -> None:
    """Raises InarowError if an agent cannot play on a board."""
    if isinstance(agent, BoardBoundAgent):
        agent.check_board(spec)


@runtime_checkable
class PreparedAgent(Protocol):
    """An agent whose first decision would take a long time."""

    def prepare(self, spec: GameSpec) -> None:
        """Loads the data for decisions on a board, without an effect on the decisions."""
        ...
