"""Scales, ticks and the frame of a plot, in SVG.

A plot is as wide as a phone in its own units, so that its text can be read there; on a wider page
it grows as a whole. Colours are classes, which the style sheet fills in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from inarow.report.markup import append, element

WIDTH = 360
LETTER = 7.0
"""Width of a letter of a label, on average."""
_SERIES = 7
"""Colours of the style sheet. There are five shapes, so that 35 series differ in one or the other."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to places: `low` lies at `start`, `high` at `end`."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False
    least_step: float = 0.0
    """Between ticks; 1 for what is counted."""

    def __call__(self, value: float) -> float:
        low, high, value = (
            map(math.log10, (self.low, self.high, value)) if self.is_log else (self.low, self.high, value)
        )
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
        append(
            plot,
            element("line", class_="grid", x1=x, x2=x, y1=top, y2=bottom),
            element("text", name(tick), class_="tick middle", x=x, y=bottom + 15),
        )


def draw_y_axis(plot: Element, scale: Scale, left: float, right: float, name: Callable[[float], str]) -> None:
    """Lines from left to right with their values before them."""
    for tick in scale.ticks():
        y = scale(tick)
        append(
            plot,
            element("line", class_="grid", x1=left, x2=right, y1=y, y2=y),
            element("text", name(tick), class_="tick end", x=left - 6, y=y + 4),
        )


def axis_title(text: str, x: float, y: float, anchor: str = "middle") -> Element:
    return element("text", text, class_=f"title {anchor}", x=x, y=y)


def marker(kind: int, x: float, y: float, title: str, class_: str) -> Element:
    """One of five shapes around a point, with a text for those who point at it."""
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
    """What the markers mean: kind, class and meaning of each."""
    found = element("ul", class_="legend")
    for kind, class_, meaning in entries:
        sign = element("svg", marker(kind, 0, 0, meaning, class_), viewBox="-7 -7 14 14", aria_hidden="true")
        append(found, element("li", sign, meaning))
    return found


def series_class(number: int) -> str:
    """The class that gives a series its colour."""
    return f"series-{number % _SERIES}"


def shorten(text: str, length: int = 22) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
