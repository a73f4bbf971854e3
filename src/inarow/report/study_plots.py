"""The plots of a study: learning curves and bars."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from inarow.report.markup import append, compact, element, plain
from inarow.report.plots import (
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
from inarow.studies.report import Bar, BarPlot, CurvePlot

_LEFT, _RIGHT, _TOP, _BOTTOM = 48.0, WIDTH - 12.0, 22.0, 214.0
_BAR = 22.0


def curve_plot(plot: CurvePlot) -> Element:
    """A curve with its band for each series, and what they are. There is at least one point."""
    points = [point for curve in plot.curves for point in curve.points]
    xs = [point.x for point in points]
    x_scale = Scale(min(xs), max(xs) if max(xs) > min(xs) else min(xs) + 1, _LEFT, _RIGHT)
    low, high = min(point.low for point in points), max(point.high for point in points)
    y_scale = Scale(low, high if high > low else low + 1, _BOTTOM, _TOP)
    drawn = new_plot(_BOTTOM + 36, plot.title)
    draw_x_axis(drawn, x_scale, _TOP, _BOTTOM, compact)
    draw_y_axis(drawn, y_scale, _LEFT, _RIGHT, compact)
    append(drawn, axis_title(plot.x, (_LEFT + _RIGHT) / 2, _BOTTOM + 31), axis_title(plot.y, 8, 12, "start"))
    for number, curve in enumerate(plot.curves):
        upper = [f"{x_scale(point.x):.1f},{y_scale(point.high):.1f}" for point in curve.points]
        lower = [f"{x_scale(point.x):.1f},{y_scale(point.low):.1f}" for point in reversed(curve.points)]
        line = " ".join(f"{x_scale(point.x):.1f},{y_scale(point.y):.1f}" for point in curve.points)
        append(
            drawn,
            element("polygon", points=" ".join(upper + lower), class_=f"band {series_class(number)}"),
            element("polyline", points=line, class_=f"curve {series_class(number)}"),
        )
        end = curve.points[-1]
        title = f"{curve.label}: {plain(end.y)} ({plain(end.low)} to {plain(end.high)}) at {plain(end.x)}"
        append(drawn, marker(number, x_scale(end.x), y_scale(end.y), title, f"point {series_class(number)}"))
    keys = legend((number, f"point {series_class(number)}", curve.label) for number, curve in enumerate(plot.curves))
    return element("div", drawn, keys, class_="curves")


def bar_plot(plot: BarPlot) -> Element:
    """A horizontal bar for each value with its interval; series differ in colour and marker."""
    series = list(dict.fromkeys(bar.series for bar in plot.bars))
    left = 14 + LETTER * max(len(shorten(bar.label)) for bar in plot.bars)
    bottom = _BAR * len(plot.bars) + 4
    scale = _bar_scale(plot, left)
    drawn = new_plot(bottom + 38, plot.title)
    draw_x_axis(drawn, scale, 4, bottom, compact)
    append(drawn, axis_title(plot.unit, (left + _RIGHT) / 2, bottom + 33))
    for row, bar in enumerate(plot.bars):
        number = series.index(bar.series)
        y, end = _BAR * row + 15, scale(bar.value)
        is_new = row == 0 or plot.bars[row - 1].label != bar.label
        if is_new:
            name = element("text", shorten(bar.label), element("title", bar.label), class_="end", x=left - 8, y=y + 4)
            append(drawn, name)
        box = element("rect", x=left, y=y - 7, width=max(end - left, 0.5), height=14)
        box.set("class", f"box {series_class(number)}")
        append(drawn, box)
        if bar.interval is not None:
            low, high = (scale(max(side, scale.low)) for side in bar.interval)
            append(drawn, element("path", d=f"M{low:.1f} {y} H{high:.1f}", class_="whisker"))
        append(drawn, marker(number, end, y, _bar_title(bar), f"point {series_class(number)}"))
    keys = legend((number, f"point {series_class(number)}", name) for number, name in enumerate(series))
    return element("div", drawn, keys, class_="curves")


def _bar_scale(plot: BarPlot, left: float) -> Scale:
    highest = max(max(bar.value, bar.interval[1] if bar.interval else bar.value) for bar in plot.bars)
    if plot.is_log:
        lowest = min(bar.value for bar in plot.bars)
        return Scale(lowest / 3, highest * 1.5, left, _RIGHT, is_log=True)
    return Scale(0.0, highest * 1.05 if highest > 0 else 1.0, left, _RIGHT)


def _bar_title(bar: Bar) -> str:
    text = f"{bar.label}, {bar.series}: {plain(bar.value)}"
    return text if bar.interval is None else f"{text} ({plain(bar.interval[0])} to {plain(bar.interval[1])})"
