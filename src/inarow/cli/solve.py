"""`inarow solve`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from inarow.cli.drawing import MARKS
from inarow.cli.options import Board, Json, Memory, Seed, Threads
from inarow.cli.output import print_json, spinner, stdout
from inarow.cli.solving import make_limits, make_solver
from inarow.engine.lines import solve_lines
from inarow.errors import InvalidLimitError
from inarow.games.notation import format_move
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.solver.solution import Analysis


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
    seed: Seed = 0,
) -> None:
    """Solve a position exactly: its score, the moves to the end, and the score of every action.

    With - for MOVES, reads a move string a line and prints "moves score" for each.

    Args:
        moves: Move string of the position, "" for the empty board, or - for lines from stdin.
        scores: With -, print the score of every action instead; an illegal one is -.
        weak: With -, only the outcome: 1 win, 0 draw, -1 loss.
        book: Use this opening book.
        no_book: Search without a book.
        nodes: Stop after about so many nodes, with bounds.
        seconds: Stop after so many seconds, with bounds; not reproducible.
    """
    spec = GameSpec.parse(board)
    limits = make_limits(nodes, seconds)
    if moves == "-" and json:
        raise InvalidLimitError("--json prints one document, - a line for each position: give one of them")
    position = Position.parse("" if moves == "-" else moves, spec)
    solver = make_solver(spec, book=book, no_book=no_book, memory=memory, threads=threads)
    if moves == "-":
        sys.exit(solve_lines(sys.stdin, spec, solver, scores=scores, weak=weak, limits=limits))
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
    stdout.print(_verdict(position, analysis), style="bold", highlight=False)
    if analysis.score is not None:
        known = {action: "?" if score is None else str(score) for action, score in enumerate(analysis.scores)}
        cells = [(format_move(action, spec), known[action]) for action in position.legal_actions]
        width = max(len(text) for pair in cells for text in pair) + 1
        for at in range(0, len(cells), 16):
            for row in zip(*cells[at : at + 16], strict=True):
                stdout.print("".join(text.rjust(width) for text in row), highlight=False)
        best = " ".join(format_move(action, spec) for action in analysis.best)
        stdout.print(f"best: {best or '?'}", highlight=False)
    stdout.print(f"{analysis.nodes:,} nodes in {analysis.seconds:.3f} s", style="dim", highlight=False)


def _verdict(position: Position, analysis: Analysis) -> str:
    mover = MARKS[position.side_to_move]
    if analysis.score is None:
        return (
            f"{mover} to move: not solved within the limits; the score is {analysis.bounds[0]} to {analysis.bounds[1]}"
        )
    result = "draws" if analysis.score == 0 else "wins" if analysis.score > 0 else "loses"
    return f"{mover} to move {result} in {analysis.plies} plies: score {analysis.score}"
