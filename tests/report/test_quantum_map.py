"""The map of queries, of small trainings."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from inarow.errors import InvalidLimitError, InvalidSpecError
from inarow.report.quantum_map import (
    DEVICE_CASES,
    FLAG_RULES,
    PLANS,
    Plan,
    join_map,
    map_queries,
    plans_on,
    trace_training,
    write_map_picture,
)

SMALL = (Plan("tictactoe", "tabular", games=50), Plan("9x9x4/free", games=3))


@pytest.fixture(scope="module")
def found():
    return map_queries(SMALL)


def test_every_training_is_traced_with_both_rules_of_flags(found):
    names = [(each.board, each.learner, each.flags) for each in found.trainings]
    assert names == [(plan.board, plan.learner, flags) for plan in SMALL for flags in FLAG_RULES]
    for each in found.trainings:
        assert each.queries.decisions > 10
        assert each.queries.remembered <= min(each.queries.draws, each.queries.all) + 1e-9
        shares = [share for _, share in each.curve]
        assert shares == sorted(shares)
        assert shares[-1] == 1
    assert found.trainings[-1].actions == 81
    assert found.devices == ()


def test_a_training_is_traced_alike_again(found):
    assert trace_training(SMALL[0], "value", 0) == found.trainings[0]
    assert trace_training(SMALL[0], "value", 1) != found.trainings[0]


def test_a_picture_shows_the_map(found, tmp_path):
    write_map_picture(found, tmp_path / "map.svg")
    assert ElementTree.parse(tmp_path / "map.svg").getroot().tag.endswith("svg")
    write_map_picture(join_map([], []), tmp_path / "empty.svg")


def test_plans_are_chosen_by_board():
    assert plans_on(None) == PLANS
    assert {plan.board for plan in plans_on("connect4, 5x5x4/free")} == {"6x7x4", "5x5x4/free"}
    with pytest.raises(InvalidSpecError, match="no training is planned on 3x7x3; boards: 6x7x4, tictactoe"):
        plans_on("3x7x3")
    with pytest.raises(InvalidLimitError, match="games is 0"):
        map_queries((), games=0)


def test_plans_cover_boards_from_7_to_225_actions():
    actions = [found.actions for found in map_queries((PLANS[1],), games=2).trainings]
    assert actions == [9, 9]
    assert np.all([plan.games >= 60 for plan in PLANS])
    assert (PLANS[0].board, PLANS[0].is_published, PLANS[-1].board) == ("6x7x4", True, "15x15x5/free")


def test_the_page_has_the_committed_map():
    folder = Path(__file__).parents[2] / "docs" / "studies"
    page = (folder / "santos-2025-notes.md").read_text(encoding="utf-8")
    found = json.loads((folder / "santos-2025" / "map.json").read_text())["map"]
    assert set(found["least_trained"].values()) == {None}
    assert (found["least_actions"]["best"], found["least_actions"]["quantum"]) == (24, 44)
    planned = [(plan.board, plan.games, flags) for plan in PLANS for flags in FLAG_RULES]
    assert [(each["board"], each["games"], each["flags"]) for each in found["trainings"]] == planned
    for each in found["trainings"]:
        queries = each["queries"]
        assert each["saved"]["cheapest"] < 1.3
        assert queries["reached"] < 0.021
        assert queries["quantum"] > queries["remembered"]
        shown = f"{queries['remembered']:.2f} | {queries['quantum']:.2f} | {queries['best']:.2f}"
        assert f"| {queries['decisions']:,} |" in page
        assert f"| {shown} | {each['saved']['best']:.2f} |" in page
    assert {each["actions"] for each in found["devices"]} == {actions for actions, _ in DEVICE_CASES}
