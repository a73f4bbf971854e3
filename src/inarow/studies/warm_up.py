"""Compiles every kernel of this package by using it once."""

from collections.abc import Callable, Iterator
from functools import partial

from inarow.agents.registry import make_agent
from inarow.games import Position
from inarow.studies.agents import KINDS

_QUICK = {name: f"{name}:episodes=1" for name in ("harman/q", "kumbhakern-2025/window")}
"""Agents whose training takes long."""


def warm_up_steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """What to run, each with its name, on a board of one word, as the published systems use."""
    for kind in KINDS:
        yield kind.name, partial(_decide, _QUICK.get(kind.name, kind.name))


def _decide(name: str) -> None:
    make_agent(name).decide(Position.start())
