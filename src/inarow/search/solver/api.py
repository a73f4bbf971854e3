"""`solve`, `analyse` and `solve_lines`: functions that share one solver per board, with the books of the package."""

import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Literal

from inarow.errors import BookError, InarowError, one_line
from inarow.games import CONNECT_FOUR, Board, GameSpec, Position
from inarow.search.limits import Limits, Watch
from inarow.search.solver.book import Book
from inarow.search.solver.solution import Analysis, Solution
from inarow.search.solver.solver import DEFAULT_MEMORY, Solver

BookChoice = Book | Literal["shipped"] | None
"""A book, "shipped" for the book that ships with the package for that board (if any), or None."""


class BookWarning(UserWarning):
    """A book was rejected; the solver continues without it."""


def solve(
    position: Position | str,
    *,
    board: Board = CONNECT_FOUR,
    book: BookChoice = "shipped",
    weak: bool = False,
    limits: Limits | None = None,
    memory: int = DEFAULT_MEMORY,
    threads: int = 1,
    watch: Watch[Solution] | None = None,
) -> Solution:
    """The exact score of an unfinished position; see `Solver.solve`. `book=None` searches without a book; `board` is
    the board of a move string.
    """
    position = Position.parse(position, board)
    return solver_for(position.spec, book, memory, threads).solve(position, weak=weak, limits=limits, watch=watch)


def analyse(
    position: Position | str,
    *,
    board: Board = CONNECT_FOUR,
    book: BookChoice = "shipped",
    only_best: bool = False,
    limits: Limits | None = None,
    memory: int = DEFAULT_MEMORY,
    threads: int = 1,
    watch: Watch[Analysis] | None = None,
) -> Analysis:
    """The exact score of every action of an unfinished position; see `solve` and `Solver.analyse`."""
    position = Position.parse(position, board)
    solver = solver_for(position.spec, book, memory, threads)
    return solver.analyse(position, only_best=only_best, limits=limits, watch=watch)


def solver_for(spec: GameSpec, book: BookChoice = "shipped", memory: int = DEFAULT_MEMORY, threads: int = 1) -> Solver:
    """A solver, cached for the next call with the same arguments."""
    if isinstance(book, Book):
        return Solver(spec, memory=memory, threads=threads, book=book)
    return _kept_solver(spec, memory, threads, book == "shipped")


@lru_cache(maxsize=4)
def _kept_solver(spec: GameSpec, memory: int, threads: int, has_book: bool) -> Solver:
    return Solver(spec, memory=memory, threads=threads, book=shipped_book(spec) if has_book else None)


@lru_cache(maxsize=16)
def shipped_book(spec: GameSpec) -> Book | None:
    """The book that ships with the package for a board, if any; None, after one warning, if it is damaged."""
    source = files("inarow.search.solver") / "books" / f"{spec}.npz"
    if not spec.gravity or not source.is_file():
        return None
    try:
        with as_file(source) as path:
            return Book.load(path)
    except BookError as error:
        warnings.warn(f"continuing without a book: {one_line(error)}", BookWarning, stacklevel=2)
        return None


def solve_lines(
    lines: Iterable[str],
    spec: GameSpec,
    solver: Solver,
    *,
    scores: bool = False,
    weak: bool = False,
    limits: Limits | None = None,
) -> Iterator[tuple[str, str]]:
    """The line mode of Pons' solver: for each line (`moves score`, ""), or ("", error message) if it is invalid.

    With `scores` the answer has the score of every action, `-` for an illegal one; with `weak` only the outcome.
    """
    for number, line in enumerate(lines, start=1):
        try:
            position = Position.parse(line, spec)
            if scores:
                analysis = solver.analyse(position, limits=limits)
                answer = " ".join("-" if score is None else str(score) for score in analysis.scores)
            else:
                solution = solver.solve(position, weak=weak, limits=limits)
                known = solution.outcome if weak else solution.score
                answer = f"{solution.lower}..{solution.upper}" if known is None else str(known)
            yield f"{position.moves} {answer}", ""
        except InarowError as error:
            yield "", f"line {number}: {one_line(error)}"
