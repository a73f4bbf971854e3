"""The data that the front end of the board draws, as JSON. The front end does not know the rules."""

from __future__ import annotations

from inarow.games import Position
from inarow.games.notation import MARKS, format_move
from inarow.search.solver.solution import Analysis

JsonObject = dict[str, object]


def view_of_position(position: Position) -> JsonObject:
    """The board, its stones and its legal moves. Cells are counted row by row from the top left."""
    spec = position.spec
    last = position.last_cell
    return {
        "rows": spec.rows,
        "columns": spec.columns,
        "gravity": spec.gravity,
        "names": [format_move(action, spec) for action in range(spec.actions)],
        "cells": position.to_kaggle(),
        "landing": _landing(position),
        "last": None if last is None else last[0] * spec.columns + last[1],
        "line": [row * spec.columns + column for row, column in position.winning_line],
        "side": position.side_to_move,
        "ply": position.ply,
    }


def _landing(position: Position) -> list[int | None]:
    """The cell of the stone by action; None for an illegal action."""
    spec, legal = position.spec, set(position.legal_actions)
    cells: list[int | None] = []
    for action in range(spec.actions):
        if action not in legal:
            cells.append(None)
        elif spec.gravity:
            row, column = position.layout.row_and_column(position.landing_cell(action))
            cells.append(row * spec.columns + column)
        else:
            cells.append(action)
    return cells


def view_of_analysis(position: Position, analysis: Analysis) -> JsonObject:
    """The hints: the known scores, the best actions, and a sentence."""
    return {"scores": analysis.scores, "best": analysis.best, "text": _advice(position, analysis)}


def _advice(position: Position, analysis: Analysis) -> str:
    if analysis.score is None:
        return "Too hard to solve within a few seconds."
    best = ", ".join(format_move(action, position.spec) for action in analysis.best)
    if analysis.score == 0:
        return f"A draw with best play: {best}."
    plies = f"{analysis.plies} {'ply' if analysis.plies == 1 else 'plies'}"
    verb = "wins" if analysis.score > 0 else "loses"
    return f"{MARKS[position.side_to_move]} {verb} in {plies} with best play: {best}."
