"""Agents of the user's program: objects, classes and functions wherever an agent string is accepted."""

from __future__ import annotations

import inspect
import operator
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol, SupportsIndex, TypeVar, cast, runtime_checkable

import msgspec
import numpy as np

from inarow.agents.agent import Agent, Decision, Watcher
from inarow.agents.kind import AgentKind, Build
from inarow.agents.registry import Seed, add_kind, make_agent, parse_agent, registry, remove_kind, string_of
from inarow.agents.simple import HumanAgent, NoParameters
from inarow.errors import InvalidAgentError, PluginError, shown
from inarow.games import GameSpec, Position
from inarow.plugins import share, source_digest, unshare, why_unreachable
from inarow.search.limits import Limits
from inarow.workers import Workers

_KIND = "agent"
_GIVEN = ("name", "parameters", "rng")  # possible parameters of a constructor or factory


@runtime_checkable
class Decides(Protocol):
    """An object that plays."""

    def decide(self, position: Position, /) -> Decision | SupportsIndex: ...


AgentLike = str | Decides | Callable[[Position], Decision | SupportsIndex] | Callable[..., Decides]
"""An agent string, an object with `decide`, a class of such objects, a function that returns one, or a function
`position -> action`. A class, or a function that returns an object, may take `name`, `parameters` and `rng`.
"""
_AgentT = TypeVar("_AgentT", bound=Callable[..., Any])


def register_agent(
    name: str, *, summary: str = "", parameters: type[msgspec.Struct] = NoParameters, limits: tuple[str, ...] = ()
) -> Callable[[_AgentT], _AgentT]:
    """A decorator that registers a class or a function under an agent string. Replaces an earlier one of that name.

    It decorates a class or a function as in `AgentLike`. `parameters` has a default for every key of the agent string.
    Worker processes can use the agent if they can import it: from a module, a script or a plug-in file.
    """

    def register(made_by: _AgentT) -> _AgentT:
        _register(name, made_by, summary, parameters, limits)
        return made_by

    return register


def _register(
    name: str, made_by: Callable[..., Any], summary: str, parameters: type[msgspec.Struct], limits: tuple[str, ...]
) -> None:
    about = summary or (inspect.getdoc(made_by) or "registered").partition("\n")[0]
    # A closure may hold any object with unknown state: its games are never merged with those of another agent.
    digest = secrets.token_hex(8) if getattr(made_by, "__closure__", None) else source_digest(made_by)
    add_kind(AgentKind(name, about, parameters, _builder(made_by), lambda parameters: digest, limits, is_custom=True))
    share(_KIND, name, _register, name, made_by, summary, parameters, limits)


# --- From anything to an agent ---


def as_agent(agent: AgentLike, seed: Seed = 0) -> Agent:
    """The agent itself, or an agent made from a string, a class or a function, with a random stream seeded by `seed`.

    Raises InvalidAgentError for anything else.
    """
    if isinstance(agent, str):
        return make_agent(agent, seed=seed)
    if (own := _own(agent)) is not None:
        return own
    name = name_of(agent)
    return _builder(agent)(name, NoParameters(), np.random.default_rng(seed))


@contextmanager
def agent_strings(*agents: AgentLike) -> Iterator[tuple[str, ...]]:
    """The agent strings of some agents. Within the block, agents that are not strings are registered under their names;
    a number is added if another agent has the name.
    """
    added: list[str] = []
    try:
        strings = []
        for agent in agents:
            string = agent if isinstance(agent, str) else _own_string(agent)
            if string is None:
                string = _free_name(name_of(agent))
                _add(string, agent)
                added.append(string)
            strings.append(string)
        yield tuple(strings)
    finally:
        for name in added:
            remove_kind(name)
            unshare(_KIND, name)


def check_reachable(agents: tuple[str, ...], workers: Workers) -> None:
    """Raises PluginError if worker processes cannot create one of these agents."""
    if workers == 1:
        return
    for agent in agents:
        kind, _ = parse_agent(agent)
        if kind.is_object:
            raise PluginError(f"{kind.name} is a single object: for worker processes pass its class or a function")
        if unreachable := why_unreachable(_KIND, kind.name):
            raise PluginError(unreachable)


