"""`inarow solve`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from inarow.cli.options import Board, Json, Memory, Threads, UnusedSeed
from inarow.cli.output import print_json, spinner, stdout
from inarow.errors import BookError, InvalidLimitError, one_line
from inarow.games.notation import MARKS, format_move
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.limits import Limits
from inarow.search.solver.api import BookChoice, solver_for
from inarow.search.solver.book import Book
from inarow.search.solver.lines import solve_lines
from inarow.search.solver.solution import Analysis
from inarow.search.solver.solver import Solver


def solve(
    moves: Annotated[str, Parameter(allow_leading_hyphen=True)],
    *,
    board: Board = "connect4",
    scores: bool = False,
    weak: bool = False,
    book: Path | None = None,
    no_book: bool = False,
    nodes: int | None = None,
    seconds: float | None = None,
    memory: Memory = 256,
    threads: Threads = 1,
    json: Json = False,
    seed: UnusedSeed = 0,
) -> None:
    """Solve a position exactly: its score, the plies to the end, and the score of every action.

    With - for MOVES, reads one move string per line and prints "moves score" for each.

    Args:
        moves: Move string of the position, "" for the empty board, or - for lines from stdin.
        scores: With -, print the score of every action instead, - for an illegal one.
        weak: With -, print only the outcome: 1 win, 0 draw, -1 loss.
        book: Use this opening book.
        no_book: Search without a book.
        nodes: Stop after about this many nodes, with bounds on the score.
        seconds: Stop after this many seconds, with bounds on the score; not reproducible.
    """
    spec = GameSpec.parse(board)
    limits = make_limits(nodes, seconds)
    if moves == "-" and json:
        raise InvalidLimitError("--json prints one document, but - prints one line per position; use one or the other")
    position = Position.parse("" if moves == "-" else moves, spec)
    solver = make_solver(spec, book=book, no_book=no_book, memory=memory, threads=threads)
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
    if json:
        print_json(_document(position, analysis))
    else:
        _print_analysis(position, analysis)


def _document(position: Position, analysis: Analysis) -> dict[str, object]:
    return {
        "board": str(position.spec),
        "moves": position.moves,
        "score": analysis.score,
        "bounds": analysis.bounds,
        "plies": analysis.plies,
        "best": [action + 1 for action in analysis.best],
        "scores": analysis.scores,
        "nodes": analysis.nodes,
        "seconds": analysis.seconds,
    }


def _print_analysis(position: Position, analysis: Analysis) -> None:
    spec = position.spec
    stdout.print(_verdict(position, analysis), style="bold")
    if analysis.score is not None:
        known = {action: "?" if score is None else str(score) for action, score in enumerate(analysis.scores)}
        cells = [(format_move(action, spec), known[action]) for action in position.legal_actions]
        width = max(len(text) for pair in cells for text in pair) + 1
        for at in range(0, len(cells), 16):
            for row in zip(*cells[at : at + 16], strict=True):
                stdout.print("".join(text.rjust(width) for text in row))
        best = " ".join(format_move(action, spec) for action in analysis.best)
        stdout.print(f"best: {best or '?'}")
    stdout.print(f"{analysis.nodes:,} nodes in {analysis.seconds:.3f} s", style="dim")


def _verdict(position: Position, analysis: Analysis) -> str:
    mover = MARKS[position.side_to_move]
    if analysis.score is None:
        low, high = analysis.bounds
        return f"{mover} to move: not solved within the limits; the score is {low} to {high}"
    result = "draws" if analysis.score == 0 else "wins" if analysis.score > 0 else "loses"
    return f"{mover} to move {result} in {analysis.plies} plies: score {analysis.score}"


def make_solver(spec: GameSpec, *, book: Path | None, no_book: bool, memory: int, threads: int) -> Solver:
    """The solver that the options describe; `memory` in megabytes. It works without a broken book, after a warning."""
    choice: BookChoice = None if no_book else "shipped"
    if book is not None:
        try:
            choice = Book.load(book)
            if choice.spec != spec:
                raise BookError(f"{book} is for {choice.spec}, not for {spec}")
        except BookError as error:
            print(f"inarow: continuing without a book: {one_line(error)}", file=sys.stderr)
            choice = None
    return solver_for(spec, choice, memory << 20, threads)


def make_limits(nodes: int | None, seconds: float | None) -> Limits | None:
    """The limits that the options describe; None for the solver's usual ones."""
    for name, number in (("nodes", nodes), ("seconds", seconds)):
        if number is not None and not number > 0:
            raise InvalidLimitError(f"{name} is {number}; it must be above 0")
    return None if nodes is None and seconds is None else Limits(nodes=nodes, seconds=seconds)
