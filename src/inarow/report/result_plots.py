"""Plots of results by matplotlib: `plot` of `inarow.results.PlottedResult`.

Colours are those of Okabe and Ito; no information is conveyed by colour only. Names of agents may have any length and
content: they are broken into lines and never parsed as formulas.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import singledispatch
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.arena.assignment import Assignment
from inarow.arena.depth_test import DepthTest
from inarow.arena.grading import ACCURACIES, Grade
from inarow.arena.match import Match
from inarow.arena.ratings import Ratings
from inarow.arena.tally import SideTally
from inarow.arena.tournament import Tournament
from inarow.arena.training_run import Curve, TrainingRun
from inarow.errors import PictureError, visible
from inarow.report.pictures import picture
from inarow.results import PlottedResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BLUE, _ORANGE, _GREEN, _GREY = "#0072B2", "#D55E00", "#009E73", "#BBBBBB"
_SERIES = ((_BLUE, "o", "-"), (_ORANGE, "s", "--"), (_GREEN, "^", "-."), ("#CC79A7", "D", ":"), ("#E69F00", "v", "-"))
_RESULTS = (("wins", _BLUE, "white"), ("draws", _GREY, "black"), ("losses", "#E69F00", "black"))
_WIDTH, _HEIGHT, _ROW = 6.0, 4.0, 0.42  # inches
_LINE, _LINES = 24, 3  # characters per line and lines of a name
_LABELS = {
    "outcome_accuracy": "keeps the outcome",
    "critical_accuracy": "in critical positions",
    "optimal_accuracy": "best move",
}
_Point = tuple[float, float, float, float]
"""x, y and the bounds of the interval of y."""


def plot(result: PlottedResult, path: Path | str | None = None) -> Figure:
    """The plot of a result; see `PlottedResult.plot`."""
    with picture(None if path is None else Path(path), *_size(result)) as figure:
        _draw(result, figure)
    return figure


@singledispatch
def _size(result: PlottedResult) -> tuple[float, float]:
    return _WIDTH, _HEIGHT


@singledispatch
def _draw(result: PlottedResult, figure: Figure) -> None:
    raise PictureError(f"there is no plot of a {type(result).__name__}")


# --- matches, tournaments, ratings ---


@_draw.register(Match)
def _(result: Match, figure: Figure) -> None:
    summary = result.summary
    bars, score = figure.subplots(2, 1, height_ratios=(3, 1))
    _results_bars(
        bars,
        ("all games", "moving first", "moving second"),
        (summary.total, summary.as_first, summary.as_second),
    )
    title = f"{_name(summary.a, 70, 2)}\nagainst\n{_name(summary.b, 70, 2)}"
    figure.suptitle(title, fontsize=9, parse_math=False)
    _intervals(score, [""], [summary.score * 100], [(summary.score_interval[0] * 100, summary.score_interval[1] * 100)])
    score.axvline(50, color="black", linewidth=0.8, linestyle=":")
    score.set(xlim=(-2, 102), yticks=[], xlabel="score in %, with 95 % interval")


@_size.register(Tournament)
def _(result: Tournament) -> tuple[float, float]:
    return _WIDTH + 1.5, max(_HEIGHT, 1.2 + _ROW * len(result.standings))


@_draw.register(Tournament)
def _(result: Tournament, figure: Figure) -> None:
    rows = result.standings
    names = [row.agent for row in rows]
    ratings, bars = figure.subplots(1, 2)
    rated = [row.rating for row in rows if row.rating is not None]
    _intervals(
        ratings,
        [rating.agent for rating in rated],
        [rating.elo for rating in rated],
        [rating.interval for rating in rated],
    )
    ratings.set_xlabel("Elo, with 95 % interval")
    same_rows = [rating.agent for rating in rated] == names
    _results_bars(bars, [""] * len(names) if same_rows else names, [row.tally.total for row in rows])


@_size.register(Ratings)
def _(result: Ratings) -> tuple[float, float]:
    return _WIDTH, max(_HEIGHT, 1.0 + _ROW * len(result.table))


@_draw.register(Ratings)
def _(result: Ratings, figure: Figure) -> None:
    axes, table = figure.subplots(), result.table
    names = [rating.agent for rating in table]
    _intervals(axes, names, [rating.elo for rating in table], [rating.interval for rating in table])
    zero = f"{_name(result.anchor, 40, 1)} is 0" if result.anchor else "the mean is 0"
    axes.set_xlabel(f"Elo, with 95 % interval; {zero}", parse_math=False)


@_size.register(Assignment)
def _(result: Assignment) -> tuple[float, float]:
    return _WIDTH, max(_HEIGHT, 1.0 + _ROW * len([file for file in result.files if file.rating is not None]))


@_draw.register(Assignment)
def _(result: Assignment, figure: Figure) -> None:
    rated = [file.rating for file in result.files if file.rating is not None]
    if not rated:
        raise PictureError("no file of the assignment has a rating")
    axes = figure.subplots()
    names, values = [rating.agent for rating in rated], [rating.elo for rating in rated]
    _intervals(axes, names, values, [rating.interval for rating in rated])
    axes.set_xlabel("Elo on the scale of the opponents, with 95 % interval", parse_math=False)


def _intervals(
    axes: Axes, names: Sequence[str], values: Sequence[float], intervals: Sequence[tuple[float, float]]
) -> None:
    """A row for each name, from the top: its value and interval."""
    for row, (value, (low, high)) in enumerate(zip(values, intervals, strict=True)):
        axes.plot([low, high], [row, row], color=_BLUE, linewidth=2, marker="|", markersize=8)
        axes.plot([value], [row], color=_BLUE, marker="o", markersize=6)
    _name_rows(axes, names)
    axes.grid(axis="x", color="#DDDDDD")
    axes.set_axisbelow(True)


def _results_bars(axes: Axes, names: Sequence[str], tallies: Sequence[SideTally]) -> None:
    """A bar for each name, from the top: wins, draws and losses in percent, with their numbers if they fit."""
    for kind, colour, ink in _RESULTS:
        for row, tally in enumerate(tallies):
            if not tally.games:
                continue
            before = {"wins": 0, "draws": tally.wins, "losses": tally.wins + tally.draws}[kind]
            count, share = getattr(tally, kind), 100 / tally.games
            axes.barh(row, count * share, left=before * share, color=colour, edgecolor="white", height=0.7)
            text = f"{count}"
            if count * share > 3.5 * len(text):
                place = (before + count / 2) * share
                axes.text(place, row, text, ha="center", va="center", color=ink, fontsize=8)
    for kind, colour, _ in _RESULTS:
        axes.bar([0], [0], color=colour, label=kind)
    _name_rows(axes, names)
    axes.set(xlim=(0, 100), xlabel="games in %")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=8, borderaxespad=0.2)


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [_name(name) for name in names], fontsize=8)
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    axes.set_ylim(len(names) - 0.5, -0.5)


def _name(name: str, width: int = _LINE, most: int = _LINES) -> str:
    """An agent string broken into lines between its parts; too long strings end with an ellipsis."""
    lines = [""]
    for part in re.split(r"(?<=[:,/ ])", visible(name).replace("\n", " ")):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        rest = lines.pop() + part
        while len(rest) > width:
            lines.append(rest[:width])
            rest = rest[width:]
        lines.append(rest)
    lines = [line for line in lines if line]
    if len(lines) > most:
        lines[most - 1 :] = [lines[most - 1][: width - 1] + "…"]
    return "\n".join(lines)


# --- curves and grades ---


@_draw.register(Curve)
def _(result: Curve, figure: Figure) -> None:
    axes = figure.subplots()
    x_name, names = curve_columns(result)
    for number, name in enumerate(names):
        known = [(point[x_name], point[name]) for point in result.points]
        places = [(x, y) for x, y in known if x is not None and y is not None]
        colour, mark, line = _SERIES[number % len(_SERIES)]
        xs, ys = zip(*places, strict=True)
        marked = mark if len(places) <= 40 else None
        label = name.replace("_", " ")
        axes.plot(xs, ys, line, color=colour, marker=marked, markersize=4, label=label)
    axes.set_xlabel(x_name.replace("_", " "))
    axes.set_title(_name(result.name, 70, 1), fontsize=9, parse_math=False)
    _finish(axes, len(names))


@_draw.register(TrainingRun)
def _(result: TrainingRun, figure: Figure) -> None:
    _draw(result.curve, figure)


_RATES = ("wins", "draws", "losses")


def curve_columns(curve: Curve) -> tuple[str, list[str]]:
    """The columns of a plot: the first column that increases from point to point as the axis, and rates and accuracies,
    or if there are none all other numbers. Raises PictureError for a curve without points.
    """
    if not curve.points:
        raise PictureError(f"the curve of {curve.name} has no points yet")
    columns = {name: [point[name] for point in curve.points] for name in curve.columns}
    full = [name for name, values in columns.items() if None not in values]
    x_name = next((name for name in full if _grows(columns[name])), full[0] if full else "")
    others = [name for name, values in columns.items() if name != x_name and any(v is not None for v in values)]
    if not x_name or not others:
        raise PictureError(f"the curve of {curve.name} has no numbers to draw")
    rates = [name for name in others if name in _RATES or name.endswith(("accuracy", "rate", "score"))]
    return x_name, rates or others


def _grows(values: Sequence[float | None]) -> bool:
    known = [value for value in values if value is not None]
    return all(one < other for one, other in pairwise(known))


@_draw.register(Grade)
def _(result: Grade, figure: Figure) -> None:
    axes = figure.subplots()
    drawn = 0
    for name in ("outcome_accuracy", "optimal_accuracy"):
        parts = [(part.ply, getattr(part, name), part.intervals.get(name)) for part in result.by_ply]
        drawn = _band_if_known(axes, [_percents(*part) for part in parts], drawn, _LABELS[name])
    if not drawn:
        raise PictureError(f"the grade of {result.agent} has no accuracy by ply")
    axes.set(xlabel="stones on the board before the move", ylabel="% of moves, with 95 % intervals")
    about = "" if result.outcome_accuracy is None else f"\n{result.outcome_accuracy:.1%} of all moves keep the outcome"
    axes.set_title(_name(result.agent, 60, 2) + about, fontsize=9, parse_math=False)
    _finish(axes, drawn)


def _band(axes: Axes, points: Sequence[_Point], number: int, label: str) -> None:
    """A line through points with the band of their intervals."""
    colour, mark, line = _SERIES[number]
    xs, ys, lows, highs = zip(*points, strict=True)
    axes.plot(xs, ys, line, color=colour, marker=mark, markersize=4, label=label)
    axes.fill_between(xs, lows, highs, color=colour, alpha=0.18, linewidth=0)


def _finish(axes: Axes, series: int) -> None:
    axes.grid(color="#DDDDDD")
    axes.set_axisbelow(True)
    if series > 1:
        axes.legend(fontsize=8)


# --- depth tests ---


@_size.register(DepthTest)
def _(result: DepthTest) -> tuple[float, float]:
    return 2 * _WIDTH - 3, _HEIGHT


@_draw.register(DepthTest)
def _(result: DepthTest, figure: Figure) -> None:
    cost, gain = figure.subplots(1, 2, gridspec_kw={"wspace": 0.08})
    _draw_costs(result, cost)
    _draw_gains(result, gain)
    for axes in (cost, gain):
        axes.set_xlabel("search depth in plies")
        axes.set_xticks([point.depth for point in result.points])
        axes.grid(color="#DDDDDD")
        axes.set_axisbelow(True)
    title = f"{_name(result.agent, 90, 1)} on {result.board}"
    figure.suptitle(title, fontsize=9, parse_math=False)


def _draw_costs(result: DepthTest, axes: Axes) -> None:
    """Nodes on the left axis, time on the right axis, both logarithmic."""
    times = axes.twinx()
    shown: list[tuple[Axes, str, str]] = [(axes, "nodes", "nodes per move"), (times, "seconds", "seconds per move")]
    handles = []
    for number, (side, name, label) in enumerate(shown):
        colour, mark, line = _SERIES[number]
        for prefix, style in (("", line), ("median_", ":")):
            values = [(point.depth, getattr(point, f"{prefix}{name}_per_move")) for point in result.points]
            places = [(depth, value) for depth, value in values if value]  # a logarithm needs more than 0
            if places:
                text = f"{name}, {'median' if prefix else 'mean'}"
                mark_shown = None if prefix else mark
                handles += side.plot(*zip(*places, strict=True), style, color=colour, marker=mark_shown, label=text)
        side.set_yscale("log")
        side.set_ylabel(label, color=colour)
    axes.legend(handles=handles, fontsize=7, loc="upper left")


def _draw_gains(result: DepthTest, axes: Axes) -> None:
    """Accuracies and score in percent."""
    drawn = 0
    for name in ACCURACIES:
        points = [_percents(p.depth, getattr(p.accuracy, name), p.accuracy.intervals.get(name)) for p in result.points]
        drawn = _band_if_known(axes, points, drawn, _LABELS[name])
    scores = [_percents(p.depth, p.match.score, p.match.score_interval) for p in result.points if p.match]
    drawn = _band_if_known(axes, scores, drawn, f"score against\n{_name(result.opponent, 24, 2)}")
    axes.set(ylim=(-2, 102), ylabel="%, with 95 % intervals")
    legend = axes.legend(fontsize=7, loc="lower right")
    for text in legend.get_texts():
        text.set_parse_math(False)


def _percents(x: float, rate: float | None, interval: tuple[float, float] | None) -> _Point | None:
    if rate is None:
        return None
    low, high = interval or (rate, rate)
    return x, rate * 100, low * 100, high * 100


def _band_if_known(axes: Axes, points: Sequence[_Point | None], number: int, label: str) -> int:
    """Draws the known points; returns the number of the next series."""
    known = [point for point in points if point is not None]
    if not known:
        return number
    _band(axes, known, number, label)
    return number + 1
