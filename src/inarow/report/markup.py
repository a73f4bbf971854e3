"""Building blocks of pages: elements, the frame of a self-contained page, formatted numbers.

A page is built as a tree of elements; text is escaped when the tree is written. It contains style, script and data, and
loads nothing from the network.
"""

import re
from html import escape
from importlib.resources import files
from xml.etree.ElementTree import Element, tostring

from inarow.arena.statistics import Interval
from inarow.errors import visible

Child = Element | str
MINUS = "\N{MINUS SIGN}"


def element(tag: str, *children: Child, **attributes: object) -> Element:
    """An element with its children in order.

    Attributes have Python names: `class_`, `aria_label`. Attributes that are None are omitted.
    """
    made = Element(tag)
    for name, value in attributes.items():
        if value is not None:
            text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
            made.set(name.rstrip("_").replace("_", "-"), visible(text))
    append(made, *children)
    return made


def append(parent: Element, *children: Child) -> None:
    """Appends children; control characters in texts are escaped."""
    for child in children:
        if isinstance(child, Element):
            parent.append(child)
        elif len(parent):
            parent[-1].tail = (parent[-1].tail or "") + visible(child)
        else:
            parent.text = (parent.text or "") + visible(child)


def breakable(text: str) -> list[Child]:
    """A name with possible line breaks between its parts, for agent strings in narrow columns."""
    first, *others = re.split(r"(?<=[:,=])", text)
    return [first, *(child for part in others for child in (element("wbr"), part))]


# --- pages ---


def section(title: str, *children: Child, heading: str = "h2") -> Element:
    return element("section", element(heading, title), *children)


def footer(command: str, version: str, seeds: tuple[int, ...]) -> Element:
    made_by = element("footer", f"Made by inarow {version}")
    if command:
        append(made_by, ": ", element("code", command))
    if seeds:
        append(made_by, f" · {'seed' if len(seeds) == 1 else 'seeds'} {', '.join(map(str, seeds))}")
    return made_by


def standalone_page(title: str, main: Element) -> str:
    """A complete HTML document around `main`."""
    names = ("page.html", "page.css", "page.js")
    page, style, script = ((files("inarow.report") / name).read_text(encoding="utf-8") for name in names)
    text = tostring(main, encoding="unicode", method="html")
    return page.format(title=escape(visible(title), quote=False), style=style, main=text, script=script)


# --- numbers ---


def signed(number: int) -> str:
    """A score: `+3`, `0`, or with a true minus sign."""
    return f"{number:+d}".replace("-", MINUS) if number else "0"


def elo(number: float) -> str:
    return f"{number:.0f}".replace("-", MINUS)


def elo_interval(interval: Interval) -> str:
    return f"{elo(interval[0])} to {elo(interval[1])}"


def percent(share: float) -> str:
    return f"{share * 100:.1f} %"


def seconds(time: float) -> str:
    """A short time with its unit, to two digits."""
    number, unit = (time, "s") if time >= 1 else (time / 1e-3, "ms") if time >= 1e-3 else (time * 1e6, "µs")
    return f"{number:.2g} {unit}" if number < 10 else f"{number:.0f} {unit}"


def plain(number: float) -> str:
    """A number to four digits, with thousands separators; large ones rounded to integers."""
    text = f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"
    return text.replace("-", MINUS)


def compact(number: float) -> str:
    """A short form of a round number: 20k, 3M."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if abs(number) >= size:
            return f"{number / size:.3g}{unit}".replace("-", MINUS)
    return plain(number)


def fixed(number: float, digits: int) -> str:
    """A number with `digits` decimals and thousands separators."""
    return f"{number:,.{digits}f}".replace("-", MINUS)
