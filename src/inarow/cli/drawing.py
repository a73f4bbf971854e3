"""A position drawn for a terminal. Colours are a help, never the only sign."""

from __future__ import annotations

from rich.text import Text

from inarow.games.notation import format_move
from inarow.games.position import Position

MARKS = {1: "X", 2: "O"}
STYLES = {1: "bold red", 2: "bold cyan"}


def draw_position(position: Position, *, cursor: int | None = None) -> Text:
    """The board with its moves: columns on top with gravity, else a number in each empty cell.

    Stones of a line stand in square brackets, the last stone in round ones; `cursor` is an action to point at.
    """
    spec, cells = position.spec, position.to_array()
    line = set(position.winning_line)
    last = _last_cell(position)
    width = 3 if spec.gravity else max(3, len(format_move(spec.actions - 1, spec)) + 2)
    text = Text()
    if spec.gravity:
        for column in range(spec.columns):
            pointed = column == cursor
            text.append(format_move(column, spec).center(width), style="reverse" if pointed else "dim")
        text.append("\n")
    for row in range(spec.rows):
        for column in range(spec.columns):
            action = row * spec.columns + column
            side = int(cells[row, column])
            if side:
                left, right = "[]" if (row, column) in line else "()" if (row, column) == last else "  "
                text.append(f"{left}{MARKS[side]}{right}".center(width), style=STYLES[side])
            elif spec.gravity:
                text.append(".".center(width), style="dim")
            else:
                text.append(format_move(action, spec).center(width), style="reverse" if action == cursor else "dim")
        text.append("\n")
    return text


def side_name(side: int, player: str) -> str:
    """A side for people: its mark and who plays it."""
    return f"{MARKS[side]} ({player})"


def _last_cell(position: Position) -> tuple[int, int] | None:
    """(row, column) of the stone played last."""
    if not position.actions:
        return None
    action = position.actions[-1]
    if not position.spec.gravity:
        row, column = divmod(action, position.spec.columns)
        return row, column
    stones = position.mask >> action * position.layout.stride & (1 << position.layout.rows) - 1
    return position.layout.rows - stones.bit_length(), action
