"""Pages that other packages add to the lab.

A package offers a page by an entry point in the group `inarow.pages`: its name in the address, and a `Page`.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from inarow.errors import InarowError, one_line, shown
from inarow.plugins import load_plugin

_GROUP = "inarow.pages"
_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the lab: an ES module that exports `mount(root, query)`.

    `mount` fills the element `root` and returns a function that is called when the user leaves the page. All files of
    the module's folder are served to every client of the lab.
    """

    title: str  # its text in the navigation
    module: Path


def page_routes() -> list[BaseRoute]:
    """The routes of the list of pages, which the lab loads at the start, and of their files."""
    pages = installed_pages()
    listed = [
        {"name": name, "title": page.title, "module": f"/pages/{name}/{page.module.name}"}
        for name, page in pages.items()
    ]

    async def list_pages(request: Request) -> Response:
        return JSONResponse(listed)

    folders = [Mount(f"/pages/{name}", StaticFiles(directory=page.module.parent)) for name, page in pages.items()]
    return [Route("/pages.json", list_pages, methods=["GET"]), *folders]


def installed_pages() -> Mapping[str, Page]:
    """The pages of installed packages by name. Pages that cannot be loaded are skipped with a warning."""
    pages = {}
    for entry in entry_points(group=_GROUP):
        try:
            if not _NAME.fullmatch(entry.name):
                raise InarowError("its name must be lower-case letters, digits and hyphens")
            page = load_plugin(entry)
            if not isinstance(page, Page):
                raise InarowError(f"{entry.value} is not a Page")
            if not page.module.is_file():
                raise InarowError(f"there is no file {page.module}")
            pages[entry.name] = page
        except Exception as error:
            warnings.warn(f"the page {shown(entry.name)} is skipped: {one_line(error)}", stacklevel=2)
    return pages
