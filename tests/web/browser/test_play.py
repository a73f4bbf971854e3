"""Playing in the lab, as a person meets it in a browser."""

import re

import pytest
from playwright.sync_api import expect

import inarow
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from tests.web.browser.pages import (
    MINUS,
    PAGES,
    column,
    moves_in,
    opened,
    press_at_once,
    wait_for_ply,
    wait_for_turn,
)
from tests.web.lab_server import lab


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


def test_the_turn_and_the_result_are_announced_to_screen_readers(browser, served):
    with opened(browser, served, "#/play?board=6x7x4&moves=414141&first=human&second=human") as page:
        expect(page.get_by_role("status").filter(has_text="move")).to_have_text("Move 7: X to move.")
        page.keyboard.press("4")
        expect(page.get_by_role("status").filter(has_text="wins")).to_have_text("X wins with 4 in a row.")


def test_a_hint_that_fails_is_reported_and_not_repeated_at_once(browser, served):
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
        assert "first=random&second=winblock" in page.evaluate("location.href")
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


def test_a_game_continues_after_the_lab_was_killed(browser, tmp_path):
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
