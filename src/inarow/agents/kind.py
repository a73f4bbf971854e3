"""Agent kinds, the rows of the registry, and their parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import msgspec
import numpy as np

from inarow.agents.agent import Agent
from inarow.errors import shown

Build = Callable[[str, Any, np.random.Generator], Agent]  # (agent string, parameters, random stream) -> agent
_NOUNS = {"integer": "a whole number", "number": "a number", "boolean": "true or false", "string": "text"}


@dataclass(frozen=True, slots=True)
class AgentKind:
    """A row of the registry."""

    name: str
    summary: str
    parameters: type[msgspec.Struct]
    build: Build
    content_hash: Callable[[Any], str | None] | None = None
    """From parameters to a hash of their files and of the code of registered parts; None if there are none."""
    limits: tuple[str, ...] = ()
    """The budget fields of `Limits` that the agents support. Agents with any also support `cancelled`."""
    runs_code: bool = False  # whether the agents execute code of a file among their parameters
    is_custom: bool = False  # whether the running program registered it
    is_object: bool = False  # whether one object of the running program plays all games


@dataclass(frozen=True, slots=True)
class ParameterInfo:
    """The description of one parameter."""

    name: str
    kind: str  # `integer`, `number`, `boolean` or `string`, and other valid words, separated by |
    default: Any
    minimum: float | None
    maximum: float | None
    summary: str

    @property
    def expectation(self) -> str:
        """A description of valid values, e.g. `a number from 0 to 1`."""
        head, *words = self.kind.split("|")
        if head not in _NOUNS:
            return f"one of {', '.join((head, *words))}"
        noun = _NOUNS[head]
        if self.minimum is not None and self.maximum is not None:
            noun += f" from {self.minimum:.10g} to {self.maximum:.10g}"
        elif self.minimum is not None:
            noun += f", at least {self.minimum:g}"
        return " or ".join((noun, *words))


def check_kind(kind: object) -> None:
    """Raises TypeError unless `kind` is an AgentKind with a default for every parameter."""
    if not isinstance(kind, AgentKind):
        raise TypeError(f"{shown(repr(kind))} is not an AgentKind")
    for info in parameter_infos(kind):
        if info.default is msgspec.NODEFAULT:
            raise TypeError(f"{info.name} of {kind.name} has no default")


def format_agent(kind: AgentKind, parameters: msgspec.Struct) -> str:
    """The shortest agent string of the same agent: only values that differ from their defaults."""
    pairs = [
        f"{field.name}={format_value(value)}"
        for field in msgspec.structs.fields(kind.parameters)
        if (value := getattr(parameters, field.name)) != field.default
    ]
    return kind.name + (":" + ",".join(pairs) if pairs else "")


def format_value(value: Any) -> str:
    """A parameter value as in agent strings."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def parameter_infos(kind: AgentKind) -> list[ParameterInfo]:
    """The parameters of an agent kind, from the types of its struct."""
    return [_parameter_info(field) for field in msgspec.structs.fields(kind.parameters)]


def choices_of(kind: Any) -> tuple[str, ...]:
    """The valid words of a parameter whose `msgspec.Meta` has a function `choices` in `extra`; empty for others."""
    extra = extra_of(kind)
    return tuple(sorted(extra["choices"]())) if extra else ()


def extra_of(kind: Any) -> dict[str, Any]:
    """The `extra` of a parameter's `msgspec.Meta`: `choices`, and as `part` the kind of objects registered
    under them.
    """
    return next((part.extra for part in get_args(kind) if isinstance(part, msgspec.Meta) and part.extra), {})


def _parameter_info(field: msgspec.structs.FieldInfo) -> ParameterInfo:
    schema = msgspec.json.schema(field.type)
    alternatives = schema.get("anyOf", [schema])
    kinds = [kind for each in alternatives for kind in each.get("enum", [each.get("type")])]
    return ParameterInfo(
        name=field.name,
        kind="|".join(map(str, choices_of(field.type) or kinds)),
        default=field.default,
        minimum=alternatives[0].get("minimum", alternatives[0].get("exclusiveMinimum")),
        maximum=alternatives[0].get("maximum", alternatives[0].get("exclusiveMaximum")),
        summary=schema.get("description", ""),
    )
