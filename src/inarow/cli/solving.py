"""What the commands that solve have in common: the book, the limits, the solver."""

from __future__ import annotations

import sys
from pathlib import Path

from inarow.errors import BookError, InvalidLimitError, one_line
from inarow.games.spec import GameSpec
from inarow.search.limits import Limits
from inarow.search.solver.api import BookChoice, solver_for
from inarow.search.solver.book import Book
from inarow.search.solver.solver import Solver


def make_solver(spec: GameSpec, *, book: Path | None, no_book: bool, memory: int, threads: int) -> Solver:
    """The solver that the options describe; `memory` in megabytes. A broken book costs one warning
    line, and the solver goes on without it.
    """
    choice: BookChoice = None if no_book else "shipped"
    if book is not None:
        try:
            choice = Book.load(book)
            if choice.spec != spec:
                raise BookError(f"{book} is for {choice.spec}, not for {spec}")
        except BookError as error:
            print(f"inarow: going on without a book: {one_line(error)}", file=sys.stderr)
            choice = None
    return solver_for(spec, choice, memory << 20, threads)


def make_limits(nodes: int | None, seconds: float | None) -> Limits | None:
    """The limits that the options describe; None for the solver's usual ones."""
    for name, number in (("nodes", nodes), ("seconds", seconds)):
        if number is not None and not number > 0:
            raise InvalidLimitError(f"{name} is {number}; it must be above 0")
    return None if nodes is None and seconds is None else Limits(nodes=nodes, seconds=seconds)