def _add(name: str, agent: AgentLike) -> None:
    """Registers an agent that is not a string, under a free name."""
    is_object = not inspect.isclass(agent) and hasattr(agent, "decide")
    if callable(agent) and not is_object:
        _register(name, agent, "", NoParameters, ())
    else:
        # The state of an object is unknown, so its games are never merged with those of another agent.
        identity = secrets.token_hex(8)
        kind = AgentKind(name, "an object", NoParameters, _builder(agent), lambda parameters: identity)
        add_kind(replace(kind, is_custom=True, is_object=True))


def name_of(agent: object) -> str:
    """A name for an object, a class or a function, valid as an agent string."""
    given = getattr(agent, "name", None)
    name = given if isinstance(given, str) and given else getattr(agent, "__name__", type(agent).__name__)
    return "".join("-" if each in ":,= \t\n" else each for each in name.strip("<>"))


def _free_name(name: str) -> str:
    taken, number, free = registry(), 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _own_string(agent: object) -> str | None:
    """The agent string of an agent of inarow that was made from one; None for other objects. An agent that was made
    from a net or a table directly may be named like another one.
    """
    return None if isinstance(agent, HumanAgent) or _own(agent) is None else string_of(agent)


def _own(agent: object) -> Agent | None:
    is_own = type(agent).__module__.startswith("inarow.") and not inspect.isclass(agent) and hasattr(agent, "decide")
    return cast(Agent, agent) if is_own else None


def _builder(source: Any) -> Build:
    """A function that creates agents from an object, a class or a function; raises InvalidAgentError."""
    if not inspect.isclass(source) and hasattr(source, "decide"):
        return lambda name, parameters, rng: CustomAgent(name, source.decide, source)
    if not callable(source):
        raise InvalidAgentError(f"{shown(repr(source))} is not an agent: it has no method `decide(position)`")
    wanted = inspect.signature(source).parameters
    makes_agents = inspect.isclass(source) or wanted.keys() <= set(_GIVEN)
    if inspect.isclass(source) and (missing := [name for name, each in wanted.items() if _is_missing(each)]):
        name = source.__name__
        raise InvalidAgentError(
            f"{name} needs {', '.join(missing)}: pass a function that creates it, lambda: {name}(...)"
        )

    def build(name: str, parameters: Any, rng: np.random.Generator) -> Agent:
        if not makes_agents:
            return CustomAgent(name, source)
        given = dict(zip(_GIVEN, (name, parameters, rng), strict=True))
        made = source(**{key: given[key] for key in wanted if key in given})
        if not hasattr(made, "decide"):
            raise InvalidAgentError(f"{name} returned {shown(repr(made))}, which has no method `decide(position)`")
        return CustomAgent(name, made.decide, made)

    return build


def _is_missing(parameter: inspect.Parameter) -> bool:
    """Whether a constructor requires an argument that inarow does not pass."""
    is_one = parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return is_one and parameter.default is parameter.empty and parameter.name not in _GIVEN


class CustomAgent:
    """Decides by a function, which may ignore limits and may return a plain action."""

    def __init__(self, name: str, function: Callable[..., Any], owner: object = None) -> None:
        self.name, self._function, self._owner = name, function, owner
        keywords = inspect.signature(function).parameters.values()
        takes_all = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in keywords)
        self._takes = {"limits", "watch"} if takes_all else {"limits", "watch"} & {each.name for each in keywords}

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision:
        position.check_ongoing()
        given = {"limits": limits, "watch": watch}
        made = self._function(position, **{name: given[name] for name in self._takes})
        return made if isinstance(made, Decision) else Decision(operator.index(made))

    def check_board(self, spec: GameSpec) -> None:
        check = getattr(self._owner, "check_board", None)
        if check is not None:
            check(spec)
