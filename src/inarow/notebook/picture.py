"""The position of a board as a picture that needs no kernel and no script, for exported notebooks."""

from __future__ import annotations

from inarow.games import Position
from inarow.games.notation import format_move

_CELL = 40
_COLOURS = {1: "#e2622b", 2: "#57a8e0"}


def svg_of(position: Position) -> str:
    """The position as an SVG document: a cross for the first side, a ring for the second."""
    spec = position.spec
    width, height = spec.columns * _CELL, spec.rows * _CELL
    foot = 22 if spec.gravity else 0
    parts = [f'<rect x="0" y="0" width="{width}" height="{height}" rx="8" fill="#33486f"/>']
    for cell, side in enumerate(position.to_kaggle()):
        row, column = divmod(cell, spec.columns)
        parts.append(_cell(column * _CELL + _CELL // 2, row * _CELL + _CELL // 2, side))
    for row, column in position.winning_line:
        x, y = column * _CELL + _CELL // 2, row * _CELL + _CELL // 2
        parts.append(f'<circle cx="{x}" cy="{y}" r="17" fill="none" stroke="#ffffff" stroke-width="4"/>')
    if spec.gravity:
        for column in range(spec.columns):
            x = column * _CELL + _CELL // 2
            parts.append(f'<text x="{x}" y="{height + 17}" fill="#7a828e">{format_move(column, spec)}</text>')
    box = f'viewBox="-2 -2 {width + 4} {height + foot + 4}" width="{width + 4}" height="{height + foot + 4}"'
    style = 'font-family="sans-serif" font-size="14" text-anchor="middle"'
    title = f"<title>{spec} after {position.moves or 'no moves'}</title>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} {style} role="img">{title}{"".join(parts)}</svg>'


def _cell(x: int, y: int, side: int) -> str:
    if side == 0:
        return f'<circle cx="{x}" cy="{y}" r="16" fill="#f4f1ea"/>'
    disc = f'<circle cx="{x}" cy="{y}" r="16" fill="{_COLOURS[side]}"/>'
    if side == 1:
        mark = f'<path d="M{x - 6} {y - 6}l12 12m0-12l-12 12" stroke="#ffffff" stroke-width="3"/>'
    else:
        mark = f'<circle cx="{x}" cy="{y}" r="7" fill="none" stroke="#0e2b44" stroke-width="3"/>'
    return disc + mark
