"""The lab as a person meets it in a browser; skipped where there is none (`make browser`)."""

import json
import random
import re
import shutil
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import expect, sync_playwright

import inarow
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.interfaces.web.learners import describe_learners, find_learner
from inarow.learning.config import to_config
from inarow.learning.exploration.register import lay_out
from inarow.learning.exploration.selection import softmax
from inarow.learning.exploration.state_vector import amplitudes
from tests.interfaces.web.lab_server import lab

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is absent")

PAGES = ("play", "analyse", "arena", "train")
AXE = Path(__file__).parent / "vendor" / "axe.js"
MINUS = "\N{MINUS SIGN}"
PATIENCE = 60_000
"""Milliseconds: the machine may be busy."""
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with lab(tmp_path_factory.mktemp("lab")) as served:
        yield served.wait_until_ready()


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


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
    """The game, as the address of the page has it."""
    return re.search(r"moves=([^&]*)", page.url)[1].replace("%2C", ",")


def wait_for_turn(page):
    expect(page.locator(".player.next .state")).to_have_text("to move")


def wait_for_ply(page, plies):
    """Waits until at least so many moves were made."""
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


# --- Play ---


def test_a_full_game_by_mouse_against_a_level(browser, served):
    with opened(browser, served, "#/play?board=6x7x4&second=solver:level=1&seed=1") as page:
        for _ in range(21):
            wait_for_turn(page)
            best = inarow.analyse(Position.parse(moves_in(page))).best[0]
            before = len(moves_in(page))
            column(page, best + 1).click()
            wait_for_ply(page, before + 1)
            if page.locator(".status").text_content().startswith("X wins"):
                break
            expect(page.locator(".player.next .name")).not_to_have_text("")
        expect(page.locator(".status")).to_have_text("X wins with 4 in a row.")
        assert Position.parse(moves_in(page)).winner == 1
        assert page.locator(".won").count() >= 4
        assert page.locator(".evidence tbody tr").count() > 0
        assert page.locator(".evidence").get_by_text("visits").count() == 1
        page.get_by_role("button", name="Undo").click()
        wait_for_turn(page)
        assert not Position.parse(moves_in(page)).is_over


def test_a_game_by_keyboard_with_undo_redo_and_restart(browser, served):
    with opened(browser, served, "#/play?board=6x7x4&second=solver:level=1&seed=2") as page:
        page.keyboard.press("4")
        wait_for_ply(page, 2)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")  # the middle column has the focus first, then the second to its left
        wait_for_ply(page, 4)
        assert moves_in(page)[2] == "2"
        played = moves_in(page)
        page.keyboard.press("u")
        assert moves_in(page) == played[:2]
        page.keyboard.press("y")
        assert moves_in(page) == played
        for _ in range(21):
            if page.locator(".player.winner").count():
                break
            wait_for_turn(page)
            before = len(moves_in(page))
            page.keyboard.press(str(inarow.analyse(Position.parse(moves_in(page))).best[0] + 1))
            wait_for_ply(page, before + 1)
            expect(page.locator(".player.next .state.live")).to_have_count(0)
        expect(page.locator(".status")).to_contain_text("wins")
        finished = moves_in(page)
        page.keyboard.press("r")
        assert moves_in(page) == ""
        page.keyboard.press("y")
        assert moves_in(page) == finished


def test_the_digits_of_a_move_are_collected_where_it_may_have_several(browser, served):
    with opened(browser, served, "#/play?board=15x15x5/free&first=human&second=human") as page:
        press_at_once(page, ["1", "1", "3"])
        wait_for_ply(page, 1)
        press_at_once(page, ["7", "Enter"])
        wait_for_ply(page, 2)
        press_at_once(page, ["3", "0"])
        wait_for_ply(page, 3)
        press_at_once(page, ["5"])
        wait_for_ply(page, 4)
        assert page.locator(".moves li").all_text_contents() == ["113", "7", "30", "5"]


