"""The leaderboard that terminal, report, Markdown, JSON and web lab share."""

import io
import json
from dataclasses import replace

import pytest

from inarow.arena.leaderboard import rank_agents, store_leaderboard
from inarow.arena.match import match_games
from inarow.arena.match_plan import MatchSettings, plan_match
from inarow.arena.store import Store
from inarow.arena.store_schema import AgentIdentity
from inarow.games.spec import TIC_TAC_TOE
from inarow.report.data import report_from_store
from inarow.report.page import report_markdown, report_page
from inarow.report.tables import write_csv
from inarow.web import stored
from tests.arena.results import cross_table
from tests.cli.command_line import inarow
from tests.report.report_samples import GRADE

OLD, NEW = (AgentIdentity("winblock", "winblock", f'{{"epsilon":{epsilon}}}') for epsilon in (0.0, 0.5))


@pytest.fixture
def path(tmp_path):
    """A store with two agents of one name, both graded."""
    plan = plan_match("random", "winblock", TIC_TAC_TOE, MatchSettings(games=4))
    games = list(enumerate(match_games(plan)))
    with Store(tmp_path / "lab.sqlite") as store:
        for agent, accuracy in ((OLD, 0.25), (NEW, 0.5)):
            store.add_games(store.add_match(replace(plan.entry(), key=str(agent), b=agent)), games)
            store.add_grade(agent, "tictactoe", "exhaustive", {**GRADE, "outcome_accuracy": accuracy})
    return tmp_path / "lab.sqlite"


def accuracies(rows):
    return {row["agent"]: row["outcome_accuracy"] for row in rows}


EXPECTED = {"winblock": 0.25, "winblock (2)": 0.5, "random": None}


def test_each_of_two_agents_with_one_name_has_its_own_grade(path):
    with Store(path, readonly=True) as store:
        (group,) = store_leaderboard(store, "tictactoe").to_dict()["groups"]
    assert accuracies(group["table"]) == EXPECTED


def test_the_web_lab_shows_the_grades_of_agents_that_share_a_name(path):
    (rows,) = stored.leaderboard(stored.StoreQuestion(str(path), "3x3x3/free"), None)
    assert accuracies(rows) == EXPECTED


def test_the_command_shows_the_same_rows_as_the_web_lab_and_the_report(path):
    result = inarow("leaderboard", "--board", "tictactoe", "--store", str(path), "--json")
    document = json.loads(result.stdout)
    (group,) = document["groups"]
    assert accuracies(group["table"]) == EXPECTED
    assert document["games"] == 8
    (web,) = stored.leaderboard(stored.StoreQuestion(str(path), "3x3x3/free"), None)
    times = [row.pop("seconds_per_move") for row in group["table"]]
    assert all(time > 0 for time in times)
    assert [row.pop("seconds_per_move") for row in web] == [None] * 3
    assert json.loads(json.dumps(web)) == group["table"]
    with Store(path, readonly=True) as store:
        report = report_from_store(store, "tictactoe")
    table = io.StringIO()
    write_csv(report.leaderboard, table)
    for text in (report_markdown(report), table.getvalue(), report_page(report)):
        assert all(row["agent"] in text for row in group["table"])
    assert [row.agent for row in report.leaderboard.standings()] == [row["agent"] for row in group["table"]]


def test_rows_are_ranked_and_compared_with_the_next():
    board = rank_agents("6x7x4", cross_table([("a", "b", 30, 5, 5), ("b", "c", 30, 5, 5), ("a", "c", 20, 0, 0)]))
    rows = board.standings()
    assert [row.agent for row in rows] == ["a", "b", "c"]
    assert [row.score for row in rows] == pytest.approx([(30 + 2.5 + 20) / 60, 0.5, 7.5 / 60])
    assert rows[0].los == board.ratings.los("a", "b") > 0.9
    assert rows[-1].los is None
    assert [row.rating for row in rows] == list(board.ratings.table)


def test_games_are_decoded_only_if_they_are_visited(path, monkeypatch):
    with Store(path, readonly=True) as store:
        seen = []
        timed = store_leaderboard(store, "tictactoe", seen.append)
        assert len(seen) == timed.cross.games == 8
        assert {record.second for record in seen} | {record.first for record in seen} == set(EXPECTED)
        monkeypatch.setattr("inarow.arena.store.from_row", None)
        assert store_leaderboard(store, "tictactoe") == timed


def test_a_report_decodes_every_game_once(path, monkeypatch):
    from inarow.arena import store as module

    decoded = []

    def counted(row, *rest):
        decoded.append(row)
        return decode(row, *rest)

    decode = module.from_row
    monkeypatch.setattr(module, "from_row", counted)
    with Store(path, readonly=True) as store:
        assert report_page(report_from_store(store, "tictactoe"))
    assert len(decoded) == 8
