"""The animated picture of the README: a game with the exact score of every column, the curve of the scores and the
label of every move.

python tools/docs/game_svg.py docs/_static/game.svg
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import inarow
from inarow.arena.review import MoveReview

FIRST, SECOND, SEED = "solver:level=5", "minimax:depth=2", 6
CELL, LEFT, TOP = 48, 22, 74
WIDTH, HEIGHT = 780, TOP + 6 * CELL + 28
PANEL = 402
"""Where the right half begins."""
CURVE_TOP, CURVE_HEIGHT, CURVE_WIDTH = 214, 116, 350
HIGHEST = 18
"""The largest score that the curve shows."""
SECONDS_PER_PLY, LAST_SECONDS = 1.5, 4.0
SIGNS = {"mistake": "?", "blunder": "??"}
STYLE = """
text{font:15px system-ui,sans-serif}.mid{text-anchor:middle}
.card{fill:#fffdf8;stroke:#d8d2c4}.board{fill:#24324d}.hole{fill:#dfe6ef}
.x{fill:#e2612b}.o{fill:#58a6df}.mark{fill:none;stroke:#fff;stroke-width:3.5}.o+.mark{stroke:#0f2a44}
.name{fill:#1d2430;font-weight:600}.note{fill:#5a6472;font-size:13px}.move{fill:#1d2430;font-size:19px;font-weight:600}
.win{fill:#0b6b53;font-weight:700}.draw{fill:#5a6472}.loss{fill:#b3261e}.bad{fill:#b3261e;font-weight:700}
.best{fill:none;stroke:#0b6b53;stroke-width:2}.axis{stroke:#8a93a0;stroke-dasharray:2 4}
.curve{fill:none;stroke:#1d2430;stroke-width:2.5;stroke-linecap:round}.dot{fill:#1d2430}.fault{fill:#b3261e}
.line{fill:none;stroke:#fff;stroke-width:5;stroke-linecap:round}
.f{opacity:0;animation-timing-function:linear;animation-iteration-count:infinite}
@media (prefers-color-scheme:dark){.card{fill:#171c24;stroke:#3a424c}.board{fill:#2b4068}.hole{fill:#0e131a}
.name,.move{fill:#eef1f5}.note,.draw{fill:#a6afba}.win{fill:#58c98a}.loss,.bad,.fault{fill:#f28b82}
.best{stroke:#58c98a}.curve{stroke:#eef1f5}.dot{fill:#eef1f5}}
"""


@dataclass(frozen=True)
class Frame:
    """What is seen from one second to another."""

    content: str
    start: float
    end: float


def centre(row: int, column: int) -> tuple[int, int]:
    return LEFT + CELL * column + CELL // 2, TOP + CELL * row + CELL // 2


def disc(x: int, y: int, side: int) -> str:
    """Discs differ in shape as well as in colour: X carries a cross, O a ring."""
    cross = f'<path class="mark" d="M{x - 6} {y - 6}l12 12m0-12l-12 12"/>'
    ring = f'<circle class="mark" cx="{x}" cy="{y}" r="7"/>'
    return f'<circle class="{"xo"[side - 1]}" cx="{x}" cy="{y}" r="19"/>{cross if side == 1 else ring}'


def signed(score: int) -> str:
    return f"+{score}" if score > 0 else str(score).replace("-", "\u2212")


def scores(position: inarow.Position) -> str:
    """The score of every column above the board, the best ones framed."""
    analysis = inarow.analyse(position)
    parts = []
    for column, score in enumerate(analysis.scores):
        if score is None:
            continue
        x, y = centre(-1, column)
        kind = "win" if score > 0 else "loss" if score < 0 else "draw"
        parts.append(f'<text class="mid {kind}" x="{x}" y="{y + 4}">{signed(score)}</text>')
        if column in analysis.best:
            parts.append(f'<rect class="best" x="{x - 19}" y="{y - 15}" width="38" height="28" rx="6"/>')
    return "".join(parts)


def for_first(move: MoveReview) -> int:
    """The score after a move, from the view of the first side."""
    assert move.after is not None
    return move.after if move.side == 1 else -move.after


def curve_point(ply: int, score: int, plies: int) -> tuple[float, float]:
    x = PANEL + CURVE_WIDTH * ply / plies
    return round(x, 1), round(CURVE_TOP + CURVE_HEIGHT * (1 - max(-1, min(1, score / HIGHEST))) / 2, 1)


def curve(move: MoveReview, before: int, plies: int) -> str:
    """The part of the curve that a move adds, with a triangle where it gave win or draw away."""
    (x0, y0), (x, y) = curve_point(move.ply - 1, before, plies), curve_point(move.ply, for_first(move), plies)
    end = f'<circle class="dot" cx="{x}" cy="{y}" r="3"/>'
    if move.label in SIGNS:
        end = f'<path class="fault" d="M{x} {y - 8}l7 13h-14z"/>'
    return f'<path class="curve" d="M{x0} {y0}L{x} {y}"/>{end}'


def caption(move: MoveReview) -> str:
    """What a move is worth, in two lines."""
    side, column = "XO"[move.side - 1], move.action + 1
    best = " or ".join(str(action + 1) for action in move.best[:2])
    text, note, kind = f"{side} plays {column}", f"{move.label}: score {signed(move.after or 0)}", "note"
    if move.label in SIGNS:
        text += SIGNS[move.label]
        note = f"{move.label}: from {signed(move.before or 0)} to {signed(move.after or 0)}; {best} was best"
        kind = "note bad"
    return (
        f'<text class="move" x="{PANEL}" y="146">{move.ply}. {text}</text>'
        f'<text class="{kind}" x="{PANEL}" y="168">{note}</text>'
    )


def winning_line(position: inarow.Position) -> str:
    cells = sorted(position.winning_line)
    (x, y), (to_x, to_y) = centre(*cells[0]), centre(*cells[-1])
    return f'<path class="line" d="M{x} {y}L{to_x} {to_y}"/>'


def animation(record: inarow.GameRecord) -> tuple[list[Frame], float]:
    """The frames of a game that somebody wins, and the seconds after which they repeat."""
    positions, moves = list(record.position.line()), inarow.review(record, progress=False).moves
    last = SECONDS_PER_PLY * len(moves)
    frames, before = [], moves[0].before or 0
    for (position, after), move in zip(pairwise(positions), moves, strict=True):
        start = SECONDS_PER_PLY * (move.ply - 1)
        played = start + SECONDS_PER_PLY * 0.6
        row, column = (int(line[0]) for line in (position.to_array() != after.to_array()).nonzero())
        frames.append(Frame(scores(position), start, start + SECONDS_PER_PLY))
        frames.append(
            Frame(disc(*centre(row, column), move.side) + curve(move, before, len(moves)), played, last + LAST_SECONDS)
        )
        until = last if move is moves[-1] else played + SECONDS_PER_PLY
        frames.append(Frame(caption(move), played, until))
        before = for_first(move)
    winner = (FIRST, SECOND)[(record.winner or 1) - 1]
    end = f'<text class="move" x="{PANEL}" y="146">{"XO"[(record.winner or 1) - 1]} wins</text>'
    end += f'<text class="note" x="{PANEL}" y="168">{winner}, after {len(moves)} plies</text>'
    frames.append(Frame(end + winning_line(positions[-1]), last, last + LAST_SECONDS))
    return frames, last + LAST_SECONDS


def still_parts() -> str:
    """Board, names and axes: what does not move."""
    holes = "".join(
        f'<circle class="hole" cx="{x}" cy="{y}" r="19"/>'
        for x, y in (centre(row, column) for row in range(6) for column in range(7))
    )
    middle = CURVE_TOP + CURVE_HEIGHT / 2
    return (
        f'<rect class="card" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="12"/>'
        f'<rect class="board" x="{LEFT - 6}" y="{TOP - 6}" width="{CELL * 7 + 12}" height="{CELL * 6 + 12}" rx="12"/>'
        f'{holes}<text class="note" x="{LEFT}" y="24">exact score of every column, for the side to move</text>'
        f'{disc(PANEL + 19, 40, 1)}<text class="name" x="{PANEL + 50}" y="45">{FIRST}</text>'
        f'{disc(PANEL + 19, 86, 2)}<text class="name" x="{PANEL + 50}" y="91">{SECOND}</text>'
        f'<text class="note" x="{PANEL}" y="{CURVE_TOP - 6}">X is winning</text>'
        f'<text class="note" x="{PANEL}" y="{CURVE_TOP + CURVE_HEIGHT + 18}">O is winning</text>'
        f'<path class="axis" d="M{PANEL} {middle}h{CURVE_WIDTH}"/>'
    )


def document(frames: list[Frame], length: float) -> str:
    rules, groups = [], []
    for number, frame in enumerate(frames):
        on, off = 100 * frame.start / length, min(100 * frame.end / length, 100)
        shown = f"{on:.2f}%,{max(on, off - 0.01):.2f}%{{opacity:1}}"
        before = f"0%,{on - 0.01:.2f}%{{opacity:0}}" if on > 0 else ""
        after = f"{off:.2f}%,100%{{opacity:0}}" if off < 100 else ""
        rules.append(f"@keyframes k{number}{{{before}{shown}{after}}}")
        # Without animation the end of the game is seen.
        kind = "f e" if off == 100 else "f"
        style = f"animation-name:k{number};animation-duration:{length:.1f}s"
        groups.append(f'<g class="{kind}" style="{style}">{frame.content}</g>')
    without = "animation-duration:0s!important;animation-name:none!important"
    still = f"@media (prefers-reduced-motion:reduce){{.f{{{without}}}.e{{opacity:1}}}}"
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
        f"<title>Connect Four: {FIRST} (X) against {SECOND} (O), with the exact score of every column</title>"
        f"<style>{STYLE}{''.join(rules)}{still}</style>{still_parts()}{''.join(groups)}</svg>\n"
    )


def main() -> None:
    first, second = inarow.make_agent(FIRST, seed=SEED), inarow.make_agent(SECOND, seed=SEED + 1)
    record = inarow.play_game(first, second)
    Path(sys.argv[1]).write_text(document(*animation(record)), encoding="utf-8")
    print(record.moves, record.winner)


if __name__ == "__main__":
    main()
