"""From agent strings to agents: `name` or `name:key=value,key=value`.

An agent kind is a name, a sentence, a `msgspec.Struct` of parameters with their defaults and ranges, and a function
that builds the agent. Everything that lists, checks or offers agents reads this table. `register_agent` adds a kind
to the running process, an entry point to every process.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar, get_args

import msgspec
import numpy as np

from inarow.agents.agent import Agent, Decision, Watcher
from inarow.agents.alphazero import AlphaZeroAgent, AlphaZeroParameters, net_hash
from inarow.agents.dqn import DqnParameters, build_dqn_agent, dqn_hash
from inarow.agents.kaggle import KaggleFileAgent, KaggleParameters, file_hash
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
from inarow.agents.window import WindowParameters, build_window_agent
from inarow.errors import InvalidAgentError, shown
from inarow.games import Position
from inarow.plugins import load_plugins, why_unreachable
from inarow.search.limits import Limits

Seed = int | np.random.SeedSequence
Build = Callable[[str, Any, np.random.Generator], Agent]  # (agent string, parameters, random stream) -> agent

_MAX_AGENT_STRING = 1000
_NOUNS = {"integer": "a whole number", "number": "a number", "boolean": "true or false", "string": "text"}
_PLUGINS = "inarow.agents"


@dataclass(frozen=True, slots=True)
class AgentKind:
    """A row of the registry."""

    name: str
    summary: str
    parameters: type[msgspec.Struct]
    build: Build
    content_hash: Callable[[Any], str | None] | None = None
    """From parameters to a hash of the files that they name, and of the code of registered parts; None without any."""
    limits: tuple[str, ...] = ()
    """The budget fields of `Limits` that the agents honour. Those with any also honour `cancelled`."""
    runs_code: bool = False  # whether a file that the parameters name is executed


@dataclass(frozen=True, slots=True)
class ParameterInfo:
    """The description of one parameter."""

    name: str
    kind: str  # `integer`, `number`, `boolean` or `string`, and words that are valid instead, separated by |
    default: Any
    minimum: float | None
    maximum: float | None
    summary: str

    @property
    def expectation(self) -> str:
        """What a value must be, e.g. `a number from 0 to 1`."""
        head, *words = self.kind.split("|")
        if head not in _NOUNS:
            return f"one of {', '.join((head, *words))}"
        noun = _NOUNS[head]
        if self.minimum is not None and self.maximum is not None:
            noun += f" from {self.minimum:.10g} to {self.maximum:.10g}"
        elif self.minimum is not None:
            noun += f", at least {self.minimum:g}"
        return " or ".join((noun, *words))


def _build_human(name: str, parameters: Any, rng: np.random.Generator) -> Agent:
    raise InvalidAgentError("human needs a person to ask: use `inarow play`, or make_agent(..., ask=function)")


_OWN_KINDS: Mapping[str, AgentKind] = {
    kind.name: kind
    for kind in (
        AgentKind("random", "uniformly random legal moves", NoParameters, RandomAgent),
        AgentKind("greedy", "takes a win, else random (gupta-shah-2022)", ReflexParameters, GreedyAgent),
        AgentKind("winblock", "takes a win, else blocks, else random (paranji-2025)", ReflexParameters, WinBlockAgent),
        AgentKind(
            "minimax",
            "looks ahead, evaluates by a heuristic",
            MinimaxParameters,
            MinimaxAgent,
            minimax_hash,
            MINIMAX_LIMITS,
        ),
        AgentKind(
            "negamax",
            "two plies ahead, at times at random (santos-2025)",
            NegamaxParameters,
            NegamaxAgent,
            limits=MINIMAX_LIMITS,
        ),
        AgentKind("mcts", "Monte Carlo tree search (UCT)", MctsParameters, MctsAgent, mcts_hash, TREE_LIMITS),
        AgentKind(
            "hybrid",
            "MCTS with minimax rollouts (gupta-shah-2022)",
            HybridParameters,
            HybridAgent,
            hybrid_hash,
            TREE_LIMITS,
        ),
        AgentKind("q", "plays from a table of action values", QParameters, QAgent, table_hash),
        AgentKind(
            "window",
            "a small board's Q-table behind sliding windows (kumbhakern-2025)",
            WindowParameters,
            build_window_agent,
            table_hash,
        ),
        AgentKind(
            "alphazero", "search with a trained network", AlphaZeroParameters, AlphaZeroAgent, net_hash, TREE_LIMITS
        ),
        AgentKind("dqn", "plays from a net of deep Q-learning (santos-2025)", DqnParameters, build_dqn_agent, dqn_hash),
        AgentKind(
            "solver", "perfect, and weaker levels for people", SolverParameters, build_solver_agent, None, SOLVER_LIMITS
        ),
        AgentKind(
            "kaggle", "plays from a Kaggle ConnectX file", KaggleParameters, KaggleFileAgent, file_hash, runs_code=True
        ),
        AgentKind("human", "a person at the keyboard", NoParameters, _build_human),
    )
}


_registered: dict[str, AgentKind] = {}
_AgentT = TypeVar("_AgentT", bound=Callable[..., Any])


@lru_cache(maxsize=1)
def registry() -> Mapping[str, AgentKind]:
    """All agent kinds by name: those of this package, those registered, and those that installed packages offer.

    A package offers kinds by an entry point in the group `inarow.agents` that names a sequence of `AgentKind`. The
    studies of this package do the same. A name of this package cannot be replaced.
    """
    offered, _ = _load_plugins()
    return {**_OWN_KINDS, **{name: kind for name, kind in offered.items() if name not in _OWN_KINDS}, **_registered}


def register_agent(
    name: str, *, summary: str = "", parameters: type[msgspec.Struct] = NoParameters, limits: tuple[str, ...] = ()
) -> Callable[[_AgentT], _AgentT]:
    """A decorator that makes a class or function an agent of this process. Replaces an earlier one of that name.

    A class has a method `decide(position)`, which may take `limits` and `watch`; its constructor takes any of
    `name`, `parameters` and `rng`. So does a function that returns such an object. Any other function takes a
    position. A decision is an action or a `Decision`. Worker processes know only agents of entry points.
    """

    def register(made_by: _AgentT) -> _AgentT:
        if name in _OWN_KINDS or not name or set(name) & set(":,= \t\n"):
            reason = "the name is taken" if name in _OWN_KINDS else "a name has no spaces and none of : , ="
            raise InvalidAgentError(f"cannot register the agent {shown(name)}: {reason}")
        about = summary or (inspect.getdoc(made_by) or "registered").partition("\n")[0]
        kind = AgentKind(name, about, parameters, _builder(made_by), limits=limits)
        _check_kind(kind)
        _registered[name] = kind
        for cached in (registry, parse_agent, _canonical_name):
            cached.cache_clear()
        return made_by

    return register


def _builder(made_by: Callable[..., Any]) -> Build:
    """How a registered class or function becomes an agent."""
    wanted = inspect.signature(made_by).parameters

    def build(name: str, parameters: Any, rng: np.random.Generator) -> Agent:
        if not (inspect.isclass(made_by) or wanted.keys() <= {"name", "parameters", "rng"}):
            return _RegisteredAgent(name, made_by)
        given = {"name": name, "parameters": parameters, "rng": rng}
        return _RegisteredAgent(name, made_by(**{key: given[key] for key in wanted if key in given}).decide)

    return build


class _RegisteredAgent:
    """Decides by a function, which may not support limits and may return a plain action."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self._function = function
        keywords = inspect.signature(function).parameters.values()
        takes_all = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in keywords)
        self._takes = {"limits", "watch"} if takes_all else {"limits", "watch"} & {each.name for each in keywords}

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision:
        position.check_ongoing()
        given = {"limits": limits, "watch": watch}
        made = self._function(position, **{name: given[name] for name in self._takes})
        return made if isinstance(made, Decision) else Decision(action=int(made))


