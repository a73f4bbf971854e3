"""`inarow solve`."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from inarow.cli.options import Board, Json, Memory, Threads, UnusedSeed
from inarow.cli.output import print_json, spinner, stdout
from inarow.errors import BookError, InvalidLimitError, one_line
from inarow.games import GameSpec, Position
from inarow.games.notation import MARKS, format_move
from inarow.search.limits import Limits
from inarow.search.solver.api import BookChoice, solve_lines, solver_for
from inarow.search.solver.book import Book
from inarow.search.solver.solution import Analysis
from inarow.search.solver.solver import Solver


@Parameter(name="*", help="Options of the solver.")
@dataclass(frozen=True, slots=True)
class SolverOptions:
    """The options of commands that solve positions."""

    book: Path | None = None
    """Use this opening book."""
    no_book: bool = False
    """Search without a book."""
    nodes: int | None = None
    """Stop each position after about this many nodes; an unsolved score is shown as bounds or as ?."""
    seconds: float | None = None
    """Stop each position after this many seconds, in the same way; not reproducible."""
    memory: Memory = 256
    threads: Threads = 1

    def limits(self) -> Limits | None:
        """None for the solver's usual ones; raises InvalidLimitError."""
        for name, number in (("nodes", self.nodes), ("seconds", self.seconds)):
            if number is not None and not number > 0:
                raise InvalidLimitError(f"{name} is {number}; it must be above 0")
        return None if self.nodes is self.seconds is None else Limits(nodes=self.nodes, seconds=self.seconds)

    def solver(self, spec: GameSpec) -> Solver:
        """It works without a broken book, after a warning."""
        choice: BookChoice = None if self.no_book else "shipped"
        if self.book is not None:
            try:
                choice = Book.load(self.book)
                if choice.spec != spec:
                    raise BookError(f"{self.book} is for {choice.spec}, not for {spec}")
            except BookError as error:
                print(f"inarow: continuing without a book: {one_line(error)}", file=sys.stderr)
                choice = None
        return solver_for(spec, choice, self.memory << 20, self.threads)


USUAL = SolverOptions()


def solve(
    moves: Annotated[str, Parameter(allow_leading_hyphen=True)],
    *,
    board: Board = "connect4",
    scores: bool = False,
    weak: bool = False,
    options: SolverOptions = USUAL,
    json: Json = False,
    seed: UnusedSeed = 0,
) -> None:
    """Solve a position exactly: its score and that of every move.

    With - for MOVES, reads one move string per line and prints "moves score" for each.

    Args:
        moves: Move string of the position, "" for the empty board, or - for lines from stdin.
        scores: With -, print the score of every action instead, - for an illegal one.
        weak: With -, print only the outcome: 1 win, 0 draw, -1 loss.

    Examples:
        inarow solve 4453                              # after four moves
        inarow solve "" --board 5x5x4 --json           # the empty board
        inarow solve - --scores < positions.txt        # one position per line
    """
    spec = GameSpec.parse(board)
    limits = options.limits()
    if moves == "-" and json:
        raise InvalidLimitError("--json prints one document, but - prints one line per position; use one or the other")
    position = Position.parse("" if moves == "-" else moves, spec)
    solver = options.solver(spec)
    if moves == "-":
        code = 0
        for answer, problem in solve_lines(sys.stdin, spec, solver, scores=scores, weak=weak, limits=limits):
            if problem:
                print(f"inarow: {problem}", file=sys.stderr)
                code = 1
            print(answer, flush=True)
        sys.exit(code)
    with spinner(f"solving {spec} {position.moves}"):
        analysis = solver.analyse(position, limits=limits)
    if not json:
        _print_analysis(position, analysis)
        return
    names = ("score", "bounds", "plies", "best", "scores", "nodes", "seconds")
    known = {name: getattr(analysis, name) for name in names} | {"best": [action + 1 for action in analysis.best]}
    print_json({"board": str(spec), "moves": position.moves, **known})


def _print_analysis(position: Position, analysis: Analysis) -> None:
    spec, mover = position.spec, MARKS[position.side_to_move]
    if analysis.score is None:
        low, high = analysis.bounds
        stdout.print(f"{mover} to move: not solved within the limits; the score is {low} to {high}", style="bold")
    else:
        result = "draws" if analysis.score == 0 else "wins" if analysis.score > 0 else "loses"
        stdout.print(f"{mover} to move {result} in {analysis.plies} plies: score {analysis.score}", style="bold")
        known = {action: "?" if score is None else str(score) for action, score in enumerate(analysis.scores)}
        cells = [(format_move(action, spec), known[action]) for action in position.legal_actions]
        width = max(len(text) for pair in cells for text in pair) + 1
        for at in range(0, len(cells), 16):
            for row in zip(*cells[at : at + 16], strict=True):
                stdout.print("".join(text.rjust(width) for text in row))
        best = " ".join(format_move(action, spec) for action in analysis.best)
        stdout.print(f"best: {best or '?'}")
    stdout.print(f"{analysis.nodes:,} nodes in {analysis.seconds:.3f} s", style="dim")
