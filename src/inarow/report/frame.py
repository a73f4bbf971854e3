"""Pages that stand alone: style, script and data in one file, which asks nothing of any network."""

from __future__ import annotations

from importlib.resources import files
from xml.etree.ElementTree import Element

from inarow.report.markup import Child, append, element, to_html

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def section(title: str, *children: Child) -> Element:
    return element("section", element("h2", title), *children)


def footer(command: str, version: str, seeds: tuple[int, ...]) -> Element:
    made_by = element("footer", f"Made by inarow {version}")
    if command:
        append(made_by, ": ", element("code", command))
    if seeds:
        append(made_by, f" · {'seed' if len(seeds) == 1 else 'seeds'} {', '.join(map(str, seeds))}")
    return made_by


def standalone_page(title: str, main: Element) -> str:
    """A whole HTML document around `main`."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("link", rel="icon", href="data:,"),
        element("title", title),
        element("style", _asset("page.css")),
    )
    body = element("body", main, element("script", _asset("page.js")))
    return f"<!DOCTYPE html>\n{to_html(element('html', head, body, lang='en'))}\n"


def _asset(name: str) -> str:
    return (files("inarow.report") / name).read_text(encoding="utf-8")