def broken_plugins() -> Mapping[str, str]:
    """The errors of broken plug-ins, by the name of the agent, or of the entry point where it names none."""
    return _load_plugins()[1]


@lru_cache(maxsize=1)
def _load_plugins() -> tuple[Mapping[str, AgentKind], Mapping[str, str]]:
    return load_plugins(_PLUGINS, _check_kind, several=True)


def _check_kind(kind: object) -> None:
    """Raises TypeError for what cannot be listed with all its defaults."""
    if not isinstance(kind, AgentKind):
        raise TypeError(f"{shown(repr(kind))} is not an AgentKind")
    for info in parameter_infos(kind):
        if info.default is msgspec.NODEFAULT:
            raise TypeError(f"{info.name} of {kind.name} has no default")


def make_agent(text: str, *, seed: Seed = 0, ask: Ask | None = None) -> Agent:
    """The agent of an agent string. Its random stream follows from `seed`; `ask` is for `human`."""
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
    kind = _OWN_KINDS.get(name) or registry().get(name)
    if kind is None:
        raise InvalidAgentError(_why_unknown(name))
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
    try:
        return kind, kind.parameters(**values)
    except ValueError as error:  # values that exclude each other
        raise InvalidAgentError(f"{name} {error}") from None


def _why_unknown(name: str) -> str:
    broken = broken_plugins()
    reason = broken.get(name) or broken.get(name.partition("/")[0])
    if reason is not None:
        return reason
    also = f"; broken plug-ins are {', '.join(broken)}" if broken else ""
    return f"there is no agent {shown(name)}; agents are {', '.join(registry())}{also}"


def _convert(kind: AgentKind, info: ParameterInfo, text: str) -> Any:
    wanted = {field.name: field.type for field in msgspec.structs.fields(kind.parameters)}[info.name]
    choices = _choices(wanted)
    try:
        text.encode()  # a path need not be text, but stores and records hold nothing else
        if choices and text not in choices:
            raise msgspec.ValidationError
        return msgspec.convert(text, wanted, strict=False)
    except (msgspec.ValidationError, UnicodeError):
        problem = f"{info.name} of {kind.name} is {shown(text)}; it must be {info.expectation}"
        also = why_unreachable(_extra(wanted).get("part", ""), text)
        raise InvalidAgentError(f"{problem}; {also}" if also else problem) from None


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


def _choices(kind: Any) -> tuple[str, ...]:
    """The valid words of a parameter whose `msgspec.Meta` has a function `choices` in `extra`; else none."""
    extra = _extra(kind)
    return tuple(sorted(extra["choices"]())) if extra else ()


def _extra(kind: Any) -> dict[str, Any]:
    """What a parameter's `msgspec.Meta` has in `extra`: `choices`, and as `part` what is registered under them."""
    return next((part.extra for part in get_args(kind) if isinstance(part, msgspec.Meta) and part.extra), {})


def _parameter_info(field: msgspec.structs.FieldInfo) -> ParameterInfo:
    schema = msgspec.json.schema(field.type)
    alternatives = schema.get("anyOf", [schema])
    kinds = [kind for each in alternatives for kind in each.get("enum", [each.get("type")])]
    return ParameterInfo(
        name=field.name,
        kind="|".join(map(str, _choices(field.type) or kinds)),
        default=field.default,
        minimum=alternatives[0].get("minimum", alternatives[0].get("exclusiveMinimum")),
        maximum=alternatives[0].get("maximum", alternatives[0].get("exclusiveMaximum")),
        summary=schema.get("description", ""),
    )
