"""Results as notebooks show them."""

import re
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest

import inarow
from inarow.arena.training_run import Curve
from inarow.games.record import GameRecord
from inarow.report.notebook import to_html
from inarow.results import Result, ResultTable
from tests.report.html_pages import Balance, read
from tests.report.result_samples import NAME, results

RESULTS = results()
NAMELESS = {"analysis", "decision"}


@pytest.mark.parametrize("kind", RESULTS)
def test_the_html_of_every_result_is_small_whole_and_loads_nothing(kind):
    html = RESULTS[kind]._repr_html_()
    page = read(html)
    assert len(html) < 60_000
    assert re.search(r"https?://|url\(|@import", html.replace("http://www.w3.org/2000/svg", "")) is None
    for tag, attributes in page.seen:
        assert tag not in ("img", "iframe", "link", "object")
        assert not [name for name in attributes if name in ("src", "href") or name.startswith("on")]


@pytest.mark.parametrize("kind", sorted(RESULTS.keys() - NAMELESS))
def test_names_are_escaped(kind):
    page = read(RESULTS[kind]._repr_html_())
    assert "img" not in [tag for tag, _ in page.seen]
    assert NAME in "".join(page.text)


@pytest.mark.parametrize("kind", RESULTS)
def test_the_style_is_that_of_the_result_alone(kind):
    style, *others = re.findall(r"<style>(.*?)</style>", RESULTS[kind]._repr_html_(), re.DOTALL)
    assert others == []
    assert style.startswith(".inarow.inarow {")
    assert ":root" not in style
    assert style.count("{") == style.count("}")
    depth = 0
    for line in re.split(r"(?<=[{}])", style)[1:-2]:  # nothing is outside of the first block
        depth += line.count("{") - line.count("}")
        assert depth >= 0


def test_only_a_game_has_a_script():
    assert [kind for kind, result in RESULTS.items() if "(() =>" in result._repr_html_()] == ["game"]


def test_an_analysis_shows_the_score_of_every_action():
    analysis = RESULTS["analysis"]
    text = read(analysis._repr_html_()).text
    for score in analysis.scores:
        if score is not None:
            assert (f"{score:+d}".replace("-", "\N{MINUS SIGN}") if score else "0") in text
    assert "best" in str(read(analysis._repr_html_()).seen)
    unsolved = inarow.analyse(inarow.Position.start(), book=None, limits=inarow.Limits(nodes=10))
    assert "not solved within the limits" in unsolved._repr_html_()
    assert "score" in replace(analysis, position=None)._repr_html_()


def test_a_tournament_shows_standings_intervals_and_the_cross_table():
    tournament = RESULTS["tournament"]
    html = tournament._repr_html_()
    assert 'class="cross"' in html
    assert "95 % interval" in html
    for standing in tournament.standings:
        assert standing.agent in "".join(read(html).text)


def test_a_game_of_many_plies_shows_its_end_alone():
    position = inarow.Position.start("16x16x5/free")
    for action in range(0, 250):
        if not position.is_over:
            position = position.play(action * 7 % 256)
    record = GameRecord.of_position(position, "a", "b")
    assert len(record._repr_html_()) < 120_000
    assert read(record._repr_html_()).seen


def test_what_is_too_long_is_left_out_and_said():
    table = ResultTable("long", tuple({f"column {n}": "x" * 500 for n in range(30)} for _ in range(1000)))
    html = to_html(table)
    assert len(html) < 60_000
    assert "to_frame() has all numbers" in html
    long = ResultTable("many", tuple({"n": n} for n in range(1000)))
    assert "960 more rows" in to_html(long)


def test_a_result_without_rows_says_so():
    assert "No rows." in to_html(ResultTable("nothing", ()))
    assert "has no points yet" in to_html(Curve("empty", ()))


def test_a_curve_of_many_points_is_thinned_and_keeps_its_end():
    points = tuple({"episode": float(n), "wins": n / 100_000} for n in range(1, 50_001))
    html = to_html(Curve("long", points))
    assert len(html) < 60_000
    assert "at 50,000" in html


def test_a_result_of_another_package_shows_its_rows():
    class Own(Result):
        def rows(self):
            return [{"name": "a<b", "number": 1234567.0, "nothing": None}]

    text = read(Own()._repr_html_()).text
    assert {"Own", "a<b", "1,234,567"} <= set(text)


@pytest.mark.parametrize(("moves", "board"), [("4453", "connect4"), ("", "6x7x4"), ("15243", "tictactoe")])
def test_a_position_is_a_picture_that_stands_alone(moves, board):
    position = inarow.Position.parse(moves, board)
    svg = position._repr_svg_()
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "class=" not in svg
    assert "style=" not in svg
    stones = list(root.iter("{http://www.w3.org/2000/svg}g"))
    assert len(stones) == len(moves)
    assert len({node.get("fill") for node in stones}) == min(len(moves), 2)
    circles = [node.get("stroke-width") for node in root.iter("{http://www.w3.org/2000/svg}circle")]
    assert circles.count("2") == (1 if moves else 0)  # the last stone


def test_report_is_loaded_only_for_what_is_drawn():
    code = "import inarow, sys; inarow.play_match('random', 'random', 'tictactoe', games=2, progress=False).to_dict();"
    code += "print([name for name in sys.modules if name.startswith(('inarow.report', 'matplotlib'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_cells_survive_the_export_to_a_page():
    nbformat = pytest.importorskip("nbformat.v4")
    nbconvert = pytest.importorskip("nbconvert")
    outputs = [
        nbformat.new_output("display_data", {"text/html": RESULTS[kind]._repr_html_()}) for kind in ("game", "match")
    ]
    notebook = nbformat.new_notebook(cells=[nbformat.new_code_cell("1", outputs=outputs)])
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    found = Balance()
    found.feed(re.sub(r"<(meta|link|input|wbr)([^>]*)/>", r"<\1\2>", page))
    for kind in ("game", "match"):
        assert NAME in "".join(found.text)
        for text in re.findall(r"<style>.*?</style>|<script.*?</script>", RESULTS[kind]._repr_html_(), re.DOTALL):
            assert text in page
    assert len([tag for tag, attributes in found.seen if attributes.get("class") == "replay"]) == 1
