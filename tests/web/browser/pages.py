"""Pages of the lab, opened and waited for."""

import re
from contextlib import contextmanager

from playwright.sync_api import expect

PAGES = ("play", "analyse", "arena", "train")
MINUS = "\N{MINUS SIGN}"
PATIENCE = 60_000
"""Milliseconds: the machine may be busy."""
expect.set_options(timeout=PATIENCE)


@contextmanager
def opened(browser, served, path, *, may_complain=False, **options):
    """A page that may not complain, and talks to nobody but the lab."""
    complaints, requests = [], []
    with browser.new_context(**options) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{served.address}/{path}")
        expect(page.locator(".page h1")).to_be_attached()
        yield page
        assert may_complain or complaints == []
        assert all(url.startswith((served.address, "data:", "blob:")) for url in requests)


def moves_in(page) -> str:
    """The game, as the address of the page has it now; `page.url` may be late."""
    return re.search(r"moves=([^&]*)", page.evaluate("location.href"))[1].replace("%2C", ",")


def wait_for_turn(page):
    expect(page.locator(".player.next .state")).to_have_text("to move")


def wait_for_ply(page, plies):
    """Waits until at least this number of moves have been made."""
    expect(page.locator(".moves li").nth(plies - 1)).to_be_attached()


def press_at_once(page, keys):
    """Presses keys without any time between them, however busy the machine is."""
    page.evaluate(
        """(keys) => {
            const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            keys.forEach(press);
        }""",
        keys,
    )


def column(page, number):
    return page.get_by_role("button", name=re.compile(f"^Column {number}\\b"))
