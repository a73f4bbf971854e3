"""Takes pictures of five pages of the documentation, in light and dark, after `make docs`.

    python tools/docs/site_pictures.py docs/web

It also checks, for these pages in both schemes, that no script fails, no picture is missing and nothing is fetched
from elsewhere. Needs Chromium.
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

SITE = Path(__file__).parents[2] / "build" / "docs"
PAGES = {
    "start": "index.html",
    "tutorial": "tutorials/analyse.html",
    "course": "course/05-monte-carlo-tree-search.html",
    "commands": "reference/commands.html",
    "search": "explanation/search.html",
}
SIZE = {"width": 1200, "height": 800}
COLOURS = 64
MISSING = "[...document.images].filter(image => image.complete && !image.naturalWidth).map(image => image.src)"


def main() -> None:
    (folder,) = map(Path, sys.argv[1:])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-background-networking"]
        )
        for name, path in PAGES.items():
            for scheme in ("light", "dark"):
                take_picture(browser, SITE / path, scheme, folder / f"docs-{name}-{scheme}.png")
        browser.close()


def take_picture(browser: Browser, path: Path, scheme: str, target: Path) -> None:
    """Writes the top of a page as a picture. Exits if the page has a fault."""
    page = browser.new_page(viewport=SIZE, color_scheme=scheme)
    faults = watch(page)
    page.goto(path.as_uri(), wait_until="load")
    faults += page.evaluate(MISSING)
    if faults:
        sys.exit(f"{path.relative_to(SITE)}, {scheme}: {faults}")
    with Image.open(io.BytesIO(page.screenshot())) as image:
        image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    page.close()


def watch(page: Page) -> list[str]:
    """A list to which failed scripts and requests to other places are added."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: request.url.startswith(("file:", "data:")) or faults.append(request.url))
    return faults


if __name__ == "__main__":
    main()