def test_arrows_enter_the_board_only_from_nowhere(browser, served):
    with opened(browser, served, "#/play?board=6x7x4&first=human&second=human") as page:
        elsewhere = page.get_by_role("button", name="Copy moves")
        elsewhere.focus()
        page.keyboard.press("ArrowRight")
        expect(elsewhere).to_be_focused()
        elsewhere.blur()
        page.keyboard.press("ArrowDown")
        expect(column(page, 4)).not_to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(column(page, 4)).to_be_focused()


def test_the_turn_and_the_result_are_told_to_screen_readers(browser, served):
    with opened(browser, served, "#/play?board=6x7x4&moves=414141&first=human&second=human") as page:
        expect(page.get_by_role("status").filter(has_text="move")).to_have_text("Move 7: X to move.")
        page.keyboard.press("4")
        expect(page.get_by_role("status").filter(has_text="wins")).to_have_text("X wins with 4 in a row.")


def test_a_hint_that_fails_is_told_and_not_asked_for_at_once_again(browser, served):
    with opened(browser, served, "") as page:
        changes, failure = page.evaluate(
            """async () => {
                const { Hints } = await import("/static/js/hints.js");
                const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
                const position = { spec: { text: "99x7x4" }, moves: "", isOver: false };
                let changes = 0;
                const hints = new Hints(() => {
                    changes += 1;
                    hints.about(position);
                });
                hints.about(position);
                while (!changes) await wait(20);
                await wait(1000);
                const told = [changes, hints.failure];
                hints.end();
                return told;
            }"""
        )
    assert changes == 1
    assert "rows is 99" in failure


def test_hints_stay_on_and_are_those_of_the_solver(browser, served):
    with opened(browser, served, "#/play?board=6x7x4&moves=4453&first=human&second=human") as page:
        page.get_by_role("button", name="Hints").click()
        for moves, play in (("4453", 3), ("44533", 3)):
            truth = inarow.analyse(Position.parse(moves))
            expect(page.locator(".chip")).to_have_count(7)
            expect(page.locator(".advice")).to_contain_text("moves")
            shown = [text.replace(MINUS, "-") for text in page.locator(".chip text").all_text_contents()]
            assert [int(text) for text in shown] == list(truth.scores)
            assert page.locator(".chip.best").count() == len(truth.best)
            expect(column(page, truth.best[0] + 1)).to_have_attribute(
                "aria-label", f"Column {truth.best[0] + 1}, score {truth.score}, best"
            )
            column(page, play).click()
        assert moves_in(page) == "445333"
        expect(page.locator(".chip text").first).to_be_visible()


def test_tic_tac_toe_against_a_learnt_table_is_a_draw_with_best_play(browser, served):
    spec = GameSpec.parse("tictactoe")
    with opened(browser, served, "#/play?board=tictactoe&second=q&seed=1") as page:
        while not page.locator(".status").text_content().startswith("A draw"):
            wait_for_turn(page)
            before = moves_in(page)
            page.keyboard.press(str(inarow.analyse(Position.parse(before, spec)).best[0] + 1))
            wait_for_ply(page, min(9, len(before) + 2))
        assert Position.parse(moves_in(page), spec).is_over


def test_twelve_by_twelve_with_five_in_a_row_on_a_phone(browser, served):
    phone = {"viewport": {"width": 375, "height": 740}, "has_touch": True, "is_mobile": True}
    with opened(browser, served, "#/play?board=12x12x5&second=mcts:simulations=300&seed=1", **phone) as page:
        column(page, 12).tap()
        wait_for_ply(page, 2)
        assert moves_in(page)[0] == "c"
        wait_for_turn(page)
        page.get_by_role("button", name="Resign").tap()
        expect(page.locator(".status")).to_have_text("X resigned: O wins.")
        for each in PAGES:
            page.goto(f"{served.address}/#/{each}")
            expect(page.locator(f".page.{each} h1")).to_have_count(1)
            assert page.evaluate("document.documentElement.scrollWidth") <= 375


