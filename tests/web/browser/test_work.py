"""Analysis, tournaments and training in the lab, as a person meets them in a browser."""

import re
from pathlib import Path

from playwright.sync_api import expect

import inarow
from inarow.games.position import Position
from inarow.learning.config import to_config
from inarow.learning.learner import find_learner
from inarow.web.training import describe_learners
from tests.web.browser.pages import MINUS, column, opened, wait_for_ply


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


def test_an_arena_runs_to_its_end_and_a_game_is_replayed(browser, served):
    with opened(browser, served, "#/arena") as page:
        page.get_by_role("button", name="Remove mcts:simulations=200").click()
        page.get_by_label("Games per pair").fill("4")
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
                const form = (preset) => makeForm(learners[preset.learner], preset);
                const shown = (preset) => [form(preset).read(), form(preset).element.textContent];
                return Object.entries(presets).map(([name, preset]) => [name, ...shown(preset)]);
            }""",
            offered,
        )
    assert len(read) == len(offered["presets"])
    for name, document, text in read:
        assert "module of torch" not in text  # what inarow writes itself is no question
        preset = offered["presets"][name]
        kind = find_learner(preset).config
        assert to_config(document, kind, name) == to_config(preset, kind, name)
