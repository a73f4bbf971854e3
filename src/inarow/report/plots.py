"""The plots of a report: ratings, accuracy by ply, strength against time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

from inarow.arena.ratings import Ratings
from inarow.report.axes import (
    LETTER,
    WIDTH,
    Scale,
    axis_title,
    draw_x_axis,
    draw_y_axis,
    legend,
    marker,
    new_plot,
    series_class,
    shorten,
)
from inarow.report.data import AgentGrade, Standing
from inarow.report.format import elo, elo_interval, percent, seconds
from inarow.report.markup import append, element

_LEFT, _RIGHT = 44.0, WIDTH - 10.0
Point = tuple[float, float]
Box = tuple[float, float, float, float]


def rating_plot(ratings: Ratings) -> Element:
    """A line for each agent: its rating and the interval."""
    table = ratings.table
    left = 14 + LETTER * max(len(shorten(rating.agent)) for rating in table)
    bottom = 26.0 * len(table) + 4
    ends = [end for rating in table for end in rating.interval]
    scale = Scale(*_padded(ends), left, _RIGHT)
    plot = new_plot(bottom + 38, "Ratings with 95 % intervals")
    draw_x_axis(plot, scale, 4, bottom, lambda tick: f"{tick:.0f}")
    append(plot, axis_title("Elo, with 95 % interval", (left + _RIGHT) / 2, bottom + 33))
    for number, rating in enumerate(table):
        y = 26.0 * number + 17
        low, high = map(scale, rating.interval)
        title = f"{rating.agent}: {elo(rating.elo)} ({elo_interval(rating.interval)})"
        append(
            plot,
            element("text", shorten(rating.agent), element("title", rating.agent), class_="end", x=left - 8, y=y + 4),
            element("path", d=f"M{low:.1f} {y} H{high:.1f} M{low:.1f} {y - 4} v8 M{high:.1f} {y - 4} v8", class_="bar"),
            marker(0, scale(rating.elo), y, title, "point"),
        )
    return plot


def accuracy_plot(grades: Sequence[AgentGrade]) -> Element:
    """A curve for each agent: how often its moves keep the outcome, by ply. Something must be known."""
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
        append(plot, element("polyline", points=line, class_=f"curve {series_class(number)}"))
        for (ply, share), place in zip(curve, places, strict=True):
            title = f"{grade.agent}, ply {ply}: {percent(share)}"
            append(plot, marker(number, *place, title, f"point {series_class(number)}"))
    return plot


def accuracy_legend(grades: Sequence[AgentGrade]) -> Element:
    return legend((number, f"point {series_class(number)}", grade.agent) for number, grade in enumerate(grades))


def cost_plot(agents: Iterable[Standing]) -> Element | None:
    """Rating against time per move, with the front of the agents that none is better than in both;
    None if there are not two agents of which both are known.
    """
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
        title = f"{rating.agent}: {elo(rating.elo)} ({elo_interval(rating.interval)}), {seconds(time)} a move"
        append(plot, element("path", d=f"M{x:.1f} {low:.1f} V{high:.1f}", class_="bar thin"))
        append(plot, marker(0, x, y, title, "point"))
    _label_points(plot, places, [shorten(rating.agent) for _, rating in rated])
    return plot


def pareto_front(points: Iterable[Point]) -> list[Point]:
    """The (cost, gain) that no other point has at most the cost and at least the gain of; by cost."""
    front: list[Point] = []
    for cost, gain in sorted(points, key=lambda point: (point[0], -point[1])):
        if not front or gain > front[-1][1]:
            front.append((cost, gain))
    return front


def _stairs(places: Sequence[Point], end: float) -> str:
    """The border of what is reached: level until the next point, then up to it."""
    (x, y), *others = places
    return f"M{x:.1f} {y:.1f}" + "".join(f" H{x:.1f} V{y:.1f}" for x, y in others) + f" H{end:.1f}"


def _label_points(plot: Element, places: Sequence[Point], labels: Sequence[str]) -> None:
    """Writes each label beside its point, where it covers neither points nor other labels if that can be."""
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in places]
    for (x, y), label in zip(places, labels, strict=True):
        width = LETTER * len(label)
        boxes: list[Box] = [
            (left, middle - 7, left + width, middle + 7)
            for middle in (y, y - 12, y + 12, y - 24, y + 24)
            for left in (x + 8, x - 8 - width)
            if left > _LEFT and left + width < WIDTH
        ]
        box = next((box for box in boxes if not any(_overlap(box, other) for other in taken)), boxes[0])
        taken.append(box)
        append(plot, element("text", label, class_="name", x=box[0], y=box[1] + 11))


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _padded(values: Sequence[float]) -> tuple[float, float]:
    """The range of the values and a little more, never empty."""
    low, high = min(values), max(values)
    margin = max(10.0, (high - low) * 0.04)
    return low - margin, high + margin
