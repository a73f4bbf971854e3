"""The options of the engine, and the agent that they describe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.kind import parameter_infos
from inarow.agents.levels import TOP_LEVEL
from inarow.agents.registry import parse_agent
from inarow.errors import InvalidLimitError, shown, unknown
from inarow.games import GameSpec
from inarow.games.spec import MAX_SIDE, MIN_INAROW
from inarow.search.limits import Limits
from inarow.search.solver.solver import MAX_THREADS

_NUMBER = re.compile(r"[0-9]{1,19}")
_NO_VALUE = "<empty>"  # UCI's notation of an empty string


@dataclass(frozen=True, slots=True)
class Setup:
    """The values of all options. The board may be invalid until all its numbers are set."""

    rows: int = 6
    columns: int = 7
    inarow: int = 4
    gravity: bool = True
    threads: int = 1
    memory: int = 256  # megabytes
    lines: int = 1  # number of moves in `info` lines
    book: bool = True
    level: int = TOP_LEVEL
    seed: int = 0
    agent: str = "solver"

    @property
    def spec(self) -> GameSpec:
        """The board; raises InvalidSpecError."""
        return GameSpec(self.rows, self.columns, self.inarow, self.gravity)

    @property
    def agent_string(self) -> str:
        """The agent to play, a level of the solver if one was set."""
        return f"solver:level={self.level}" if self.agent == "solver" and self.level < TOP_LEVEL else self.agent

    @classmethod
    def on(cls, spec: GameSpec, agent: str, seed: int) -> Setup:
        return cls(spec.rows, spec.columns, spec.inarow, spec.gravity, agent=agent, seed=seed)


def build_agent(setup: Setup) -> Agent:
    """A new agent for the options; raises an InarowError.

    Threads, Hash, OwnBook and MultiPV set the corresponding parameters if the agent string does not.
    """
    kind, parameters = parse_agent(setup.agent_string)
    wanted: dict[str, Any] = {
        "threads": setup.threads,
        "book": setup.book,
        "scores": "all" if setup.lines > 1 else "best",
    }
    if setup.memory != Setup().memory:
        wanted["memory"] = setup.memory
    changes = {
        info.name: wanted[info.name] if info.maximum is None else min(wanted[info.name], int(info.maximum))
        for info in parameter_infos(kind)
        if info.name in wanted and getattr(parameters, info.name) == info.default
    }
    with suppress(ValueError):  # levels of the solver do not take these parameters
        parameters = msgspec.structs.replace(parameters, **changes)
    return kind.build(setup.agent_string, parameters, np.random.default_rng(setup.seed))


def agent_limits(setup: Setup, limits: Limits) -> Limits:
    """The limits of `go` for the agent of the options: tree searches count simulations as nodes."""
    kind, _ = parse_agent(setup.agent_string)
    return replace(limits, nodes=None, simulations=limits.nodes) if "simulations" in kind.limits else limits


OPTIONS: Mapping[str, tuple[str, range | None]] = {
    "Rows": ("rows", range(1, MAX_SIDE + 1)),
    "Cols": ("columns", range(1, MAX_SIDE + 1)),
    "InARow": ("inarow", range(MIN_INAROW, MAX_SIDE + 1)),
    "Gravity": ("gravity", None),
    "Threads": ("threads", range(1, MAX_THREADS + 1)),
    "Hash": ("memory", range(1, 65536 + 1)),
    "MultiPV": ("lines", range(1, MAX_SIDE * MAX_SIDE + 1)),
    "OwnBook": ("book", None),
    "Level": ("level", range(1, TOP_LEVEL + 1)),
    "Seed": ("seed", range(2**63)),
    "Agent": ("agent", None),
}
"""The field of `Setup` for each UCI option, with its values if it is a number."""
_BY_LOWER_CASE = {name.lower(): name for name in OPTIONS}
BOARD_FIELDS = ("rows", "columns", "inarow", "gravity")


def option_lines(setup: Setup) -> Iterator[str]:
    """The `option` lines of `uci`, with the current values as defaults."""
    for name, (field, numbers) in OPTIONS.items():
        value = getattr(setup, field)
        if numbers is not None:
            yield f"option name {name} type spin default {value} min {numbers.start} max {numbers.stop - 1}"
        elif isinstance(value, bool):
            yield f"option name {name} type check default {str(value).lower()}"
        else:
            yield f"option name {name} type string default {value or _NO_VALUE}"


def with_option(setup: Setup, name: str, text: str) -> Setup:
    """The setup after `setoption`; raises an InarowError."""
    known = _BY_LOWER_CASE.get(name.lower())
    if known is None:
        raise InvalidLimitError(unknown("option", name, OPTIONS))
    field, numbers = OPTIONS[known]
    value: Any = text
    if field == "agent":
        parse_agent(text)
    elif numbers is None:
        value = {"true": True, "false": False}.get(text.lower())
    else:
        value = int(text) if _NUMBER.fullmatch(text) and int(text) in numbers else None
    if value is None:
        valid = f"a whole number from {numbers.start} to {numbers.stop - 1}" if numbers else "true or false"
        raise InvalidLimitError(f"{known} is {shown(text)}; it must be {valid}")
    return replace(setup, **{field: value})
