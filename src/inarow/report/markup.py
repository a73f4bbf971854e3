"""Elements of a page, built as a tree: what comes from data is escaped when the tree is written."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, tostring

Child = Element | str


def element(tag: str, *children: Child, **attributes: object) -> Element:
    """An element with its children in order.

    Attributes are named as in Python: `class_`, `aria_label`. One that is None is left out.
    """
    names = {name: name.rstrip("_").replace("_", "-") for name in attributes}
    made = Element(tag, {names[name]: _text(value) for name, value in attributes.items() if value is not None})
    append(made, *children)
    return made


def append(parent: Element, *children: Child) -> None:
    """Adds children after those that are there."""
    for child in children:
        if isinstance(child, Element):
            parent.append(child)
        elif len(parent):
            parent[-1].tail = (parent[-1].tail or "") + child
        else:
            parent.text = (parent.text or "") + child


def breakable(text: str) -> list[Child]:
    """A name that may be broken between its parts, as agent strings need where there is little room."""
    first, *others = re.split(r"(?<=[:,=])", text)
    return [first, *(child for part in others for child in (element("wbr"), part))]


def to_html(root: Element) -> str:
    return tostring(root, encoding="unicode", method="html")


def _text(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