@pytest.mark.parametrize("board", ["12x12x5", "16x16x5"])
def test_estimates_on_a_phone_are_readable_and_in_the_names_of_the_moves(browser, served, board):
    phone = {"viewport": {"width": 375, "height": 740}, "has_touch": True, "is_mobile": True}
    with opened(browser, served, "#/play?board=6x7x4&first=human&second=human", **phone) as page:
        page.evaluate(
            """async (text) => {
                const { makeBoard } = await import("/static/js/board.js");
                const { parseBoard, replay } = await import("/static/js/rules.js");
                const spec = parseBoard(text);
                const values = Array.from({ length: spec.actions }, (_, action) => 0.53 - action / 12);
                const hints = { exact: false, score: null, values, visits: values.map(() => 9), best: [0] };
                const board = makeBoard(spec, { onPlay() {} });
                document.querySelector(".place-of-board").replaceChildren(board.element);
                board.show(replay(spec, []), { hints });
            }""",
            board,
        )
        expect(page.locator(".tight .chip text").first).to_have_text("+.5")
        size = page.locator(".chip text").first.evaluate(
            "(text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a"
        )
        assert size >= 10
        expect(column(page, 1)).to_have_attribute("aria-label", "Column 1, estimate +0.53, best")


@pytest.mark.parametrize("board", ["16x1x4", "16x3x4/free", "16x16x5"])
def test_a_board_is_no_taller_than_the_window(browser, served, board):
    with opened(browser, served, f"#/play?board={board}&first=human&second=human") as page:
        assert 0 < page.locator(".picture").bounding_box()["height"] <= page.viewport_size["height"]


def test_agents_play_each_other_and_sides_can_be_swapped(browser, served):
    with opened(browser, served, "#/play?board=4x4x3&first=winblock&second=random&seed=3") as page:
        expect(page.locator(".status")).to_contain_text(re.compile("wins|draw"))
        page.get_by_role("button", name="Swap sides").click()
        assert "first=random&second=winblock" in page.url
        page.get_by_label("X, first", exact=True).select_option("human")
        page.get_by_role("button", name="Restart").click()
        wait_for_turn(page)


def test_a_reload_and_a_link_restore_the_position(browser, served):
    with opened(browser, served, "#/play?board=6x7x4&first=human&second=human") as page:
        for key in "4453":
            page.keyboard.press(key)
        assert moves_in(page) == "4453"
        page.reload()
        expect(page.locator(".picture .disc")).to_have_count(4)
        page.get_by_label("Move string").fill("44535")
        page.get_by_role("button", name="Load").click()
        assert moves_in(page) == "44535"
        page.goto(f"{served.address}/#/play")
        expect(page.locator(".picture g:not(.ghost) > .disc")).to_have_count(5)


def test_each_tab_keeps_its_game_and_a_new_one_begins_with_the_last(browser, served):
    with opened(browser, served, "#/play?board=6x7x4&moves=44&first=human&second=human") as page:
        other = page.context.new_page()
        other.goto(served.address)
        expect(other.locator(".moves li")).to_have_count(2)
        other.keyboard.press("1")
        expect(other.locator(".moves li")).to_have_count(3)
        page.goto(f"{served.address}/#/analyse")
        expect(page.locator(".page.analyse h1")).to_be_attached()
        page.goto(f"{served.address}/#/play")
        expect(page.locator(".page.play .moves li")).to_have_count(2)


def test_what_comes_in_an_address_is_text_and_never_markup(browser, served):
    attack = "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"
    with opened(browser, served, f"#/play?board=6x7x4&moves=4&second={attack}") as page:
        expect(page.locator(".toast").first).to_contain_text("there is no agent")
        expect(page.locator(".player .name").first).to_have_text("<img src=x onerror=alert(1)>")
        assert page.locator("img").count() == 0


