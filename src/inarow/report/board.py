"""A game drawn as one SVG board: every stone has its ply, so that a script replays by showing and hiding.

The sides differ in shape as well as in colour: a cross for the first, a ring for the second.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from inarow.games.notation import format_move
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.report.markup import append, element

_CELL = 40
_EDGE = 4
_HEAD = 22
"""Room above the board for the names of columns."""
_FOOT = 26
"""Room below it for their scores."""


def draw_board(position: Position, label: str) -> Element:
    """The stones of the game that leads to `position`, with `data-ply` from 1; places for the score
    of every action, with `data-action`.
    """
    spec = position.spec
    head, foot = (_HEAD, _FOOT) if spec.gravity else (_EDGE, _EDGE)
    width, height = spec.columns * _CELL, spec.rows * _CELL
    board = element(
        "svg", class_="board", role="img", aria_label=label, style=f"max-width: {_CELL * 2 * spec.columns}px"
    )
    board.set("viewBox", f"{-_EDGE} {-head} {width + 2 * _EDGE} {head + height + foot}")
    append(board, element("rect", class_="frame", x=-2, y=-2, width=width + 4, height=height + 4, rx=8))
    for row in range(spec.rows):
        for column in range(spec.columns):
            x, y = _centre(row, column)
            append(board, element("circle", class_="hole", cx=x, cy=y, r=16))
    append(board, *(node for action in range(spec.actions) for node in _action_texts(action, spec)))
    append(board, *(_stone(ply, *cell) for ply, cell in enumerate(_cells(position), start=1)))
    for row, column in position.winning_line:
        x, y = _centre(row, column)
        append(board, element("circle", class_="line", cx=x, cy=y, r=17, data_ply=position.ply))
    return board


def _cells(position: Position) -> list[tuple[int, int]]:
    """(row, column) of every stone in the order of play."""
    line = zip(position.line(), position.actions, strict=False)
    return [before.layout.row_and_column(before.landing_cell(action)) for before, action in line]


def _stone(ply: int, row: int, column: int) -> Element:
    is_first = ply % 2 == 1
    mark = (
        element("path", class_="mark", d="M-5.5 -5.5 L5.5 5.5 M5.5 -5.5 L-5.5 5.5")
        if is_first
        else element("circle", class_="mark", r=6.5)
    )
    stone = element("g", element("circle", r=16), mark, class_="stone first" if is_first else "stone second")
    x, y = _centre(row, column)
    stone.set("data-ply", str(ply))
    stone.set("transform", f"translate({x} {y})")
    return stone


def _action_texts(action: int, spec: GameSpec) -> tuple[Element, Element]:
    """The name of an action and the place of its score: above and below a column, or both in a cell."""
    name = format_move(action, spec)
    if spec.gravity:
        x, _ = _centre(0, action)
        places = (x, -9), (x, spec.rows * _CELL + 20)
    else:
        x, y = _centre(*divmod(action, spec.columns))
        places = (x - 18, y - 13), (x, y + 5)
    (name_x, name_y), (score_x, score_y) = places
    return (
        element("text", name, class_="action" if spec.gravity else "action cell", x=name_x, y=name_y),
        element("text", class_="score", x=score_x, y=score_y, data_action=action),
    )


def _centre(row: int, column: int) -> tuple[int, int]:
    return column * _CELL + _CELL // 2, row * _CELL + _CELL // 2
