"""Draws the animated picture of the README: a game between two agents with the exact score of every column.

python tools/docs/game_svg.py docs/_static/game.svg
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import inarow

FIRST, SECOND, SEED = "minimax:depth=4", "mcts:simulations=1000", 2
CELL, LEFT, TOP = 50, 20, 58
SECONDS_PER_PLY, LAST_SECONDS = 1.3, 4.0
STYLE = """
text{font:15px system-ui,sans-serif;text-anchor:middle}
.card{fill:#fff;stroke:#c8d0da}.board{fill:#1f5fa8}.hole{fill:#e8eef5}
.x{fill:#d1495b}.o{fill:#f2b632}.mark{fill:none;stroke:#fff;stroke-width:3}
.title{fill:#222;font-weight:600;font-size:14px}.note{fill:#444}.win{fill:#1d7a46;font-weight:700}
.draw{fill:#5a6472}.loss{fill:#b3261e}.best{fill:none;stroke:#1d7a46;stroke-width:2}
.line{fill:none;stroke:#111;stroke-width:5;stroke-linecap:round}
.f{opacity:0;animation-timing-function:linear;animation-iteration-count:infinite}
@media (prefers-color-scheme:dark){.card{fill:#1b1f24;stroke:#3a424c}.hole{fill:#10151b}.title{fill:#eee}
.note{fill:#bbb}.win{fill:#58c98a}.draw{fill:#a0a9b5}.loss{fill:#f28b82}.best{stroke:#58c98a}.line{stroke:#fff}}
"""


def centre(row: int, column: int) -> tuple[int, int]:
    return LEFT + CELL * column + CELL // 2, TOP + CELL * row + CELL // 2


def stone(row: int, column: int, side: int) -> str:
    """Discs differ in shape as well as in colour: X has a cross, O a ring."""
    x, y = centre(row, column)
    mark = f'<path class="mark" d="M{x - 6} {y - 6}l12 12m0-12l-12 12"/>' if side == 1 else ""
    mark = mark or f'<circle class="mark" cx="{x}" cy="{y}" r="7"/>'
    return f'<circle class="{"xo"[side - 1]}" cx="{x}" cy="{y}" r="19"/>{mark}'


def note(text: str) -> str:
    return f'<text class="note" x="{LEFT + CELL * 3.5}" y="44">{text}</text>'


def scores(position: inarow.Position) -> str:
    """The score of every column, the best ones framed."""
    analysis = inarow.analyse(position)
    parts = []
    for column, score in enumerate(analysis.scores):
        if score is None:
            continue
        x, y = centre(position.spec.rows, column)
        kind = "win" if score > 0 else "loss" if score < 0 else "draw"
        shown = f"+{score}" if score > 0 else str(score).replace("-", "\u2212")
        parts.append(f'<text class="{kind}" x="{x}" y="{y + 5}">{shown}</text>')
        if column in analysis.best:
            parts.append(f'<rect class="best" x="{x - 19}" y="{y - 14}" width="38" height="28" rx="6"/>')
    return "".join(parts)


def winning_line(position: inarow.Position) -> str:
    """The four stones that end the game."""
    board, spec = position.to_array(), position.spec
    for row in range(spec.rows):
        for column in range(spec.columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + down * i, column + right * i) for i in range(spec.inarow)]
                inside = all(0 <= r < spec.rows and 0 <= c < spec.columns for r, c in cells)
                if inside and {int(board[cell]) for cell in cells} == {position.winner}:
                    (x, y), (to_x, to_y) = centre(*cells[0]), centre(*cells[-1])
                    return f'<path class="line" d="M{x} {y}L{to_x} {to_y}"/>'
    return ""


def picture(record: inarow.GameRecord) -> str:
    """The game as a repeating SVG animation."""
    positions = list(record.position.line())
    plies = len(positions) - 1
    length = SECONDS_PER_PLY * plies + LAST_SECONDS
    frames: list[tuple[str, float, float]] = []  # content, from, to: seconds
    for ply, (position, after) in enumerate(pairwise(positions)):
        start = SECONDS_PER_PLY * ply
        (cell,) = zip(*(position.to_array() != after.to_array()).nonzero(), strict=True)
        side = ply % 2 + 1
        verdict = "a best move" if record.actions[ply] in inarow.analyse(position).best else "not the best"
        text = note(f"{'XO'[side - 1]} plays column {record.actions[ply] + 1}: {verdict}")
        frames.append((scores(position) + text, start, start + SECONDS_PER_PLY))
        frames.append((stone(*map(int, cell), side), start + SECONDS_PER_PLY * 0.75, length))
    last = SECONDS_PER_PLY * plies
    winner = (FIRST, SECOND)[(record.winner or 1) - 1]
    frames.append((note(f"{winner} wins after {plies} plies") + winning_line(positions[-1]), last, length))
    return document(frames, length)


def document(frames: list[tuple[str, float, float]], length: float) -> str:
    width, height = CELL * 7 + 2 * LEFT, TOP + CELL * 7 + 10
    rules, groups = [], []
    for number, (content, start, end) in enumerate(frames):
        on, off = 100 * start / length, min(100 * end / length, 100)
        shown = f"{on:.2f}%,{max(on, off - 0.01):.2f}%{{opacity:1}}"
        before = f"0%,{on - 0.01:.2f}%{{opacity:0}}" if on > 0 else ""
        after = f"{off:.2f}%,100%{{opacity:0}}" if off < 100 else ""
        rules.append(f"@keyframes k{number}{{{before}{shown}{after}}}")
        groups.append(f'<g class="f" style="animation-name:k{number};animation-duration:{length:.1f}s">{content}</g>')
    holes = "".join(
        f'<circle class="hole" cx="{x}" cy="{y}" r="19"/>'
        for x, y in (centre(row, column) for row in range(6) for column in range(7))
    )
    stones = ".f:nth-of-type(2n),.f:last-of-type{opacity:1}"
    still = f"@media (prefers-reduced-motion:reduce){{.f{{animation:none;opacity:0}}{stones}}}"
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
        f"<title>Connect Four: {FIRST} (X) against {SECOND} (O), with the exact score of every column</title>"
        f"<style>{STYLE}{''.join(rules)}{still}</style>"
        f'<rect class="card" x="1" y="1" width="{width - 2}" height="{height - 2}" rx="10"/>'
        f'<text class="title" x="{LEFT + CELL * 3.5}" y="22">X {FIRST} \u00b7 O {SECOND}</text>'
        f'<rect class="board" x="{LEFT - 6}" y="{TOP - 6}" width="{CELL * 7 + 12}" height="{CELL * 6 + 12}" rx="10"/>'
        f"{holes}{''.join(groups)}</svg>\n"
    )


def main() -> None:
    first, second = inarow.make_agent(FIRST, seed=SEED), inarow.make_agent(SECOND, seed=SEED + 1)
    record = inarow.play_game(first, second)
    Path(sys.argv[1]).write_text(picture(record), encoding="utf-8")
    print(record.moves, record.winner)


if __name__ == "__main__":
    main()
