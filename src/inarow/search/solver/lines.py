"""The line mode of Pons' solver: one position per line in, its answer per line out, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inarow.errors import InarowError, one_line
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.limits import Limits
from inarow.search.solver.solver import Solver


def solve_lines(
    lines: Iterable[str],
    spec: GameSpec,
    solver: Solver,
    *,
    scores: bool = False,
    weak: bool = False,
    limits: Limits | None = None,
) -> Iterator[tuple[str, str]]:
    """(answer, problem) for each line: `moves score` and "", or for a bad line "" and what is wrong with it.

    With `scores` the answer has the score of every action, - for an illegal one; with `weak` only the outcome.
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
