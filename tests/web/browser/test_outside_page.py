"""A page of another package, in a browser."""

from playwright.sync_api import expect

from tests import outside
from tests.web.browser.pages import opened
from tests.web.lab_server import lab
from tests.web.outside_page import FILES, GOOD


def test_a_page_from_outside_is_shown_and_left(browser, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", outside.path_with(outside.install(tmp_path / "site", FILES, GOOD)))
    with (
        lab(tmp_path, "--workers", "1") as served,
        opened(browser, served, "#/openings?moves=44") as page,
    ):
        expect(page.locator(".page.openings h1")).to_have_text("All openings")
        expect(page.locator("#about")).to_have_text("6 boards, moves 44")
        expect(page).to_have_title("Openings · inarow lab")
        expect(page.get_by_role("link", name="Openings")).to_have_attribute("aria-current", "page")
        page.get_by_role("link", name="Analyse").click()
        expect(page.locator(".page.analyse h1")).to_be_attached()
        assert page.evaluate("window.hasLeft")
        page.get_by_role("link", name="Openings").click()
        expect(page.locator(".page.openings h1")).to_be_attached()
