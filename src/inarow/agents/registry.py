"""From agent strings to agents: `name` or `name:key=value,key=value`.

An agent kind is a name, a description, a `msgspec.Struct` of parameters with their defaults and ranges, and a function
that builds the agent. All lists, checks and menus of agents use this table. An entry point adds a kind to every
process; `custom.py` adds agents of the running program.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.alphazero import AlphaZeroAgent, AlphaZeroParameters, net_hash
from inarow.agents.dqn import DqnParameters, build_dqn_agent, dqn_hash
from inarow.agents.kaggle import KaggleFileAgent, KaggleParameters, file_hash
from inarow.agents.kind import (
    AgentKind,
    ParameterInfo,
    check_kind,
    choices_of,
    extra_of,
    format_agent,
    format_value,
    parameter_infos,
)
from inarow.agents.mcts import (
    TREE_LIMITS,
    HybridAgent,
    HybridParameters,
    MctsAgent,
    MctsParameters,
    hybrid_hash,
    mcts_hash,
)
from inarow.agents.minimax import (
    MINIMAX_LIMITS,
    MinimaxAgent,
    MinimaxParameters,
    NegamaxAgent,
    NegamaxParameters,
    minimax_hash,
)
from inarow.agents.q import QAgent, QParameters, table_hash
from inarow.agents.simple import (
    Ask,
    GreedyAgent,
    HumanAgent,
    NoParameters,
    RandomAgent,
    ReflexParameters,
    WinBlockAgent,
)
from inarow.agents.solver import SOLVER_LIMITS, SolverParameters, build_solver_agent
from inarow.agents.window import WindowParameters, build_window_agent, window_hash
from inarow.errors import InvalidAgentError, did_you_mean, shown, unknown
from inarow.plugins import load_plugins, why_unreachable

Seed = int | np.random.SeedSequence

_MAX_AGENT_STRING = 1000
_PLUGINS = "inarow.agents"
_MADE_FROM = "_made_from"  # attribute of agents: their agent string


def _build_human(name: str, parameters: Any, rng: np.random.Generator) -> Agent:
    raise InvalidAgentError("human needs input: use `inarow play`, or make_agent(..., ask=function)")


_OWN_KINDS: Mapping[str, AgentKind] = {
    kind.name: kind
    for kind in (
        AgentKind("random", "uniformly random legal moves", NoParameters, RandomAgent),
        AgentKind("greedy", "wins if it can, else random (gupta-shah-2022)", ReflexParameters, GreedyAgent),
        AgentKind(
            "winblock", "wins if it can, else blocks, else random (paranji-2025)", ReflexParameters, WinBlockAgent
        ),
        AgentKind(
            "minimax",
            "minimax search with a heuristic",
            MinimaxParameters,
            MinimaxAgent,
            minimax_hash,
            MINIMAX_LIMITS,
        ),
        AgentKind(
            "negamax",
            "two-ply search, sometimes random (santos-2025)",
            NegamaxParameters,
            NegamaxAgent,
            limits=MINIMAX_LIMITS,
        ),
        AgentKind("mcts", "Monte Carlo tree search (UCT)", MctsParameters, MctsAgent, mcts_hash, TREE_LIMITS),
        AgentKind(
            "hybrid",
            "MCTS with minimax in rollouts (gupta-shah-2022), selection or backpropagation",
            HybridParameters,
            HybridAgent,
            hybrid_hash,
            TREE_LIMITS,
        ),
        AgentKind("q", "plays by a table of action values", QParameters, QAgent, table_hash),
        AgentKind(
            "window",
            "values of a small board behind sliding windows (kumbhakern-2025)",
            WindowParameters,
            build_window_agent,
            window_hash,
        ),
        AgentKind(
            "alphazero", "search with a trained network", AlphaZeroParameters, AlphaZeroAgent, net_hash, TREE_LIMITS
        ),
        AgentKind("dqn", "plays by a deep Q-learning net (santos-2025)", DqnParameters, build_dqn_agent, dqn_hash),
        AgentKind(
            "solver",
            "perfect play, and weaker levels for people",
            SolverParameters,
            build_solver_agent,
            None,
            SOLVER_LIMITS,
        ),
        AgentKind(
            "kaggle", "plays by a Kaggle ConnectX file", KaggleParameters, KaggleFileAgent, file_hash, runs_code=True
        ),
        AgentKind("human", "a person at the keyboard", NoParameters, _build_human),
    )
}


_registered: dict[str, AgentKind] = {}


@lru_cache(maxsize=1)
def registry() -> Mapping[str, AgentKind]:
    """All agent kinds by name: of this package, registered ones, and those of installed packages.

    A package offers kinds by an entry point in the group `inarow.agents` that names a sequence of `AgentKind`. The
    studies of this package do the same. Names of this package cannot be replaced.
    """
    offered, _ = _load_plugins()
    return {**_OWN_KINDS, **{name: kind for name, kind in offered.items() if name not in _OWN_KINDS}, **_registered}


def add_kind(kind: AgentKind) -> None:
    """Adds an agent kind to the running process; replaces an earlier one of that name. Raises InvalidAgentError."""
    name = kind.name
    if name in _OWN_KINDS or not name or set(name) & set(":,= \t\n"):
        reason = "the name is taken" if name in _OWN_KINDS else "names must not contain spaces, colons, commas or ="
        raise InvalidAgentError(f"cannot register the agent {shown(name)}: {reason}")
    check_kind(kind)
    _registered[name] = kind
    _forget_parsed()


def remove_kind(name: str) -> None:
    """Undoes `add_kind`; does nothing if the kind does not exist."""
    _registered.pop(name, None)
    _forget_parsed()


def _forget_parsed() -> None:
    for cached in (registry, parse_agent, _canonical_name):
        cached.cache_clear()


def broken_plugins() -> Mapping[str, str]:
    """The errors of broken plug-ins, by the name of the agent, or of the entry point if the agent has none."""
    return _load_plugins()[1]


@lru_cache(maxsize=1)
def _load_plugins() -> tuple[Mapping[str, AgentKind], Mapping[str, str]]:
    return load_plugins(_PLUGINS, check_kind, several=True)


def make_agent(text: str, *, seed: Seed = 0, ask: Ask | None = None) -> Agent:
    """Creates an agent from an agent string. `seed` determines its random stream; `ask` is for `human`."""
    kind, parameters = parse_agent(text)
    name = _canonical_name(text)
    if kind.build is _build_human and ask is not None:
        return HumanAgent(name, ask)
    agent = kind.build(name, parameters, np.random.default_rng(seed))
    with suppress(AttributeError, TypeError):  # an object of a plug-in may have slots
        vars(agent)[_MADE_FROM] = name
    return agent


def string_of(agent: object) -> str | None:
    """The agent string from which `make_agent` made an agent; None for any other object, whatever its name."""
    text = getattr(agent, _MADE_FROM, None)
    return text if isinstance(text, str) else None


@lru_cache(maxsize=1024)
def parse_agent(text: str) -> tuple[AgentKind, msgspec.Struct]:
    """The kind and the checked parameters of an agent string; raises InvalidAgentError."""
    if len(text) > _MAX_AGENT_STRING:
        raise InvalidAgentError(f"the agent string has {len(text)} characters; the limit is {_MAX_AGENT_STRING}")
    name, colon, rest = text.partition(":")
    kind = _OWN_KINDS.get(name) or registry().get(name)
    if kind is None:
        raise InvalidAgentError(_why_unknown(name))
    infos = {info.name: info for info in parameter_infos(kind)}
    values: dict[str, Any] = {}
    for pair in rest.split(",") if colon else ():
        key, equals, value = pair.partition("=")
        if key not in infos:
            valid = f"its keys are {', '.join(infos)}" if infos else "it takes none"
            raise InvalidAgentError(f"{name} has no key {shown(key)}{did_you_mean(key, infos)}; {valid}")
        if not equals or key in values:
            problem = "is given twice" if key in values else "has no value"
            raise InvalidAgentError(f"{key} of {name} {problem}; write {name}:{key}={format_value(infos[key].default)}")
        values[key] = _convert(kind, infos[key], value)
    try:
        return kind, kind.parameters(**values)
    except ValueError as error:  # values that exclude each other
        raise InvalidAgentError(f"{name} {error}") from None


def _why_unknown(name: str) -> str:
    broken = broken_plugins()
    reason = broken.get(name) or broken.get(name.partition("/")[0])
    if reason is not None:
        return reason
    if unreachable := why_unreachable("agent", name):
        return unreachable
    also = f"; broken plug-ins are {', '.join(broken)}" if broken else ""
    return unknown("agent", name, registry()) + also


def _convert(kind: AgentKind, info: ParameterInfo, text: str) -> Any:
    wanted = {field.name: field.type for field in msgspec.structs.fields(kind.parameters)}[info.name]
    choices = choices_of(wanted)
    try:
        text.encode()  # a path may be invalid UTF-8, which stores and records cannot hold
        if choices and text not in choices:
            raise msgspec.ValidationError
        return msgspec.convert(text, wanted, strict=False)
    except (msgspec.ValidationError, UnicodeError):
        given = f"{shown(text)}{did_you_mean(text, choices)}"
        problem = f"{info.name} of {kind.name} is {given}; it must be {info.expectation}"
        also = why_unreachable(extra_of(wanted).get("part", ""), text)
        raise InvalidAgentError(f"{problem}; {also}" if also else problem) from None


@lru_cache(maxsize=1024)
def _canonical_name(text: str) -> str:
    return format_agent(*parse_agent(text))
