"""From agent strings to agents: `name` or `name:key=value,key=value`.

An agent kind is a name, a sentence, a `msgspec.Struct` of parameters with their defaults and
ranges, and a function that builds the agent. Everything that lists, checks or offers agents reads
this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.human import Ask, HumanAgent
from inarow.agents.perfect import SolverAgent, SolverParameters
from inarow.agents.simple import (
    GreedyAgent,
    NoParameters,
    RandomAgent,
    ReflexParameters,
    WinBlockAgent,
)
from inarow.errors import InvalidAgentError, shown

Seed = int | np.random.SeedSequence
Build = Callable[[str, Any, np.random.Generator], Agent]
"""(agent string, parameters, random stream) -> agent"""

_MAX_AGENT_STRING = 1000


@dataclass(frozen=True, slots=True)
class AgentKind:
    """A row of the registry."""

    name: str
    summary: str
    parameters: type[msgspec.Struct]
    build: Build


@dataclass(frozen=True, slots=True)
class ParameterInfo:
    """What people are told about one parameter."""

    name: str
    kind: str
    """`integer`, `number`, `boolean`, `string`, or the choices separated by |."""
    default: Any
    minimum: float | None
    maximum: float | None
    summary: str

    @property
    def expectation(self) -> str:
        """What a value must be, e.g. `a number from 0 to 1`."""
        if "|" in self.kind:
            return f"one of {self.kind.replace('|', ', ')}"
        noun = {"integer": "a whole number", "number": "a number", "boolean": "true or false"}.get(self.kind, "text")
        if self.minimum is not None and self.maximum is not None:
            return f"{noun} from {self.minimum:g} to {self.maximum:g}"
        return noun if self.minimum is None else f"{noun}, at least {self.minimum:g}"


def _build_human(name: str, parameters: Any, rng: np.random.Generator) -> Agent:
    raise InvalidAgentError("human needs somebody to ask: use `inarow play`, or make_agent(..., ask=function)")


REGISTRY: Mapping[str, AgentKind] = {
    kind.name: kind
    for kind in (
        AgentKind("random", "uniformly random legal moves", NoParameters, RandomAgent),
        AgentKind("greedy", "takes a win, else random (gupta-shah-2022)", ReflexParameters, GreedyAgent),
        AgentKind("winblock", "takes a win, else blocks, else random (paranji-2025)", ReflexParameters, WinBlockAgent),
        AgentKind("solver", "perfect: quickest win, slowest loss", SolverParameters, SolverAgent),
        AgentKind("human", "a person at the keyboard", NoParameters, _build_human),
    )
}


def make_agent(text: str, *, seed: Seed = 0, ask: Ask | None = None) -> Agent:
    """The agent of an agent string. All its chance comes from `seed`; `ask` is for `human`."""
    kind, parameters = parse_agent(text)
    name = _canonical_name(text)
    if kind.build is _build_human and ask is not None:
        return HumanAgent(name, ask)
    return kind.build(name, parameters, np.random.default_rng(seed))


@lru_cache(maxsize=1024)
def parse_agent(text: str) -> tuple[AgentKind, msgspec.Struct]:
    """The kind and the checked parameters of an agent string; raises InvalidAgentError."""
    if len(text) > _MAX_AGENT_STRING:
        raise InvalidAgentError(f"the agent string has {len(text)} characters; at most {_MAX_AGENT_STRING} are read")
    name, colon, rest = text.partition(":")
    if name not in REGISTRY:
        raise InvalidAgentError(f"there is no agent {shown(name)}; agents are {', '.join(REGISTRY)}")
    kind = REGISTRY[name]
    infos = {info.name: info for info in parameter_infos(kind)}
    values: dict[str, Any] = {}
    for pair in rest.split(",") if colon else ():
        key, equals, value = pair.partition("=")
        if key not in infos:
            valid = f"its keys are {', '.join(infos)}" if infos else "it takes none"
            raise InvalidAgentError(f"{name} has no key {shown(key)}; {valid}")
        if not equals or key in values:
            problem = "is given twice" if key in values else "has no value"
            raise InvalidAgentError(f"{key} of {name} {problem}; write {name}:{key}={format_value(infos[key].default)}")
        values[key] = _convert(kind, infos[key], value)
    return kind, kind.parameters(**values)


def _convert(kind: AgentKind, info: ParameterInfo, text: str) -> Any:
    wanted = {field.name: field.type for field in msgspec.structs.fields(kind.parameters)}[info.name]
    try:
        return msgspec.convert(text, wanted, strict=False)
    except msgspec.ValidationError:
        raise InvalidAgentError(f"{info.name} of {kind.name} is {shown(text)}; it must be {info.expectation}") from None


def format_agent(kind: AgentKind, parameters: msgspec.Struct) -> str:
    """The shortest agent string that makes the same agent: values that differ from their default."""
    pairs = [
        f"{field.name}={format_value(value)}"
        for field in msgspec.structs.fields(kind.parameters)
        if (value := getattr(parameters, field.name)) != field.default
    ]
    return kind.name + (":" + ",".join(pairs) if pairs else "")


@lru_cache(maxsize=1024)
def _canonical_name(text: str) -> str:
    return format_agent(*parse_agent(text))


def format_value(value: Any) -> str:
    """A parameter value as agent strings write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def parameter_infos(kind: AgentKind) -> list[ParameterInfo]:
    """The parameters of an agent kind, from the types of its struct."""
    return [_parameter_info(field) for field in msgspec.structs.fields(kind.parameters)]


def _parameter_info(field: msgspec.structs.FieldInfo) -> ParameterInfo:
    schema = msgspec.json.schema(field.type)
    kind = "|".join(str(choice) for choice in schema["enum"]) if "enum" in schema else schema.get("type", "string")
    return ParameterInfo(
        name=field.name,
        kind=kind,
        default=field.default,
        minimum=schema.get("minimum", schema.get("exclusiveMinimum")),
        maximum=schema.get("maximum", schema.get("exclusiveMaximum")),
        summary=schema.get("description", ""),
    )
