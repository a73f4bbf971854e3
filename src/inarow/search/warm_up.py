"""Compiles every kernel of this room by using it once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.questions import Limits
from inarow.search.solver import MIN_MEMORY, Solver


def warm_up_steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """What to run, each with its name."""
    boards = (("solver", CONNECT_FOUR), ("solver (free)", TIC_TAC_TOE), ("solver (wide)", GameSpec(8, 8, 5)))
    for name, spec in boards:
        yield name, partial(_solve_a_little, Position.start(spec))


def _solve_a_little(position: Position) -> None:
    Solver(position.spec, memory=MIN_MEMORY).solve(position, limits=Limits(nodes=100))
