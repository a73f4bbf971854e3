"""The front end of the board in a real browser, without Jupyter: a model whose other end is a real widget."""

import json
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

import inarow
from tests.chromium import ABSENT, CHROMIUM

pytest.importorskip("anywidget", reason="needs anywidget")

FOLDER = Path(inarow.__file__).parent / "notebook"
MINUS = "\N{MINUS SIGN}"
PATIENCE = 60_000
"""Milliseconds: the machine may be busy."""
SYNCED = ("_shown", "hints", "moves", "side")

# What anywidget gives a front end: get, set, save_changes, send, on, off.
PAGE = '<!doctype html><html><head><style>CSS</style></head><body><main id="place"></main></body></html>'
MODEL = """async ([source, state]) => {
    const listeners = {};
    let changed = {};
    const tell = (name) => (listeners[`change:${name}`] ?? []).forEach((listener) => listener());
    window.model = {
        get: (name) => state[name],
        set: (name, value) => { state[name] = changed[name] = value; tell(name); },
        save_changes: () => { window.toKernel("set", changed); changed = {}; },
        send: (content) => { window.toKernel("send", content); },
        on: (event, listener) => { (listeners[event] ??= []).push(listener); },
        off: (event, listener) => { listeners[event] = listeners[event].filter((each) => each !== listener); },
    };
    window.fromKernel = (name, value) => { state[name] = value; tell(name); };
    window.listening = () => Object.values(listeners).flat().length;
    const { default: { render } } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    window.forget = render({ model: window.model, el: document.getElementById("place") });
}"""


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip(ABSENT)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def shown(browser, widget, **options):
    """A page with the board of a widget. It may not complain."""
    complaints, queue, sent = [], [], []
    with browser.new_context(**options) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))

        def to_page(change):
            page.evaluate("([name, value]) => window.fromKernel(name, value)", [change["name"], change["new"]])

        page.expose_function("toKernel", lambda kind, content: queue.append((kind, content)))
        page.set_content(PAGE.replace("CSS", (FOLDER / "board.css").read_text(encoding="utf-8")))
        state = json.loads(json.dumps({name: getattr(widget, name) for name in SYNCED}))
        page.evaluate(MODEL, [(FOLDER / "board.js").read_text(encoding="utf-8"), state])
        widget.observe(to_page, names=SYNCED)

        def deliver():
            """What the page has sent reaches the widget, as the kernel takes message after message."""
            page.wait_for_timeout(0)
            while queue:
                kind, content = queue.pop(0)
                sent.append(content)
                if kind == "send":
                    widget._receive(widget, content, None)
                else:
                    widget.set_state(content)

        page.deliver, page.sent = deliver, sent
        yield page
        widget.unobserve(to_page, names=SYNCED)
        assert complaints == []


def hit(page, name):
    return page.get_by_role("button", name=name, exact=False)


def click(page, name):
    hit(page, name).click()
    page.deliver()


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
        page.deliver()


def status(page):
    return page.locator(".status")


def test_a_game_is_played_by_mouse(browser):
    widget = inarow.board()
    with shown(browser, widget) as page:
        expect(status(page)).to_have_text("X to move")
        for column in (1, 2, 1, 2, 1, 2, 1):
            click(page, f"Column {column}")
        assert widget.moves == "1212121"
        expect(status(page)).to_have_text("X wins")
        expect(page.locator(".marks .won")).to_have_count(4)
        expect(page.locator(".stones .stone")).to_have_count(7)
        hit(page, "Column 5").click(force=True)
        page.deliver()
        assert widget.moves == "1212121"


def test_a_game_is_played_by_keyboard(browser):
    widget = inarow.board()
    with shown(browser, widget) as page:
        press(page, "Tab", "ArrowRight", "ArrowRight", "Enter", "4", "3", "4")
        press(page, "ArrowLeft", "ArrowRight", "Enter", "4", "3")
        assert widget.moves == "3434343"
        expect(status(page)).to_have_text("X wins")


def test_cells_are_played_by_arrows_and_digits(browser):
    widget = inarow.board(board="tictactoe")
    with shown(browser, widget) as page:
        press(page, "Tab", "ArrowDown", "ArrowRight", "Enter", "1", "ArrowUp", "Enter", "3", "8")
        assert widget.moves == "51238"
        expect(page.locator(".marks .won")).to_have_count(3)


