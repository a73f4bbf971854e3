"""The numbers of the README are those of the committed measurements."""

import csv
import json
import re
import xml.etree.ElementTree as ElementTree
from itertools import zip_longest

import pytest

from tests.docs.snippets import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
UNITS = {"million": 1e6, "thousand": 1e3, "": 1.0}
SPEED = {
    "random games on 6x7x4": ("playouts", "playouts/s"),
    "perft to depth 9 on 6x7x4": ("perft", "nodes/s"),
    "MCTS on 6x7x4": ("mcts", "simulations/s"),
    "score of every move, 6x7x4, 8-14 stones, no book": ("solve", "analyses/s, 8-14 stones"),
    "episodes of Q-learning, 6x7x4": ("q-episodes", "episodes/s, against winblock"),
}
STUDIES = ("paranji-2025", "kumbhakern-2025", "santos-2025", "gupta-shah-2022", "harman")


def rows(heading: str) -> list[list[str]]:
    """Cells of the table whose header line begins with `heading`."""
    (table,) = re.findall(rf"^\| {heading} .*\n\|[-:| ]+\n((?:\|.*\n)+)", README, re.MULTILINE)
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_it_is_short():
    assert len(README.splitlines()) < 150


def test_the_leaderboard_has_the_top_rows_of_the_measured_one():
    with (ROOT / "docs/leaderboard/leaderboard.csv").open(encoding="utf-8") as file:
        measured = list(csv.DictReader(file))
    shown = rows("agent")
    assert len(shown) == 5
    for (agent, elo, interval, accuracy), row in zip_longest(shown, measured[:5]):
        assert agent == row["agent"]
        assert elo == f"{float(row['elo']):.0f}"
        assert interval == f"{float(row['elo_low']):.0f} to {float(row['elo_high']):.0f}"
        assert accuracy.startswith(f"{float(row['outcome_accuracy']):.1%}".replace("%", " %"))


def test_speed_is_that_of_the_last_benchmark():
    measured = {
        (row["name"], row["unit"]): row
        for row in json.loads((ROOT / "tools/benchmarks/latest.json").read_text())
        if row["board"] == "6x7x4"
    }
    shown = rows("work")
    assert {work for work, *_ in shown} == set(SPEED)
    for work, ours, peer, ratio in shown:
        row = measured[SPEED[work]]
        for text, value in ((ours, row["value"]), (peer, row["peer_value"]), (ratio, row["ratio"])):
            found = re.search(r"([\d.]+)(?: (million|thousand))?(?: [a-z]+)?(?:/s)?$", text)
            assert found is not None, text
            assert float(found[1]) * UNITS[found[2] or ""] == pytest.approx(value, rel=0.06), f"{work}: {text}"


@pytest.mark.parametrize("study", STUDIES)
def test_numbers_of_a_study_are_those_of_its_report(study):
    report = (ROOT / "docs/studies" / study / "report.md").read_text(encoding="utf-8")
    (row,) = (cells for cells in rows("study") if cells[0].startswith(f"[{study}]"))
    numbers = re.findall(r"\d[\d.]*(?: to \d[\d.]*)?", " ".join(row[2:]))
    assert len(numbers) >= 3
    for number in numbers:
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.]*\d)", report), number


def test_the_picture_is_an_animation_that_needs_no_script_and_no_other_file():
    text = (ROOT / "docs/_static/game.svg").read_text(encoding="utf-8")
    picture = ElementTree.fromstring(text)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert "@keyframes" in text
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"<script|href|url\(|@import", text)
