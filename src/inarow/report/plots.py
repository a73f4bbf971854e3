"""Plots in SVG: scales, ticks and markers, and the plots of ratings, accuracy by ply, and strength against time.

The width of a plot in its own units is that of a phone, so that its text is readable there; on wider pages it is
scaled. Colours are classes of the style sheet.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from inarow.arena.grading import Grade
from inarow.arena.leaderboard import Standing
from inarow.arena.ratings import Rating, Ratings
from inarow.report.markup import append, element, elo, elo_interval, percent, seconds

WIDTH = 360
_LETTER = 7.0  # average width of a letter of a label
_SERIES = 7  # colours of the style sheet; with five shapes they distinguish 35 series
_LEFT, _RIGHT = 44.0, WIDTH - 10.0
Point = tuple[float, float]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """A map from values to coordinates: `low` to `start`, `high` to `end`."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False
    least_step: float = 0.0  # between ticks; 1 for counts

    def __call__(self, value: float) -> float:
        low, high = self.low, self.high
        if self.is_log:
            low, high, value = map(math.log10, (low, high, value))
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """A few round values between low and high."""
        if self.is_log:
            powers = range(math.floor(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            factors = (1, 2, 5) if len(powers) <= 3 else (1,)
            return [x for power in powers for factor in factors if self.low <= (x := factor * 10.0**power) <= self.high]
        step = max(self.least_step, _round_step((self.high - self.low) / 5))
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [number * step for number in range(first, last + 1)]


def _round_step(width: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, ... that is not below `width`."""
    power = 10.0 ** math.floor(math.log10(width))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= width * 0.999)


def new_plot(height: float, label: str) -> Element:
    return element("svg", viewBox=f"0 0 {WIDTH} {height:g}", class_="plot", role="img", aria_label=label)


def draw_x_axis(plot: Element, scale: Scale, top: float, bottom: float, name: Callable[[float], str]) -> None:
    """Lines from top to bottom with their values below."""
    for tick in scale.ticks():
        x = scale(tick)
        append(plot, element("line", class_="grid", x1=x, x2=x, y1=top, y2=bottom))
        append(plot, element("text", name(tick), class_="tick middle", x=x, y=bottom + 15))


def draw_y_axis(plot: Element, scale: Scale, left: float, right: float, name: Callable[[float], str]) -> None:
    """Lines from left to right with their values before them."""
    for tick in scale.ticks():
        y = scale(tick)
        append(plot, element("line", class_="grid", x1=left, x2=right, y1=y, y2=y))
        append(plot, element("text", name(tick), class_="tick end", x=left - 6, y=y + 4))


def axis_title(text: str, x: float, y: float, anchor: str = "middle") -> Element:
    return element("text", text, class_=f"title {anchor}", x=x, y=y)


def marker(kind: int, x: float, y: float, title: str, class_: str) -> Element:
    """One of five shapes around a point, with a tooltip."""
    paths = (
        "M-4.5 0 A4.5 4.5 0 1 1 4.5 0 A4.5 4.5 0 1 1 -4.5 0 Z",
        "M-4 -4 H4 V4 H-4 Z",
        "M0 -5.4 L5.2 4 H-5.2 Z",
        "M0 -5.6 L5.6 0 L0 5.6 L-5.6 0 Z",
        "M0 5.4 L5.2 -4 H-5.2 Z",
    )
    shape = element("path", element("title", title), d=paths[kind % len(paths)], class_=class_)
    shape.set("transform", f"translate({x:.1f} {y:.1f})")
    return shape


def legend(entries: Iterable[tuple[int, str, str]]) -> Element:
    """A legend from the kind, the class and the meaning of each marker."""
    found = element("ul", class_="legend")
    for kind, class_, meaning in entries:
        sign = element("svg", marker(kind, 0, 0, meaning, class_), viewBox="-7 -7 14 14", aria_hidden="true")
        append(found, element("li", sign, meaning))
    return found


def with_legend(plot: Element, names: Iterable[str]) -> Element:
    """A plot and the names of its series."""
    keys = legend((number, series("point", number), name) for number, name in enumerate(names))
    return element("div", plot, keys, class_="curves")


def series(kind: str, number: int) -> str:
    """The classes of a mark of a series; the second one defines its colour."""
    return f"{kind} series-{number % _SERIES}"


def shorten(text: str, length: int = 22) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def name_width(names: Iterable[str]) -> float:
    """The width of the names of rows."""
    return 14 + _LETTER * max(len(shorten(name)) for name in names)


def row_name(name: str, left: float, y: float) -> Element:
    return element("text", shorten(name), element("title", name), class_="end", x=left - 8, y=y + 4)


# --- the plots of a report ---


def rating_plot(ratings: Ratings) -> Element:
    """A line for each agent: its rating and the interval."""
    return rating_rows(ratings.table)


def rating_rows(table: Sequence[Rating]) -> Element:
    """The same for ratings of one scale, in their order."""
    left = name_width(rating.agent for rating in table)
    bottom = 26.0 * len(table) + 4
    scale = Scale(*_padded([end for rating in table for end in rating.interval]), left, _RIGHT)
    plot = new_plot(bottom + 38, "Ratings with 95 % intervals")
    draw_x_axis(plot, scale, 4, bottom, lambda tick: f"{tick:.0f}")
    append(plot, axis_title("Elo, with 95 % interval", (left + _RIGHT) / 2, bottom + 33))
    for number, rating in enumerate(table):
        y = 26.0 * number + 17
        low, high = map(scale, rating.interval)
        title = f"{rating.agent}: {elo(rating.elo)} ({elo_interval(rating.interval)})"
        whisker = f"M{low:.1f} {y} H{high:.1f} M{low:.1f} {y - 4} v8 M{high:.1f} {y - 4} v8"
        append(plot, row_name(rating.agent, left, y), element("path", d=whisker, class_="bar"))
        append(plot, marker(0, scale(rating.elo), y, title, "point"))
    return plot


def accuracy_plot(grades: Sequence[Grade]) -> Element:
    """A curve for each agent: the share of moves that keep the outcome, by ply. Not checked: there are data."""
    curves = [[(p.ply, p.outcome_accuracy) for p in g.by_ply if p.outcome_accuracy is not None] for g in grades]
    plies, shares = zip(*(point for curve in curves for point in curve), strict=True)
    x_scale = Scale(min(plies), max(max(plies), min(plies) + 1), _LEFT, _RIGHT, least_step=1)
    y_scale = Scale(min(0.9, *shares), 1, 210, 14)
    plot = new_plot(250, "Outcome accuracy by ply")
    draw_x_axis(plot, x_scale, 10, 210, lambda tick: f"{tick:g}")
    draw_y_axis(plot, y_scale, _LEFT, _RIGHT, lambda tick: f"{tick:.0%}")
    append(plot, axis_title("ply (moves that keep win, draw or loss)", (_LEFT + _RIGHT) / 2, 245))
    for number, (grade, curve) in enumerate(zip(grades, curves, strict=True)):
        places = [(x_scale(ply), y_scale(share)) for ply, share in curve]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        append(plot, element("polyline", points=line, class_=series("curve", number)))
        for (ply, share), place in zip(curve, places, strict=True):
            append(plot, marker(number, *place, f"{grade.agent}, ply {ply}: {percent(share)}", series("point", number)))
    return with_legend(plot, (grade.agent for grade in grades))


def cost_plot(agents: Iterable[Standing]) -> Element | None:
    """Rating against time per move, with the Pareto front; None if both are known for fewer than two agents."""
    rated = [
        (agent.seconds_per_move, agent.rating)
        for agent in agents
        if agent.rating is not None and agent.seconds_per_move  # a logarithm needs more than 0
    ]
    if len(rated) < 2:
        return None
    times = [time for time, _ in rated]
    x_scale = Scale(min(times) / 2, max(times) * 2, _LEFT, _RIGHT, is_log=True)
    y_scale = Scale(*_padded([end for _, rating in rated for end in rating.interval]), 230, 22)
    plot = new_plot(270, "Rating against time per move")
    draw_x_axis(plot, x_scale, 22, 230, seconds)
    draw_y_axis(plot, y_scale, _LEFT, _RIGHT, lambda tick: f"{tick:.0f}")
    append(plot, axis_title("time per move (log)", (_LEFT + _RIGHT) / 2, 264), axis_title("Elo", 8, 12, "start"))
    front = [(x_scale(time), y_scale(height)) for time, height in pareto_front([(t, r.elo) for t, r in rated])]
    append(plot, element("path", d=_stairs(front, x_scale.end), class_="front"))
    places = [(x_scale(time), y_scale(rating.elo)) for time, rating in rated]
    for (time, rating), (x, y) in zip(rated, places, strict=True):
        low, high = map(y_scale, rating.interval)
        title = f"{rating.agent}: {elo(rating.elo)} ({elo_interval(rating.interval)}), {seconds(time)} per move"
        append(plot, element("path", d=f"M{x:.1f} {low:.1f} V{high:.1f}", class_="bar thin"))
        append(plot, marker(0, x, y, title, "point"))
    _label_points(plot, places, [shorten(rating.agent) for _, rating in rated])
    return plot


def pareto_front(points: Iterable[Point]) -> list[Point]:
    """The points (cost, gain) that are not dominated by another point, sorted by cost."""
    front: list[Point] = []
    for cost, gain in sorted(points, key=lambda point: (point[0], -point[1])):
        if not front or gain > front[-1][1]:
            front.append((cost, gain))
    return front


def _stairs(places: Sequence[Point], end: float) -> str:
    """The path of the Pareto front: horizontal to the next point, then up to it."""
    (x, y), *others = places
    return f"M{x:.1f} {y:.1f}" + "".join(f" H{x:.1f} V{y:.1f}" for x, y in others) + f" H{end:.1f}"


def _label_points(plot: Element, places: Sequence[Point], labels: Sequence[str]) -> None:
    """Writes each label beside its point, if possible without covering points or other labels."""
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in places]
    for (x, y), label in zip(places, labels, strict=True):
        width = _LETTER * len(label)
        boxes: list[Box] = [
            (left, middle - 7, left + width, middle + 7)
            for middle in (y, y - 12, y + 12, y - 24, y + 24)
            for left in (x + 8, x - 8 - width)
            if left > _LEFT and left + width < WIDTH
        ]
        boxes.append((max(_LEFT, WIDTH - width), y - 7, WIDTH, y + 7))  # for a label that fits nowhere
        box = next((box for box in boxes if not any(_overlap(box, other) for other in taken)), boxes[0])
        taken.append(box)
        append(plot, element("text", label, class_="name", x=box[0], y=box[1] + 11))


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _padded(values: Sequence[float]) -> tuple[float, float]:
    """The range of the values with padding, never empty."""
    low, high = min(values), max(values)
    margin = max(10.0, (high - low) * 0.04)
    return low - margin, high + margin
