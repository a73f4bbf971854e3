"""What the results store takes and gives back, besides game records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from inarow.agents.registry import format_agent, parse_agent
from inarow.errors import StoreError, one_line

RunStatus = Literal["running", "finished", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """What decides how an agent plays: results of equal identities may be added up."""

    name: str
    """Agent string, in its shortest form."""
    kind: str
    parameters: str
    """A JSON object with all parameters, defaults included."""
    content_hash: str | None = None
    """Of its table or net, if it has one."""

    @classmethod
    def parse(cls, text: str) -> AgentIdentity:
        """The identity of an agent string; raises InvalidAgentError, or what a file it names is not."""
        kind, parameters = parse_agent(text)
        content_hash = None if kind.content_hash is None else kind.content_hash(parameters)
        return cls(format_agent(kind, parameters), kind.name, to_json(parameters), content_hash)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEntry:
    """A match as it was planned; its games are stored one by one."""

    key: str
    """Names the match in its store: the same key, later, means the same match again."""
    board: str
    """Board string, as the records of its games have it."""
    a: AgentIdentity
    b: AgentIdentity
    seed: int
    opening_plies: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    """Whatever else decides the games; must be JSON."""

    @property
    def games_key(self) -> str:
        """The same for matches with the same games, whichever version of inarow played them and whichever agent is
        named first. A match that does not tell its version is like no other.
        """
        settings = dict(self.settings)
        if settings.pop("version", None) is None:
            return self.key
        agents = sorted(map(to_json, (self.a, self.b)))
        return to_json((self.board, agents, str(self.seed), self.opening_plies, settings))


@dataclass(frozen=True, slots=True)
class PairResult:
    """All finished games in which `first` moved first against `second`, counted for `first`."""

    first: AgentIdentity
    second: AgentIdentity
    wins: int
    draws: int
    losses: int
    distinct: int
    """How many of the games differ in their moves."""


@dataclass(frozen=True, slots=True)
class GradeEntry:
    """A grade against perfect play, and when it was given."""

    agent: AgentIdentity
    board: str
    suite: str
    grade: dict[str, Any]
    created: str
    """UTC, ISO 8601, as are all times of the store."""


@dataclass(frozen=True, slots=True)
class RunEntry:
    """Something that was started: a tournament, a training, a grading."""

    id: int
    kind: str
    config: dict[str, Any]
    status: RunStatus
    """A run whose process was killed stays `running`."""
    started: str
    finished: str | None
    command: str
    version: str
    """Of inarow."""


def to_json(value: object) -> str:
    """Compact JSON that is the same for equal values."""
    return msgspec.json.encode(value, order="deterministic").decode()


def from_json(text: str) -> Any:
    """The inverse of `to_json`; raises StoreError."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise StoreError(f"the results store is damaged: {one_line(error)}") from None
