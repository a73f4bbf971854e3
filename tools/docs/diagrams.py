"""The pictures of docs/explanation, drawn from the program where they show data.

python tools/docs/diagrams.py docs/_static/diagrams
"""

from __future__ import annotations

import math
import random
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

import inarow
from inarow.arena.sprt import Sprt
from inarow.arena.statistics import PAIR_SCORES, expected_score, score_interval
from inarow.games.layout import layout_of
from inarow.games.rules import line_starts
from inarow.studies.comparison import agreement
from inarow.studies.harman import published
from inarow.studies.harman.map import LATE, cells
from inarow.studies.harman.report import HARMAN
from inarow.studies.results import Results, ResultsFile

ROOT = Path(__file__).parents[2]
STYLE = """
text{font:13px system-ui,sans-serif;fill:#222}
.card{fill:#fff;stroke:#c8d0da}.title{font-weight:600;font-size:14px}.note{fill:#56606c;font-size:12px}
.mono{font-family:ui-monospace,monospace;font-size:12px}.num{font-size:12px}.onstone{fill:#fff;font-weight:600}
.box{fill:#eaf1fa;stroke:#1f5fa8}.soft{fill:#f3f5f8;stroke:#c8d0da}.hot{fill:#fdf1d8;stroke:#b97a00}
.good{fill:#e2f4e9;stroke:#1d7a46}.bad{fill:#fbe6e5;stroke:#b3261e}.dead{fill:none;stroke:#98a2ae;stroke-dasharray:4 3}
.x{fill:#c23b4e}.bar{fill:#1f5fa8}.barhot{fill:#b97a00}.band{fill:#1f5fa8;opacity:.15}
.line,.hotline,.goodline,.badline,.faint,.dash{fill:none;stroke-width:1.6;stroke:#44505c}
.hotline{stroke:#b97a00;stroke-width:2}.goodline{stroke:#1d7a46;stroke-width:2}.badline{stroke:#b3261e;stroke-width:2}
.faint{stroke:#c8d0da;stroke-width:1}.dash{stroke-dasharray:5 4}.head{fill:#44505c}.hothead{fill:#b97a00}
.goodtext{fill:#1d7a46;font-weight:600}.badtext{fill:#b3261e;font-weight:600}.hottext{fill:#8a5a00;font-weight:600}
@media (prefers-color-scheme:dark){text{fill:#e8eaed}.card{fill:#1b1f24;stroke:#3a424c}.note{fill:#a9b2bd}
.box{fill:#1d3350;stroke:#6fa8e8}.soft{fill:#262c33;stroke:#4a535e}.hot{fill:#40330f;stroke:#e0aa3e}
.good{fill:#15382a;stroke:#58c98a}.bad{fill:#46211f;stroke:#f28b82}.dead{stroke:#6b7580}
.x{fill:#d1495b}.bar{fill:#6fa8e8}.barhot{fill:#e0aa3e}.band{fill:#6fa8e8}
.line,.dash{stroke:#b5bec9}.hotline{stroke:#e0aa3e}.goodline{stroke:#58c98a}.badline{stroke:#f28b82}
.faint{stroke:#3f4852}.head{fill:#b5bec9}.hothead{fill:#e0aa3e}.onstone{fill:#fff}
.goodtext{fill:#58c98a}.badtext{fill:#f28b82}.hottext{fill:#e0aa3e}}
"""
HEAD = '<marker id="{0}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
MARKERS = "".join(
    f'{HEAD.format(name)}<path class="{name}" d="M0 0L8 4L0 8z"/></marker>' for name in ("head", "hothead")
)


# --- Shapes ---


def document(title: str, width: int, height: int, *parts: str) -> str:
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style><defs>{MARKERS}</defs>"
        f'<rect class="card" x="1" y="1" width="{width - 2}" height="{height - 2}" rx="10"/>{"".join(parts)}</svg>\n'
    )


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "middle") -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, lines: Sequence[str], kind: str = "box") -> str:
    """A rounded box with centred lines, of which the first is bold."""
    top = y + height / 2 - 8.5 * (len(lines) - 1) + 4.5
    inside = (text(x + width / 2, top + 17 * i, line, "note" if i else "title") for i, line in enumerate(lines))
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="7"/>{"".join(inside)}'


