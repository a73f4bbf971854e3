"""Pages of other packages in the lab."""

import asyncio
import sys

import httpx
import pytest

from inarow.web.app import make_app
from inarow.web.settings import LabSettings
from tests import outside
from tests.web.outside_page import FILES, GOOD

BAD = """
lost = outside_pages:LOST
text = outside_pages:TEXT
none = outside_pages:NONE
Bad Name = outside_pages:OPENINGS
"""


class Client:
    """Asks a lab of this process, which runs no searches and no jobs."""

    def __init__(self, folder):
        self._app = make_app(LabSettings(runs=folder / "runs", store=folder / "lab.sqlite"))

    def get(self, path):
        async def ask():
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.get(path)

        return asyncio.run(ask())


@pytest.fixture
def client(tmp_path, monkeypatch):
    """A function that makes a client of a lab with the pages of some entry points."""

    def make(entry_points):
        monkeypatch.syspath_prepend(outside.install(tmp_path / "site", FILES, entry_points))
        monkeypatch.delitem(sys.modules, "outside_pages", raising=False)
        return Client(tmp_path)

    return make


def test_a_page_from_outside_is_listed_and_served_under_the_policy_of_the_lab(client):
    lab = client(GOOD)
    (page,) = lab.get("/pages.json").json()
    assert page == {"name": "openings", "title": "Openings", "module": "/pages/openings/openings.js"}
    module = lab.get(page["module"])
    assert module.text == FILES["outside_pages/static/openings.js"]
    assert module.headers["content-type"].startswith("text/javascript")
    assert "script-src 'self'" in module.headers["content-security-policy"]
    assert lab.get("/pages/openings/words.js").status_code == 200
    for path in ("/pages/openings/../__init__.py", "/pages/openings/%2e%2e/__init__.py", "/pages/lost/nowhere.js"):
        assert lab.get(path).status_code == 404


def test_a_broken_page_is_left_out_with_a_warning(client):
    with pytest.warns(UserWarning, match="is skipped") as warnings:
        lab = client(GOOD + BAD)
    assert [page["name"] for page in lab.get("/pages.json").json()] == ["openings"]
    reasons = " ".join(str(warning.message) for warning in warnings)
    for reason in ("there is no file", "is not a Page", "has no attribute 'NONE'", "lower-case letters"):
        assert reason in reasons


def test_without_other_packages_there_are_no_more_pages(tmp_path):
    assert Client(tmp_path).get("/pages.json").json() == []
