"""The pages as a browser shows them; skipped where there is none (`make browser`)."""

from contextlib import contextmanager

import pytest
from playwright.sync_api import expect, sync_playwright

from inarow.arena.store import Store
from inarow.arena.store_schema import AgentIdentity
from inarow.games.position import Position
from inarow.games.record import GameRecord
from inarow.games.spec import GameSpec
from inarow.report.data import ReplayGame, report_from_store, review_end
from inarow.report.page import analysis_page, report_page
from inarow.search.solver.api import analyse
from tests.chromium import ABSENT, CHROMIUM
from tests.report.report_samples import GRADE, make_store

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)
AGENTS = ("random", "greedy", "winblock", "winblock:epsilon=0.1")

SPILLS = """[...document.querySelectorAll(".board, .controls, .plot, .moves, .legend")].filter((part) =>
    part.getBoundingClientRect().right > part.closest("section").getBoundingClientRect().right).length"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The address of a report with all its parts."""
    folder = tmp_path_factory.mktemp("report")
    with Store(make_store(folder / "lab.sqlite", *AGENTS)) as store:
        store.add_grade(AgentIdentity.parse("winblock"), "connect4", "test", GRADE)
        data = report_from_store(store, "connect4", games=2, analyse=analyse)
    (folder / "report.html").write_text(report_page(data))
    return (folder / "report.html").as_uri()


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(browser, address, **options):
    """A page that may neither complain nor ask for anything but itself."""
    complaints = []
    with browser.new_context(**options) as context:
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url) if request.url != address else None)
        page.goto(address)
        yield page
        assert complaints == []


def stones(game) -> int:
    return game.locator(".stone:visible").count()


def test_a_game_is_replayed_by_click_and_by_keyboard(browser, report):
    with opened(browser, report) as page:
        game = page.locator(".replay").first
        plies = int(game.locator("input").get_attribute("max"))
        game.get_by_role("button", name="Start", exact=True).click()
        assert stones(game) == 0
        expect(game.locator(".caption")).to_have_text("The empty board. X to move.")
        assert game.locator(".score").all_text_contents()[3] == "+1"
        game.get_by_role("button", name="Forward", exact=True).click()
        assert stones(game) == 1
        page.keyboard.press("ArrowRight")
        assert stones(game) == 2
        page.keyboard.press("ArrowLeft")
        assert stones(game) == 1
        page.keyboard.press("End")
        assert stones(game) == plies
        page.keyboard.press("Home")
        assert stones(game) == 0
        game.locator("input").fill("3")
        assert stones(game) == 3
        game.locator(".moves button").nth(4).click()
        assert stones(game) == 5
        graph = game.locator(".evaluation")
        graph.click(position={"x": graph.bounding_box()["width"] - 4, "y": 20})
        assert stones(game) == plies
        assert game.locator(".line:visible").count() >= 4 or "Draw" in game.locator(".caption").text_content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(browser, report, scheme):
    with opened(browser, report, viewport={"width": 375, "height": 800}, color_scheme=scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        assert page.evaluate(SPILLS) == 0
        ground, ink = page.evaluate(
            "(({backgroundColor, color}) => [backgroundColor, color])(getComputedStyle(document.body))"
        )
        brightness = [sum(map(int, colour[4:-1].split(","))) for colour in (ground, ink)]
        assert (brightness[0] < brightness[1]) == (scheme == "dark")


def test_paper_shows_the_end_of_the_game_in_light_colours(browser, report):
    with opened(browser, report, color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        game = page.locator(".replay").first
        assert stones(game) == int(game.locator("input").get_attribute("max"))
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 36, 48)"
        assert not game.locator(".controls").is_visible()


@pytest.mark.parametrize("board", ["3x3x3/free", "12x12x5/free", "12x12x5"])
def test_a_game_on_any_board_fits_a_phone(browser, tmp_path, board):
    position = Position.parse("1,2,3" if board == "12x12x5/free" else "123", GameSpec.parse(board))
    record = GameRecord(
        board=board, first="x" * 200, second="b", moves=position.moves, winner=None, termination="unfinished"
    )
    game = ReplayGame(record, review_end(record, analyse) if board == "3x3x3/free" else ())
    path = tmp_path / "game.html"
    path.write_text(analysis_page(game, command="", version="0"))
    with opened(browser, path.as_uri(), viewport={"width": 375, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        assert page.evaluate(SPILLS) == 0
        page.keyboard.press("Tab")
        page.keyboard.press("Home")
        assert stones(page.locator(".replay")) == 0
        scores = [text for text in page.locator(".score").all_text_contents() if text]
        assert len(scores) == (9 if board == "3x3x3/free" else 0)


def test_games_in_one_notebook_are_stepped_through_apart(browser, tmp_path):
    records = [GameRecord.of_position(Position.parse(moves), "a", "b") for moves in ("4444", "123456")]
    cells = "".join(f"<div>{record._repr_html_()}</div>" for record in records)
    (tmp_path / "notebook.html").write_text(f'<!DOCTYPE html><meta charset="utf-8"><p>text</p>{cells}')
    for scheme in ("light", "dark"):
        with opened(browser, (tmp_path / "notebook.html").as_uri(), color_scheme=scheme) as page:
            one, other = page.locator(".replay").all()
            one.get_by_label("Start").click()
            one.get_by_label("Forward", exact=True).click()
            assert (stones(one), stones(other)) == (1, 6)
            other.press("ArrowLeft")
            assert (stones(one), stones(other)) == (1, 5)
            assert page.evaluate("getComputedStyle(document.querySelector('p')).color") == "rgb(0, 0, 0)"
            ground = page.evaluate("getComputedStyle(document.querySelector('.inarow')).backgroundColor")
            assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(26, 33, 43)"}[scheme]
