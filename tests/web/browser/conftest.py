"""A lab and a browser for the tests of this folder."""

import pytest
from playwright.sync_api import sync_playwright

from tests.chromium import ABSENT, CHROMIUM
from tests.web.lab_server import lab


@pytest.fixture(scope="package")
def served(tmp_path_factory):
    with lab(tmp_path_factory.mktemp("lab")) as served:
        yield served.wait_until_ready()


@pytest.fixture(scope="package")
def browser():
    if CHROMIUM is None:
        pytest.skip(ABSENT)
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()