def test_a_game_goes_on_after_the_lab_was_killed(browser, tmp_path):
    with lab(tmp_path, "--workers", "1") as first:
        first.wait_until_ready()
        with opened(browser, first, "#/play?board=6x7x4&second=solver:level=2&seed=1", may_complain=True) as page:
            page.keyboard.press("4")
            wait_for_ply(page, 2)
            before = moves_in(page)
            first.kill()
            expect(page.locator("#link")).to_have_text("reconnecting")
            page.keyboard.press("4")  # the person moves while nobody answers
            with lab(tmp_path, "--workers", "1", port=first.port) as second:
                wait_for_ply(page, 4)
                assert moves_in(page).startswith(f"{before}4")
                expect(page.locator("#link")).to_have_text("ready")
                second.stop()


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


# --- Analyse ---


def test_a_game_is_analysed_with_its_blunders_and_branches(browser, served, tmp_path):
    with opened(browser, served, "#/analyse?board=6x7x4&moves=") as page:
        page.get_by_label("Game", exact=True).fill("44444522562617667")
        page.get_by_role("button", name="Analyse").click()
        expect(page.locator(".moves .blunder")).to_have_count(3)
        expect(page.locator(".status")).to_contain_text("blunder")
        expect(page.locator(".graph .mark")).to_have_count(3)
        page.locator(".moves button").nth(3).click()
        expect(page.locator(".status")).to_contain_text("4. O 4: best")
        truth = inarow.analyse(Position.parse("4444"))
        shown = [int(text.replace(MINUS, "-")) for text in page.locator(".chip text").all_text_contents()]
        assert shown == list(truth.scores)
        column(page, 1).click()
        expect(page.locator(".status")).to_have_text("What if … 1")
        expect(page.locator(".chip")).to_have_count(7)
        page.get_by_role("button", name="Back to the game").click()
        graph = page.locator(".graph").bounding_box()
        page.locator(".graph").click(position={"x": graph["width"] - 14, "y": 40})
        expect(page.locator(".status")).to_contain_text("17. X 7")
        with page.expect_download() as download:
            page.get_by_role("button", name="PGN-like").click()
        pgn = Path(download.value.path()).read_text()
        assert inarow.from_pgn(pgn).moves == "44444522562617667"
        (tmp_path / "game.pgn").write_text(pgn)
        page.get_by_label("Upload a game").set_input_files(tmp_path / "game.pgn")
        expect(page.locator(".moves button")).to_have_count(17)


def test_a_record_brings_its_board_and_its_players(browser, served):
    played = {"board": "3x3x3/free", "moves": "519", "first": "me", "second": "you"}
    pgn = served.call("/api/games/write", played)["pgn"]
    with opened(browser, served, "#/analyse?board=6x7x4&moves=") as page:
        board = page.get_by_label("Board", exact=True)
        expect(board).to_have_value("6x7x4")
        page.get_by_label("Game", exact=True).fill(pgn)
        page.get_by_role("button", name="Analyse").click()
        expect(board).to_have_value("3x3x3/free")
        page.reload()
        with page.expect_download() as download:
            page.get_by_role("button", name="PGN-like").click()
        record = inarow.from_pgn(Path(download.value.path()).read_text())
        assert (record.moves, record.first, record.second) == ("519", "me", "you")


# --- Arena and training ---


def test_an_arena_runs_to_its_end_and_a_game_is_replayed(browser, served):
    with opened(browser, served, "#/arena") as page:
        page.get_by_role("button", name="Remove mcts:simulations=200").click()
        page.get_by_label("Games a pair").fill("4")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_role("heading", name=re.compile("finished"))).to_be_visible()
        expect(page.locator(".cross tbody tr")).to_have_count(2)
        expect(page.get_by_text("4 of 4 games")).to_be_visible()
        expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
        page.locator(".games a").first.click()
        expect(page.locator(".page.analyse .moves button").first).to_be_visible()


