"""The line mode of Pons' solver: a position a line in, its answer a line out, in order."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from inarow.errors import InarowError, one_line
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.limits import Limits
from inarow.search.solver.solver import Solver


def solve_lines(
    lines: Iterable[str], spec: GameSpec, solver: Solver, *, scores: bool, weak: bool, limits: Limits | None
) -> int:
    """Answers on stdout, complaints with the number of the line on stderr; returns the exit code."""
    code = 0
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
            print(f"{position.moves} {answer}", flush=True)
        except InarowError as error:
            print(f"inarow: line {number}: {one_line(error)}", file=sys.stderr)
            print(flush=True)
            code = 1
    return code
