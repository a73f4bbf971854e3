"""Thinking under the limits of `go`, for every kind of agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec
import numpy as np
from msgspec.structs import replace

from inarow.agents.agent import Agent, Decision, decide_watched
from inarow.agents.registry import parse_agent
from inarow.engine.requests import LONGEST, GoLimits
from inarow.engine.setup import Setup
from inarow.engine.solver_thinker import SolverThinker
from inarow.games.position import Position

_MOST_SIMULATIONS = 10**8

IsOver = Callable[[], bool]
Tell = Callable[[Decision], None]


class Thinker(Protocol):
    """Decides one position after the other of a game."""

    def think(self, position: Position, limits: GoLimits, is_over: IsOver, tell: Tell) -> Decision:
        """A decision; `tell` hears what is known on the way. Where the agent can be watched it ends
        within some 20 ms after `is_over` says so.
        """
        ...

    def prepare(self, position: Position) -> None:
        """Loads what thinking needs, and changes no decision."""
        ...


def make_thinker(setup: Setup) -> Thinker:
    """For the board and the agent of the options; raises an InarowError."""
    if setup.agent_string == "solver":
        return SolverThinker(
            setup.spec, memory=setup.memory << 20, threads=setup.threads, own_book=setup.book, lines=setup.lines
        )
    return AgentThinker(setup)


class _EnoughError(Exception):
    """Ends a watched search."""


class AgentThinker:
    """Any agent of the registry.

    The limits of `go` become parameters of the agent where it has such. An agent made for other
    limits begins a new tree; its random stream is that of the seed again.
    """

    def __init__(self, setup: Setup) -> None:
        self._kind, parameters = parse_agent(setup.agent_string)
        self._parameters = _with_options(parameters, setup)
        self._setup = setup
        self._agents: dict[msgspec.Struct, Agent] = {}

    def think(self, position: Position, limits: GoLimits, is_over: IsOver, tell: Tell) -> Decision:
        best: Decision | None = None

        def watch(known: Decision) -> None:
            nonlocal best
            best = known
            tell(known)
            if is_over() or (limits.nodes is not None and (known.nodes or 0) >= limits.nodes):
                raise _EnoughError

        try:
            return decide_watched(self._agent(_with_limits(self._parameters, limits)), position, watch)
        except _EnoughError:
            assert best is not None
            return best

    def prepare(self, position: Position) -> None:
        self._build(_with_limits(self._parameters, GoLimits(nodes=1, depth=1))).decide(position)

    def _agent(self, parameters: msgspec.Struct) -> Agent:
        if parameters not in self._agents:
            self._agents = {key: agent for key, agent in self._agents.items() if key == self._parameters}
            self._agents[parameters] = self._build(parameters)
        return self._agents[parameters]

    def _build(self, parameters: msgspec.Struct) -> Agent:
        return self._kind.build(self._setup.agent_string, parameters, np.random.default_rng(self._setup.seed))


def _with_options(parameters: Any, setup: Setup) -> Any:
    """The options Threads and Hash, for agents that have such parameters left at their default."""
    changes: dict[str, int] = {}
    for field in msgspec.structs.fields(parameters):
        is_default = getattr(parameters, field.name) == field.default
        if field.name == "threads" and is_default:
            changes["threads"] = setup.threads
        if field.name == "memory" and is_default and setup.memory != Setup().memory:
            changes["memory"] = min(setup.memory, 4096)
    return replace(parameters, **changes)


def _with_limits(parameters: Any, limits: GoLimits) -> Any:
    """Parameters that make an agent think as long as `go` says, as far as it has such."""
    names = {field.name for field in msgspec.structs.fields(parameters)}
    seconds = LONGEST if limits.infinite else limits.seconds
    if "simulations" in names:
        if limits.nodes is not None and "seconds" in names:
            return replace(parameters, simulations=min(limits.nodes, _MOST_SIMULATIONS), seconds="none")
        if seconds is not None and "seconds" in names:
            return replace(parameters, simulations="auto", seconds=seconds)
    elif {"depth", "seconds"} <= names:
        if limits.depth is not None:
            return replace(parameters, depth=min(limits.depth, 256), seconds="none" if seconds is None else seconds)
        if seconds is not None or limits.nodes is not None:
            return replace(parameters, depth="none", seconds=seconds or LONGEST)
    return parameters
