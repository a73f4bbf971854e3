"""Checks every internal link of a built site: the file and the anchor must exist.

python tools/docs/check_links.py build/docs
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

NO_ANCHORS = {"genindex.html", "py-modindex.html", "search.html"}  # written by Sphinx and its script


class _Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        self.links += [values[name] for name in ("href", "src") if name in values]


def broken_links(site: Path) -> list[str]:
    """`page: link` for every broken internal link."""
    pages = {path.resolve(): _Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            missing = not target.exists()
            if not missing and parts.fragment and target in pages and target.name not in NO_ANCHORS:
                missing = unquote(parts.fragment) not in pages[target].anchors
            if missing:
                broken.append(f"{path.relative_to(site.resolve())}: {link}")
    return sorted(set(broken))


def main() -> None:
    site = Path(sys.argv[1])
    broken = broken_links(site)
    print("\n".join(broken) or f"{sum(1 for _ in site.rglob('*.html'))} pages, all internal links resolve")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
