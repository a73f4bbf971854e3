"""Boards as SVG: for pages, with colours from their style sheet and a script that steps through the game, or alone."""

from collections.abc import Collection, Sequence
from itertools import product
from xml.etree.ElementTree import Element, tostring

from inarow.games import GameSpec, Position
from inarow.games.notation import format_move
from inarow.report.markup import append, element, signed

_CELL, _EDGE = 40, 4
_HEAD, _FOOT = 22, 26  # height above and below a board with gravity for the names of columns and their scores
_INK = "#1b2430"
_ALONE: dict[str, dict[str, str]] = {
    "frame": {"fill": "#d5dce6"},
    "hole": {"fill": "#f6f7f9"},
    "first": {"fill": "#c84e00"},
    "second": {"fill": "#0b66a8"},
    "mark": {"fill": "none", "stroke": "#ffffff", "stroke-width": "3", "stroke-linecap": "round"},
    "line": {"fill": "none", "stroke": _INK, "stroke-width": "3.5"},
    "action": {"fill": "#5b6776", "font-size": "12", "text-anchor": "middle"},
    "cell": {"fill": "#5b6776", "font-size": "7", "text-anchor": "start"},
    "score": {"fill": _INK, "font-size": "15", "text-anchor": "middle"},
    "best": {"font-weight": "700", "text-decoration": "underline"},
}
"""The attributes of each class in the light colours of the style sheet."""


def board_svg(position: Position) -> str:
    """A standalone board: it needs no style sheet and has its own background, so that it is readable on light and dark
    pages. The last stone has a border.
    """
    board = draw_board(position, f"Position {position.moves or 'at the start'} on {position.spec}")
    x, y, width, height = map(float, board.get("viewBox", "").split())
    board.insert(0, element("rect", x=x, y=y, width=width, height=height, rx=6.0, fill="#ffffff"))
    for node in board.iter():
        if node.get("data-ply") == str(position.ply) and (node.get("class") or "").startswith("stone"):
            node[0].set("stroke", _INK)
            node[0].set("stroke-width", "2")
        for name in (node.attrib.pop("class", None) or "").split():
            for attribute, value in _ALONE.get(name, {}).items():
                node.set(attribute, value)
        for name in ("data-ply", "data-action", "style"):
            node.attrib.pop(name, None)
    for name, value in {
        "xmlns": "http://www.w3.org/2000/svg",
        "width": f"{width:.0f}",
        "height": f"{height:.0f}",
        "font-family": "system-ui, sans-serif",
    }.items():
        board.set(name, value)
    return tostring(board, encoding="unicode")


def scored_board(position: Position, label: str, scores: Sequence[int | None], best: Collection[int]) -> Element:
    """A board for a page with the known scores of actions; the best are underlined."""
    board = draw_board(position, label)
    for node in board.iter("text"):
        action = node.get("data-action")
        if action is not None and (score := scores[int(action)]) is not None:
            node.text = signed(score)
            if int(action) in best:
                node.set("class", "score best")
    return board


def draw_board(position: Position, label: str) -> Element:
    """The stones of the game that leads to `position`, with `data-ply` from 1, and text elements for the score of
    every action, with `data-action`.
    """
    spec = position.spec
    head, foot = (_HEAD, _FOOT) if spec.gravity else (_EDGE, _EDGE)
    width, height = spec.columns * _CELL, spec.rows * _CELL
    style = f"max-width: {_CELL * 2 * spec.columns}px"
    view = f"{-_EDGE} {-head} {width + 2 * _EDGE} {head + height + foot}"
    board = element("svg", class_="board", role="img", aria_label=label, style=style, viewBox=view)
    append(board, element("rect", class_="frame", x=-2, y=-2, width=width + 4, height=height + 4, rx=8))
    for x, y in map(_centre, product(range(spec.rows), range(spec.columns))):
        append(board, element("circle", class_="hole", cx=x, cy=y, r=16))
    append(board, *(node for action in range(spec.actions) for node in _action_texts(action, spec)))
    for ply, (before, action) in enumerate(zip(position.line(), position.actions, strict=False), start=1):
        append(board, _stone(ply, before.layout.row_and_column(before.landing_cell(action))))
    for x, y in map(_centre, position.winning_line):
        append(board, element("circle", class_="line", cx=x, cy=y, r=17, data_ply=position.ply))
    return board


def _stone(ply: int, cell: tuple[int, int]) -> Element:
    """A cross for the first side, a ring for the second, so that they differ in shape as well as in colour."""
    cross = element("path", class_="mark", d="M-5.5 -5.5 L5.5 5.5 M5.5 -5.5 L-5.5 5.5")
    side, mark = ("first", cross) if ply % 2 else ("second", element("circle", class_="mark", r=6.5))
    x, y = _centre(cell)
    place = f"translate({x} {y})"
    return element("g", element("circle", r=16), mark, class_=f"stone {side}", data_ply=ply, transform=place)


def _action_texts(action: int, spec: GameSpec) -> tuple[Element, Element]:
    """The name of an action and the element for its score: above and below a column, or both in a cell."""
    x, y = _centre(divmod(action, spec.columns))
    if spec.gravity:
        kind, name_place, score_y = "action", (x, -9), spec.rows * _CELL + 20
    else:
        kind, name_place, score_y = "action cell", (x - 18, y - 13), y + 5
    name = element("text", format_move(action, spec), class_=kind, x=name_place[0], y=name_place[1])
    return name, element("text", class_="score", x=x, y=score_y, data_action=action)


def _centre(cell: tuple[int, int]) -> tuple[int, int]:
    row, column = cell
    return column * _CELL + _CELL // 2, row * _CELL + _CELL // 2
