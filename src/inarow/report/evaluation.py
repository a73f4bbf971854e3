"""The graph of a game's exact scores over its plies, with mistakes and blunders marked."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from inarow.arena.review import MoveReview
from inarow.cli.drawing import MARKS
from inarow.report.axes import WIDTH, Scale, draw_x_axis, marker, new_plot
from inarow.report.format import signed
from inarow.report.markup import append, element

_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, WIDTH - 10.0, 10.0, 130.0
SHAPES = {"mistake": 3, "blunder": 2}
"""Of the marks: see `marker`."""


def evaluation_plot(reviews: Sequence[MoveReview], plies: int) -> Element:
    """Scores for the first side, upwards, after each of `plies` moves. The cursor and the clicks
    are the script's, which finds the x of a ply in `data-left` and `data-step`.
    """
    scores = _scores_of_first(reviews)
    reach = max(map(abs, scores.values()), default=0) or 1
    x_scale, y_scale = Scale(0, plies, _LEFT, _RIGHT, least_step=1), Scale(-reach, reach, _BOTTOM, _TOP)
    plot = new_plot(_BOTTOM + 22, "Score of the first side by ply")
    plot.set("class", "plot evaluation")
    plot.set("data-left", str(_LEFT))
    plot.set("data-step", str((_RIGHT - _LEFT) / plies))
    draw_x_axis(plot, x_scale, _TOP, _BOTTOM, lambda tick: f"{tick:g}")
    names = {y_scale(reach): f"{MARKS[1]} wins", y_scale(0): "draw", y_scale(-reach): f"{MARKS[2]} wins"}
    append(plot, *(element("text", name, class_="tick end", x=_LEFT - 6, y=y + 4) for y, name in names.items()))
    append(plot, element("line", class_="zero", x1=_LEFT, x2=_RIGHT, y1=y_scale(0), y2=y_scale(0)))
    places = {ply: (x_scale(ply), y_scale(score)) for ply, score in scores.items()}
    append(plot, element("path", class_="curve", d=_path(places)))
    for review in reviews:
        if review.label in SHAPES:
            title = f"move {review.ply}: {review.label}, {signed(scores[review.ply])} for {MARKS[1]}"
            append(plot, marker(SHAPES[review.label], *places[review.ply], title, f"point {review.label}"))
    append(plot, element("line", class_="cursor", x1=_RIGHT, x2=_RIGHT, y1=_TOP, y2=_BOTTOM))
    return plot


def _scores_of_first(reviews: Sequence[MoveReview]) -> dict[int, int]:
    """By ply, from before the first reviewed move on."""
    scores: dict[int, int] = {}
    for review in reviews:
        sign = 1 if review.side == 1 else -1
        if review.before is not None:
            scores[review.ply - 1] = sign * review.before
        if review.after is not None:
            scores[review.ply] = sign * review.after
    return scores


def _path(places: dict[int, tuple[float, float]]) -> str:
    """A line through the places, broken where a ply is unknown."""
    return " ".join(f"{'L' if ply - 1 in places else 'M'}{x:.1f} {y:.1f}" for ply, (x, y) in sorted(places.items()))