def test_the_first_and_the_second_side_differ_in_shape(browser):
    with shown(browser, inarow.board("44")) as page:
        expect(page.locator(".stones .side-1 path.sign")).to_have_count(1)
        expect(page.locator(".stones .side-2 circle.sign")).to_have_count(1)
        expect(page.locator(".marks .last")).to_have_count(1)


def test_a_legal_move_is_previewed_and_a_full_column_is_not(browser):
    with shown(browser, inarow.board("111111")) as page:
        page.get_by_role("button", name="Column 2").hover()
        expect(page.locator(".ghost .stone")).to_have_count(1)
        full = page.get_by_role("button", name="Column 1, full")
        full.hover()
        expect(page.locator(".ghost .stone")).to_have_count(0)
        expect(full).to_have_attribute("aria-disabled", "true")
        full.click(force=True)
        page.deliver()
        assert page.sent == []


def test_the_agent_answers_and_undo_takes_both_moves_back(browser):
    widget = inarow.board(agent="winblock", seed=1)
    with shown(browser, widget) as page:
        click(page, "Column 4")
        assert widget.position.ply == 2
        expect(page.locator(".stones .stone")).to_have_count(2)
        played = widget.moves
        click(page, "Undo")
        expect(page.locator(".stones .stone")).to_have_count(0)
        click(page, "Redo")
        assert widget.moves == played
        click(page, "Swap sides")
        assert (widget.side, widget.position.ply) == (2, 3)
        click(page, "New game")
        assert widget.position.ply == 1
        expect(status(page)).to_have_text("O (you) to move")


def test_a_second_click_before_the_answer_is_no_move(browser):
    widget = inarow.board(agent="winblock", seed=1)
    with shown(browser, widget) as page:
        page.get_by_role("button", name="Column 4").dblclick()
        page.deliver()
        assert [content["ply"] for content in page.sent] == [0, 0]
        assert widget.position.ply == 2


def test_hints_show_the_score_of_every_column(browser):
    widget = inarow.board("4453")
    with shown(browser, widget) as page:
        click(page, "Hints")
        assert widget.hints
        expect(page.locator(".chip text")).to_have_text([f"{MINUS}{score}" for score in (5, 5, 2, 3, 4, 2, 2)])
        expect(page.locator(".chip.best")).to_have_count(3)
        expect(page.get_by_role("button", name=f"Column 3, score {MINUS}2, best")).to_be_attached()
        click(page, "Hints")
        expect(page.locator(".chip")).to_have_count(0)


def test_what_fails_is_shown_and_the_board_stays_alive(browser):
    def broken(position):
        raise ValueError("no idea")

    widget = inarow.board(agent=broken)
    with shown(browser, widget) as page:
        click(page, "Column 4")
        expect(page.get_by_role("alert")).to_have_text("broken failed: no idea")
        click(page, "Undo")
        expect(page.get_by_role("alert")).to_have_text("")
        click(page, "Column 1")
        assert widget.moves == "1"


def test_python_changes_the_view_also_to_another_board(browser):
    widget = inarow.board()
    with shown(browser, widget) as page:
        widget.moves = "44"
        expect(page.locator(".stones .stone")).to_have_count(2)
        widget.position = inarow.Position.parse("5", "tictactoe")
        expect(page.locator(".hit")).to_have_count(9)
        click(page, "Row 1, column 1")
        assert widget.moves == "51"


def test_keys_of_the_board_do_not_reach_the_notebook(browser):
    with shown(browser, inarow.board()) as page:
        page.evaluate("window.seen = []; document.addEventListener('keydown', (event) => window.seen.push(event.key))")
        press(page, "Tab", "4", "ArrowRight", "Enter", "x")
        assert page.evaluate("window.seen") == ["Tab", "x"]


def test_a_removed_view_stops_listening(browser):
    with shown(browser, inarow.board()) as page:
        assert page.evaluate("window.listening()") > 0
        page.evaluate("window.forget()")
        assert page.evaluate("window.listening()") == 0