def test_buttons_of_a_running_tournament_keep_the_focus(browser, served):
    agents = ["mcts:simulations=300", "winblock"]
    job = served.call("/api/jobs", {"kind": "arena", "agents": agents, "games": 2000, "seed": 2})
    with opened(browser, served, "#/arena") as page:
        pause = page.get_by_role("button", name="Pause", exact=True)
        count = page.get_by_text(re.compile(r"^\d+ of 2000 games$"))
        expect(count).to_be_visible()
        pause.focus()
        expect(count).not_to_have_text(count.text_content())
        expect(pause).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Resume")).to_be_focused()
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.get_by_role("button", name="Forget")).to_be_visible()
    served.wait_for_job(job["id"], "stopped")


def test_all_matches_and_games_can_be_reached(browser, served):
    result = {"games": 1, "wins": 1, "draws": 0, "losses": 0}
    matches = [{"id": number, "a": f"agent{number}", "b": "random", **result} for number in range(150)]
    game = {"board": "6x7x4", "moves": "4", "first": "a", "second": "b", "winner": None, "termination": "unfinished"}
    boards = [{"board": "6x7x4", "matches": 150}]

    def listed(entries):
        """Answers as the lab does, which lists a hundred entries from an offset on."""

        def answer(route):
            found = re.search(r"offset=(\d+)", route.request.url)
            offset = int(found[1]) if found else 0
            route.fulfill(json=entries[offset : offset + 100])

        return answer

    with opened(browser, served, "#/play") as page:
        page.route(re.compile("/api/(jobs|leaderboard|reports)"), listed([]))
        page.route(re.compile("/api/boards"), listed(boards))
        page.route(re.compile(r"/api/matches\?"), listed(matches))
        page.route(re.compile("/api/matches/0/games"), listed([game] * 200))
        page.goto(f"{served.address}/#/arena")
        entries, earlier = page.locator("summary", has_text="agent"), page.get_by_role("button", name="Earlier matches")
        expect(entries).to_have_count(100)
        earlier.click()
        expect(entries).to_have_count(150)
        expect(earlier).to_have_count(0)
        entries.first.click()
        games, more = page.locator("details[open] .games a"), page.get_by_role("button", name="More games")
        expect(games).to_have_count(100)
        more.click()
        expect(games).to_have_count(200)
        more.click()  # nothing is left, which only the lab knows
        expect(more).to_have_count(0)
        expect(games).to_have_count(200)
        page.unroute_all(behavior="ignoreErrors")


def test_a_training_run_is_started_stopped_resumed_and_played_against(browser, served):
    with opened(browser, served, "#/train") as page:
        page.get_by_label("Preset").select_option("tictactoe-q")
        page.get_by_text("Settings").click()
        page.get_by_label("episodes").fill("1000000000")
        page.get_by_label("Name of the run").fill("mine")
        page.get_by_role("button", name="Start").click()
        expect(page.locator(".curve canvas").first).to_be_visible()
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".page .column .tag.stopped").first).to_be_visible()
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        page.get_by_role("link", name="Play against it").click()
        expect(page.locator(".page.play .status")).to_be_visible()
        page.keyboard.press("1")
        wait_for_ply(page, 2)
        assert "table.npz" in page.locator(".evidence code").text_content()
        page.goto(f"{served.address}/#/train")
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("button", name="Resume")).to_be_visible()


def test_the_form_of_every_preset_gives_back_its_config(browser, served):
    offered = describe_learners()
    with opened(browser, served, "#/train") as page:
        read = page.evaluate(
            """async ({ learners, presets }) => {
                const { makeForm } = await import("/static/js/forms.js");
                const read = (preset) => makeForm(learners[preset.learner ?? "q"], preset).read();
                return Object.entries(presets).map(([name, preset]) => [name, read(preset)]);
            }""",
            offered,
        )
    assert len(read) == len(offered["presets"])
    for name, document in read:
        preset = offered["presets"][name]
        kind = find_learner(preset).config
        assert to_config(document, kind, name) == to_config(preset, kind, name)


# --- All pages ---


def test_the_skip_link_leads_to_the_content_of_the_page(browser, served):
    with opened(browser, served, "#/analyse") as page:
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#main")).to_be_focused()
        expect(page.locator(".page.analyse h1")).to_be_attached()
        assert "#/analyse" in page.url


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