def path(points: Iterable[tuple[float, float]], kind: str = "line") -> str:
    return f'<path class="{kind}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}"/>'


def arrow(*points: tuple[float, float], kind: str = "line") -> str:
    head = "hothead" if kind == "hotline" else "head"
    return path(points, kind).replace("/>", f' marker-end="url(#{head})"/>')


def signed(number: int) -> str:
    return f"{number:+d}".replace("-", "\u2212") if number else "0"


def disc(x: float, y: float, radius: float, label: str, kind: str = "box") -> str:
    return f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.0f}" r="{radius}"/>{text(x, y + 4.5, label, "num")}'


# --- Games and search ---


def packages() -> str:
    """The layers of the import contract in pyproject.toml, top to bottom."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each["type"] == "layers")
    about = {
        "__main__": "start-up and signals",
        "cli | web | engine | adapters | notebook": "the front ends; none imports another",
        "report": "SVG, HTML and Markdown",
        "studies": "published systems, repeated",
        "arena": "matches, ratings, grades, training runs",
        "agents": "everything that plays",
        "learning": "Q-learning, deep Q, AlphaZero",
        "search": "solver, minimax, tree search",
        "games": "the rules, once",
        "workers": "local processes or a Ray cluster",
        "results": "rows, CSV and frames of all results",
        "storage": "atomic files, locks, journals",
        "plugins | terminal": "entry points; terminal output",
        "errors | version": "the error tree; the version",
    }
    parts = [text(380, 26, "A package imports only what is below it", "title")]
    for row, layer in enumerate(layers):
        y, names = 40 + 33 * row, layer.split(" | ")
        width = (440 - 6 * (len(names) - 1)) / len(names)
        kind = "hot" if row <= 1 else "box" if row <= 8 else "soft"
        parts += [
            f'<rect class="{kind}" x="{20 + i * (width + 6):.0f}" y="{y}" width="{width:.0f}" height="27" rx="6"/>'
            + text(20 + i * (width + 6) + width / 2, y + 18, name, "mono")
            for i, name in enumerate(names)
        ]
        parts.append(text(476, y + 18, about[layer], "note", "start"))
    return document("Packages of inarow in layers", 760, 48 + 33 * len(layers), *parts)


def bitboard() -> str:
    """The bit of every cell of Connect Four, and the four neighbours of a cell."""
    layout = layout_of(inarow.CONNECT_FOUR)
    cell, left, top = 44, 24, 46
    parts = [text(left + 3.5 * cell, 28, "The bit of each cell, 6 rows x 7 columns", "title")]
    for row in range(-1, layout.rows):
        for column in range(layout.columns):
            x, y = left + column * cell, top + (row + 1) * cell
            kind = "dead" if row < 0 else "box"
            number = str(layout.cell(row, column))
            parts.append(
                f'<rect class="{kind}" x="{x + 2}" y="{y + 2}" width="{cell - 4}" height="{cell - 4}" rx="5"/>'
            )
            parts.append(text(x + cell / 2, y + cell / 2 + 4.5, number, "note" if row < 0 else "num"))
    parts.append(text(left + 7 * cell + 8, top + cell / 2 + 4, "sentinels, always 0", "note", "start"))
    start = layout.cell(3, 2)
    names = {1: "up", layout.stride: "right", layout.stride + 1: "up and right", layout.stride - 1: "down and right"}
    x, y = left + 2.5 * cell, top + 4.5 * cell
    for step in names:
        row, column = layout.row_and_column(start + step)
        to_x, to_y = left + (column + 0.5) * cell, top + (row + 1.5) * cell
        short = 15 / math.hypot(to_x - x, to_y - y)
        parts.append(
            arrow(
                (x + (to_x - x) * short, y + (to_y - y) * short),
                (to_x - (to_x - x) * short, to_y - (to_y - y) * short),
                kind="hotline",
            )
        )
    parts.append(text(430, 140, "A neighbour is a fixed distance away", "title", "start"))
    for i, (step, name) in enumerate(names.items()):
        parts.append(text(430, 168 + 24 * i, f"{name}: +{step}", "", "start"))
        parts.append(text(580, 168 + 24 * i, f"{start} -> {start + step}", "mono", "start"))
    parts.append(text(430, 286, "Two numbers are a position:", "title", "start"))
    parts.append(text(430, 310, "stones: those of the side to move", "", "start"))
    parts.append(text(430, 332, "mask: all stones", "", "start"))
    return document("Bit layout of a Connect Four board", 760, top + 7 * cell + 16, *parts)


def shift() -> str:
    """Four in a row, found by two shifts."""
    layout = layout_of(inarow.CONNECT_FOUR)
    cells = [(5, 0), (5, 1), (5, 3), (5, 4), (5, 5), (5, 6), (4, 4), (4, 5), (3, 5)]
    stones = sum(1 << layout.cell(row, column) for row, column in cells)
    pairs = stones & stones >> layout.stride
    boards = [
        (stones, "stones", "9 stones of one side"),
        (pairs, f"pairs = stones & stones >> {layout.stride}", "a stone, and one to its right"),
        (line_starts(stones, layout.stride, 4), f"pairs & pairs >> {2 * layout.stride}", "four in a row begin here"),
    ]
    size, parts = 28, []
    for i, (shown, code, meaning) in enumerate(boards):
        left, top = 24 + 246 * i, 34
        parts.append(text(left + 3.5 * size, 24, code, "mono"))
        for row in range(layout.rows):
            for column in range(layout.columns):
                x, y = left + (column + 0.5) * size, top + (row + 0.5) * size
                is_set = shown >> layout.cell(row, column) & 1
                parts.append(f'<circle class="{"x" if is_set else "soft"}" cx="{x}" cy="{y}" r="11"/>')
                parts.append(text(x, y + 4.5, "1" if is_set else "0", "onstone" if is_set else "note"))
        parts.append(text(left + 3.5 * size, top + 6 * size + 20, meaning, "note"))
    return document("Finding four in a row by shifts", 760, 236, *parts)


def alpha_beta() -> str:
    """A tree of two plies, searched by alpha-beta: what is cut off, and why."""
    tree = ((5, 3, 7), (2, 9, 6), (8, 1, 4))
    parts, alpha, values = [], -math.inf, []
    for i, leaves in enumerate(tree):
        x, value, is_cut = 140 + 240 * i, math.inf, False
        parts.append(path([(380, 66), (x, 130)]))
        window = "no bound yet" if alpha == -math.inf else f"already sure of {alpha:.0f}"
        parts.append(text(x + (0, 8, 0)[i], (98, 118, 98)[i], window, "note", ("end", "start", "start")[i]))
        for j, leaf in enumerate(leaves):
            leaf_x = x + 66 * (j - 1)
            parts.append(path([(x, 162), (leaf_x, 214)], "dead" if is_cut else "line"))
            parts.append(disc(leaf_x, 230, 16, "?" if is_cut else str(leaf), "dead" if is_cut else "soft"))
            if not is_cut:
                value = min(value, leaf)
            is_cut = is_cut or value <= alpha
        label = f"≤ {value}" if is_cut else f"{value:.0f}"
        parts.append(box(x - 32, 130, 64, 32, [label], "bad" if is_cut else "good"))
        note = f"{value} ≤ {alpha:.0f}: the rest is cut off" if is_cut else "all replies searched"
        parts.append(text(x, 270, note, "note"))
        alpha = max(alpha, value)
        values.append(value)
    parts.append(box(340, 34, 80, 34, [f"{max(values):.0f}"], "hot"))
    parts.append(text(432, 48, "side to move: the largest", "note", "start"))
    parts.append(text(24, 150, "opponent:", "note", "start"))
    parts.append(text(24, 166, "the smallest", "note", "start"))
    return document("Minimax with alpha-beta cut-offs", 760, 290, *parts)


def mcts() -> str:
    """One simulation in four steps."""
    names = ("1 Select", "2 Expand", "3 Simulate", "4 Back up")
    notes = (
        ("follow the child with", "the largest bound"),
        ("give the leaf its", "children"),
        ("a random game, or", "ask the network"),
        ("add the result along the", "path, for each node's side"),
    )
    parts = []
    for i, name in enumerate(names):
        x = 98 + 188 * i
        is_last = i == 3
        nodes = {"root": (x, 62), "a": (x - 46, 120), "b": (x + 40, 120), "c": (x + 10, 178), "d": (x + 70, 178)}
        visits = {"root": 5, "a": 1, "b": 3, "c": 1, "d": 1}
        path_nodes = ("root", "b", "c")
        for parent, child in (("root", "a"), ("root", "b"), ("b", "c"), ("b", "d")):
            (px, py), (cx, cy) = nodes[parent], nodes[child]
            hot = parent in path_nodes and child in path_nodes
            shown = i in (0, 3) and hot
            ends = ((cx, cy - 16), (px, py + 17)) if is_last and hot else ((px, py + 15), (cx, cy - 17))
            parts.append(arrow(*ends, kind="hotline") if shown else path(ends))
        if i >= 1:
            parts += [path([(x + 10, 193), (x + 10 + 26 * side, 224)]) for side in (-1, 1)]
            kind, first = "good" if i == 1 else "soft", "1" if is_last else ""
            parts += [disc(x - 16, 236, 12, first, kind), disc(x + 36, 236, 12, "", kind)]
        if i == 2:
            zigzag = [(x - 16, 250), (x - 10, 262), (x - 20, 274), (x - 12, 286)]
            parts += [arrow(*zigzag, kind="hotline"), text(x - 14, 304, "win, draw or loss", "note")]
        if is_last:
            parts.append(arrow((x - 14, 224), (x + 4, 196), kind="hotline"))
        for key, (nx, ny) in nodes.items():
            on_path = key in path_nodes and i in (0, 3)
            count = visits[key] + (key in path_nodes and is_last)
            parts.append(disc(nx, ny, 15, str(count), "hot" if on_path else "box"))
        parts.append(text(x, 30, name, "title"))
        parts += [text(x, 328 + 16 * j, line, "note") for j, line in enumerate(notes[i])]
        if i:
            parts.append(path([(x - 94, 18), (x - 94, 348)], "faint"))
    return document("One simulation of Monte Carlo tree search; numbers are visits", 760, 360, *parts)


# --- Learning ---


def q_targets() -> str:
    """Where the two targets of Q-learning look."""
    parts = [
        box(20, 60, 150, 62, ["position s", "the learner is to move"]),
        box(300, 60, 160, 62, ["after move a", "the opponent is to move"], "hot"),
        box(590, 60, 150, 62, ["its own next turn", "the learner is to move"]),
        arrow((170, 91), (298, 91)),
        text(234, 82, "a, reward r", "note"),
        arrow((460, 91), (588, 91)),
        text(524, 82, "reply b", "note"),
        arrow((340, 124), (340, 162), (110, 162), (110, 125), kind="hotline"),
        text(225, 182, "negamax: r - gamma max Q(after a, b)", "hottext"),
        arrow((660, 124), (660, 212), (70, 212), (70, 125), kind="line"),
        text(400, 232, "own-turn: r + gamma max Q(own next turn, c)", ""),
        text(380, 32, "What does the value of move a learn from?", "title"),
    ]
    return document("The two targets of Q-learning", 760, 250, *parts)


def alphazero() -> str:
    """The loop of AlphaZero."""
    parts = [
        text(380, 28, "Nothing but its own games", "title"),
        box(30, 60, 200, 74, ["Self-play", "every move is searched", "with the newest net"]),
        box(530, 60, 200, 74, ["Examples", "position, policy of the search,", "result of the game"], "soft"),
        box(530, 196, 200, 74, ["Learning", "the net is fitted to policy", "and result"]),
        box(30, 196, 200, 74, ["Net", "position to policy and value"], "good"),
        box(300, 128, 160, 74, ["Solver", "grades the net,", "never teaches it"], "hot"),
        arrow((232, 90), (528, 90)),
        text(380, 80, "finished games", "note"),
        arrow((630, 136), (630, 194)),
        text(620, 170, "samples, newest first", "note", "end"),
        arrow((528, 246), (232, 246)),
        text(380, 264, "a new net each iteration", "note"),
        arrow((130, 194), (130, 136)),
        text(140, 170, "plays", "note", "start"),
        path([(232, 215), (298, 186)], "dash"),
    ]
    return document("The AlphaZero loop", 760, 292, *parts)


def amplification() -> str:
    """Amplitudes of seven columns before, during and after one step, and the probability of a hit."""
    probabilities = (0.05, 0.1, 0.15, 0.2, 0.3, 0.15, 0.05)
    flags = (1, 6)
    start = [math.sqrt(p) for p in probabilities]
    flipped = [-a if i in flags else a for i, a in enumerate(start)]
    overlap = sum(a * b for a, b in zip(start, flipped, strict=True))
    after = [2 * overlap * a - b for a, b in zip(start, flipped, strict=True)]
    stages = [
        ("Prepared", "root of the probability", start),
        ("Oracle", "flips the flagged signs", flipped),
        ("Reflection", "about the prepared state", after),
    ]
    parts = []
    for i, (name, meaning, amplitudes) in enumerate(stages):
        left, zero = 20 + 172 * i, 150
        parts += [text(left + 77, 28, name, "title"), text(left + 77, 46, meaning, "note")]
        for j, amplitude in enumerate(amplitudes):
            height = abs(amplitude) * 110
            y = zero - height if amplitude > 0 else zero
            kind = "barhot" if j in flags else "bar"
            parts.append(f'<rect class="{kind}" x="{left + 22 * j}" y="{y:.1f}" width="16" height="{height:.1f}"/>')
            parts.append(text(left + 22 * j + 8, 222, str(j + 1), "note"))
        parts.append(path([(left - 4, zero), (left + 154, zero)], "faint"))
        hit = sum(amplitudes[j] ** 2 for j in flags)
        parts.append(text(left + 77, 246, f"hit with probability {hit:.2f}", "note"))
    theta = math.asin(math.sqrt(sum(probabilities[j] for j in flags)))
    left, bottom = 566, 206
    parts += [text(left + 84, 28, "More steps overshoot", "title"), text(left + 84, 46, "probability of a hit", "note")]
    parts.append(text(left + 84, 246, "steps m", "note"))
    parts.append(path([(left, 60), (left, bottom), (left + 172, bottom)], "faint"))
    points = [(left + 14 + 30 * m, bottom - 140 * math.sin((2 * m + 1) * theta) ** 2) for m in range(6)]
    parts.append(path(points, "hotline"))
    for m, (x, y) in enumerate(points):
        parts += [f'<circle class="barhot" cx="{x}" cy="{y:.1f}" r="4"/>', text(x, 222, str(m), "note")]
    parts += [text(left - 4, 70, "1", "note", "end"), text(left - 4, bottom, "0", "note", "end")]
    return document("Amplitude amplification of flagged columns", 760, 260, *parts)


# --- Statistics ---


def grade() -> str:
    """What the figures of a grade mean, on the empty board of Connect Four."""
    scores = [score or 0 for score in inarow.analyse(inarow.Position.start()).scores]
    best = max(scores)
    parts = [text(380, 28, "Exact score of each first move on 6x7x4, for the side to move", "title")]
    names = ("win", "draw", "loss")
    for column, score in enumerate(scores):
        x, outcome = 82 + 86 * column, names[0 if score > 0 else 1 if score == 0 else 2]
        kind = {"win": "good", "draw": "soft", "loss": "bad"}[outcome]
        parts.append(box(x, 46, 76, 52, [signed(score), outcome], kind))
        parts.append(text(x + 38, 118, f"column {column + 1}", "note"))
        kept = (score > 0) == (best > 0) and (score < 0) == (best < 0)
        parts.append(text(x + 38, 144, "yes" if kept else "no", "goodtext" if kept else "badtext"))
        parts.append(text(x + 38, 168, "yes" if score == best else "no", "goodtext" if score == best else "badtext"))
        parts.append(text(x + 38, 192, str(best - score), "num"))
    for y, name in ((144, "keeps win"), (168, "optimal"), (192, "regret")):
        parts.append(text(14, y, name, "note", "start"))
    lost = sum(score <= 0 < best for score in scores)
    note = f"{lost} of {len(scores)} moves give the win away, so the position is critical."
    parts.append(text(380, 220, note, "note"))
    return document("Outcome, optimal moves and regret", 760, 236, *parts)


def interval() -> str:
    """Intervals of the same score in more and more pairs, and what they are in Elo."""
    left, right, top, bottom = 60, 400, 56, 250
    scale = 400.0  # Elo at either end

    def place(elo: float, score: float) -> tuple[float, float]:
        return (left + (right - left) * (elo + scale) / (2 * scale), bottom - (bottom - top) * score)

    shape = (1, 2, 8, 6, 3)  # pairs with the scores 0, 1/4, ... 1: 60 %
    parts = [
        text(230, 28, "A score is a difference in Elo", "title"),
        path([(left, top), (left, bottom), (right, bottom)], "faint"),
        path([place(elo, expected_score(elo)) for elo in range(-400, 401, 20)], "hotline"),
        *(text(place(elo, 0)[0], bottom + 18, signed(elo), "note") for elo in (-400, -200, 0, 200)),
        text(right, bottom + 18, "+400 Elo", "note"),
        *(text(left - 6, place(0, share / 100)[1] + 4, f"{share} %", "note", "end") for share in (0, 50, 100)),
        text(584, 28, "The same 60 %, in more pairs", "title"),
    ]
    for row, pairs in enumerate((20, 80, 320, 1280)):
        low, high = score_interval([count * pairs // 20 for count in shape])
        mean = sum(count * score for count, score in zip(shape, PAIR_SCORES, strict=True)) / 20
        if row == 1:
            ends = [-400 * math.log10(1 / end - 1) for end in (low, high)]
            (x0, y0), (x1, y1) = place(ends[0], low), place(ends[1], high)
            corners = [(left, y0), (x0, y0), (x0, bottom), (x1, bottom), (x1, y1), (left, y1)]
            parts.append(path(corners, "band"))
        y = 74 + 48 * row
        x0, x1, middle = (470 + 560 * (value - 0.4) for value in (low, high, mean))
        kind = "goodline" if low > 0.5 else "badline"
        parts += [path([(x0, y), (x1, y)], kind), f'<circle class="barhot" cx="{middle:.1f}" cy="{y}" r="4"/>']
        parts.append(text(534, y - 10, f"{pairs:,} pairs: {low * 100:.1f} to {high * 100:.1f} %", "note", "start"))
    x = 470 + 560 * 0.1
    parts += [path([(x, 52), (x, 250)], "dash"), text(x, 268, "equal: 50 %", "note")]
    return document("Score, Elo and 95 % intervals", 760, 284, *parts)


def sprt() -> str:
    """Log-likelihood ratios of three simulated matches of known strength."""
    test = Sprt(0, 20)
    upper = test.result([1, 1, 1, 1, 1]).bounds[1]
    left, middle, most = 60, 160, 1500
    parts = [
        text(380, 28, "Sequential test of 0 against 20 Elo: three simulated matches", "title"),
        path([(left, 50), (left, 272)], "faint"),
        path([(left, middle), (700, middle)], "faint"),
        path([(left, middle - 30 * upper), (700, middle - 30 * upper)], "dash"),
        path([(left, middle + 30 * upper), (700, middle + 30 * upper)], "dash"),
        text(left + 6, middle - 30 * upper - 6, f"+{upper:.2f}: accept 20 Elo", "note", "start"),
        text(left + 6, middle + 30 * upper + 16, f"\u2212{upper:.2f}: accept 0 Elo", "note", "start"),
        text(left - 6, middle + 4, "0", "note", "end"),
        *(text(left + 640 * n / most, 290, f"{n:,}", "note") for n in (300, 600, 900, 1200)),
        text(700, 290, "pairs", "note"),
        text(22, 44, "log-likelihood ratio", "note", "start"),
    ]
    for elo, kind, seed in ((20, "goodline", 4), (10, "hotline", 3), (0, "badline", 1)):
        draws, counts, points = random.Random(seed), [0] * 5, [(float(left), float(middle))]
        for pair in range(1, most + 1):
            tosses = [draws.random() - expected_score(elo) for _ in range(2)]  # three games of ten are drawn
            counts[sum((toss < -0.15) + (toss < 0.15) for toss in tosses)] += 1
            ratio = test.log_likelihood_ratio(counts) if pair % 20 == 0 else None
            if ratio is not None:
                points.append((left + 640 * pair / most, middle - 30 * max(-upper, min(upper, ratio))))
                if abs(ratio) >= upper:
                    break
        x, y = points[-1]
        parts += [path(points, kind), f'<circle class="barhot" cx="{x:.1f}" cy="{y:.1f}" r="4"/>']
        parts.append(text(x + 8, y + (16 if y < middle else -8), f"{signed(elo)} Elo", "note", "start"))
    return document("A sequential probability ratio test", 760, 304, *parts)


# --- Files ---


def atomic_write() -> str:
    """Why a file is complete or absent."""
    steps = (
        ("1 Write a draft", "beside the file"),
        ("2 Flush", "its data is on disk"),
        ("3 Rename", "the draft takes the name"),
    )
    parts = [text(380, 28, "Replacing a file", "title")]
    for i, lines in enumerate(steps):
        x = 20 + 260 * i
        parts.append(box(x, 48, 200, 56, lines, "good" if i == 2 else "box"))
        if i:
            parts.append(arrow((x - 60, 76), (x - 3, 76)))
    parts += [
        path([(20, 122), (535, 122)], "hotline"),
        text(278, 144, "killed here: the old file, complete", "hottext"),
        path([(545, 122), (740, 122)], "goodline"),
        text(642, 144, "the new file, complete", "goodtext"),
    ]
    return document("How files are replaced", 760, 162, *parts)


# --- Studies ---


def harman_map() -> str:
    """The reward of harman's learner around game 50,000, by board and playouts, against the 17 of its picture."""
    trials = HARMAN.plan("paper", ("as-published",), 0)
    results = ResultsFile(ROOT / "docs" / "studies" / "harman" / "results.jsonl").of(trials)
    found = {(cell.board, cell.playouts): cell for cell in cells(Results(results)) if cell.is_compared}
    boards, playouts = sorted({board for board, _ in found}), sorted({number for _, number in found})
    mark, left, top, wide, high = published().curve[LATE], 84, 88, 62, 52
    title = "Mean reward of 1,000 games around game 50,000"
    parts = [text(left, 30, f"{title}; the picture has {mark:.0f}", "title", "start")]
    parts.append(text(left, 50, "blue: below, amber: above; bold frame: single runs may give 17", "note", "start"))
    parts.append(text(left - 10, top - 10, "playouts", "note", "end"))
    parts += [text(left + wide * (i + 0.5), top - 10, str(number), "num") for i, number in enumerate(playouts)]
    for row, board in enumerate(boards):
        y = top + high * row
        parts.append(text(left - 10, y + high / 2 + 4, board.removesuffix("x4"), "title", "end"))
        for column, number in enumerate(playouts):
            cell = found.get((board, number))
            ours = cell.estimate(LATE) if cell else None
            if cell is None or ours is None:
                continue
            x, off = left + wide * column, ours.mean - mark
            place = f'x="{x + 2}" y="{y + 2}" width="{wide - 4}" height="{high - 4}" rx="6"'
            shade = min(abs(off) / 60, 0.7)
            parts.append(f'<rect class="{"barhot" if off > 0 else "bar"}" {place} opacity="{shade:.2f}"/>')
            agrees = agreement(mark, ours, digits=0)
            if agrees is not None and agrees.agrees:
                parts.append(f'<rect class="goodline" {place}/>')
            parts.append(text(x + wide / 2, y + high / 2 - 2, f"{ours.mean:.1f}".replace("-", "\u2212"), "title"))
            distance = cell.distance()
            if distance is not None:
                parts.append(text(x + wide / 2, y + high / 2 + 16, f"d {distance.mean:.1f}", "note"))
    bottom = top + high * len(boards)
    note = "d: root mean square difference from the picture's rewards at 0, 4,500, 10,000 and 50,000"
    parts.append(text(left, bottom + 24, note, "note", "start"))
    return document(title, max(640, left + wide * len(playouts) + 20), bottom + 40, *parts)


PICTURES: dict[str, Callable[[], str]] = {
    "packages": packages,
    "bitboard": bitboard,
    "shift": shift,
    "alpha-beta": alpha_beta,
    "mcts": mcts,
    "q-targets": q_targets,
    "alphazero": alphazero,
    "amplification": amplification,
    "grade": grade,
    "interval": interval,
    "sprt": sprt,
    "atomic-write": atomic_write,
    "harman-map": harman_map,
}


def main() -> None:
    """Writes all pictures into the folder that the command line names."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        (folder / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
