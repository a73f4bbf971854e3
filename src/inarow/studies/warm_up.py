"""Compiles every kernel of this package by calling it once."""

from collections.abc import Callable, Iterator
from functools import partial

from inarow.agents.registry import make_agent
from inarow.games import Position
from inarow.studies.agents import KINDS

_QUICK = {name: f"{name}:episodes=1" for name in ("harman/q", "kumbhakern-2025/window")}
"""Agents with long training, with a short one."""


def warm_up_steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """The names and functions to run, on a board of one word, as used by the published systems."""
    for kind in KINDS:
        yield kind.name, partial(_decide, _QUICK.get(kind.name, kind.name))


def _decide(name: str) -> None:
    make_agent(name).decide(Position.start())
