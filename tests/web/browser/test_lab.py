"""What all pages of the lab promise."""

import json
import random
import re
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import expect

from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.exploration.register import amplitudes, lay_out
from inarow.learning.exploration.selection import softmax
from tests.web.browser.pages import PAGES, opened
from tests.web.lab_server import lab

AXE = Path(__file__).parents[1] / "vendor" / "axe.js"


def test_a_new_token_is_asked_for_once_and_taken_from_a_link(browser, tmp_path):
    with (
        lab(tmp_path, "--workers", "1", "--token", "the-first-token") as first,
        opened(browser, first, "#token=the-first-token", may_complain=True) as page,
    ):
        link = page.locator("#link")
        asked = []

        def decline(dialog):
            asked.append(dialog.message)
            dialog.dismiss()

        expect(link).to_have_attribute("data-state", re.compile("connected|preparing"))
        page.on("dialog", decline)
        first.kill()
        with lab(tmp_path, "--workers", "1", "--token", "the-second-token", port=first.port) as second:
            expect(link).to_have_text("token refused; reload to enter it")
            page.goto(f"{second.address}/#/arena")
            page.wait_for_timeout(3000)  # the page asks for its jobs every second
            assert len(asked) == 1
            page.goto(f"{second.address}/#token=the-second-token")
            expect(link).to_have_attribute("data-state", re.compile("connected|preparing"))
            assert len(asked) == 1
            second.stop()


def test_the_skip_link_leads_to_the_content_of_the_page(browser, served):
    with opened(browser, served, "#/analyse") as page:
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#main")).to_be_focused()
        expect(page.locator(".page.analyse h1")).to_be_attached()
        assert "#/analyse" in page.evaluate("location.href")


def test_a_page_that_does_not_load_says_so(browser, served):
    with opened(browser, served, "#/play", may_complain=True) as page:
        page.route("**/js/pages/train.js", lambda route: route.abort())
        page.goto(f"{served.address}/#/train")
        expect(page.get_by_role("alert").filter(has_text="did not load")).to_be_visible()
        page.unroute("**/js/pages/train.js")
        page.get_by_role("button", name="Reload").click()
        expect(page.locator(".page.train h2").first).to_be_visible()


def test_what_the_lab_did_not_tell_is_asked_for_after_the_next_connection(browser, served):
    with opened(browser, served, "#/play", may_complain=True) as page:
        page.route("**/api/lab", lambda route: route.abort())
        page.reload()
        expect(page.get_by_text("Failed to fetch")).to_be_visible()
        page.unroute("**/api/lab")
        page.evaluate("import('/static/js/lab.js').then(({ connect }) => connect())")
        expect(page.get_by_label("X, first", exact=True)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_an_accessibility_fault(browser, served, scheme):
    with opened(
        browser, served, "#/play?board=6x7x4&moves=4453&second=solver:level=2", color_scheme=scheme, bypass_csp=True
    ) as page:
        for each in PAGES:
            page.goto(f"{served.address}/#/{each}")
            expect(page.locator(f".page.{each} h2").first).to_be_visible()
            expect(page.get_by_text("Loading …")).to_have_count(0)
            page.evaluate(AXE.read_text())
            found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
            serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
            assert serious == [], json.dumps(
                [[f["id"], [n["html"] for n in f["nodes"]][:3]] for f in serious], indent=1
            )


def test_pages_are_light(browser, served):
    asked = set()
    with opened(browser, served, "") as page:
        page.on("request", lambda request: asked.add(request.url))
        page.reload()
        for each in PAGES:
            page.goto(f"{served.address}/#/{each}")
            expect(page.locator(f".page.{each} h2").first).to_be_visible()
        page.wait_for_load_state("networkidle")
    sizes = {url: len(httpx.get(url).content) for url in asked}
    assert len(sizes) > 20  # it looked
    assert sum(sizes.values()) < 300_000


def test_the_quantum_draw_of_the_page_is_that_of_the_package(browser, served):
    values, heat = [0.4, -0.3, 0.1, -0.8], 0.7
    with opened(browser, served, "") as page:
        told = page.evaluate(
            """async ([values, heat]) => {
                const { quantumDraw } = await import("/static/js/exploration.js");
                return [0, 1, 2].map((steps) => quantumDraw(values, heat, steps));
            }""",
            [values, heat],
        )
        cold = page.evaluate(
            "import('/static/js/exploration.js').then(({ quantumDraw }) => quantumDraw([1, -1, -1], 0.03, 1))"
        )
    assert sum(each["amplitude"] ** 2 for each in cold) == pytest.approx(1)
    probabilities = np.zeros(4)
    softmax(np.array(values), 0b1111, heat, probabilities)
    for steps, drawn in enumerate(told):
        truth = amplitudes(lay_out(probabilities, 0b1111, 0b0101), steps)
        assert [each["amplitude"] for each in drawn] == pytest.approx(list(truth))


def test_the_rules_of_the_page_are_those_of_the_package(browser, served):
    chance = random.Random(5)
    games = []
    for board in ("6x7x4", "3x3x3/free", "12x12x5", "5x4x3", "15x15x5/free", "1x5x2", "16x16x3"):
        for _ in range(12):
            position = Position.start(GameSpec.parse(board))
            for _ in range(chance.randrange(60)):
                if position.is_over:
                    break
                position = position.play(chance.choice(position.legal_actions))
            games.append((board, position))
    with opened(browser, served, "") as page:
        told = page.evaluate(
            """async (games) => {
                const { parseBoard, parseMoves, replay, formatMoves } = await import("/static/js/rules.js");
                return games.map(([board, moves]) => {
                    const spec = parseBoard(board);
                    const position = replay(spec, parseMoves(moves, spec));
                    const legal = Array.from({ length: spec.actions }, (_, action) => action).filter(position.isLegal);
                    const { actions, cells, winner, isOver, line } = position;
                    return [formatMoves(actions, spec), [...cells], winner, isOver, legal, line];
                });
            }""",
            [(board, position.moves) for board, position in games],
        )
    for (board, position), found in zip(games, told, strict=True):
        line = [row * position.spec.columns + column for row, column in position.winning_line]
        cells = position.to_array().ravel().tolist()
        expected = [position.moves, cells, position.winner, position.is_over, list(position.legal_actions), line]
        assert found == expected, board
