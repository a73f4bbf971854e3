import csv
import io
import json
import re
from dataclasses import replace

import pytest

from inarow.arena.grading import Grade, PlyAccuracy
from inarow.arena.leaderboard import rank_agents
from inarow.arena.match_plan import MatchSettings
from inarow.arena.store import Store
from inarow.arena.store_schema import AgentIdentity, MatchEntry
from inarow.arena.tournament import plan_tournament, play_planned, summarise_tournament
from inarow.errors import StoreError
from inarow.games.position import Position
from inarow.games.record import GameRecord, Ply
from inarow.games.spec import GameSpec
from inarow.report.data import (
    GameSurvey,
    ReplayGame,
    ReportData,
    report_from_store,
    report_from_tournament,
    review_end,
)
from inarow.report.markup import MINUS
from inarow.report.page import analysis_page, report_markdown, report_page
from inarow.report.plots import WIDTH, Scale, _label_points, new_plot, pareto_front
from inarow.report.tables import write_csv
from inarow.search.solver.api import analyse
from tests.arena.results import cross_table
from tests.cli.command_line import document, inarow
from tests.report.html_pages import HOSTILE, read
from tests.report.report_samples import GRADE, make_store


def game(moves="1122334", first="a", second="b", board="6x7x4") -> GameRecord:
    position = Position.parse(moves, GameSpec.parse(board))
    return GameRecord(
        board=board,
        first=first,
        second=second,
        moves=moves,
        winner=position.winner,
        termination="normal" if position.is_over else "unfinished",
    )


def data(results=(), games=(), **known) -> ReportData:
    leaderboard = replace(rank_agents("6x7x4", cross_table(results)), **known)
    return ReportData(title="A test", command="inarow report", version="0", leaderboard=leaderboard, games=games)


RESULTS = (("a", "b", 3, 1, 1), ("b", "a", 2, 0, 3), ("c", "a", 1, 1, 1))


@pytest.fixture(scope="module")
def store_path(tmp_path_factory):
    return make_store(tmp_path_factory.mktemp("report") / "lab.sqlite", "random", "greedy", "winblock", games=20)


@pytest.fixture
def store(store_path):
    with Store(store_path, readonly=True) as store:
        yield store


# --- from a store ---


def test_a_store_becomes_a_report(store):
    report = report_from_store(store, "connect4", games=3, analyse=analyse, command="again")
    board = report.leaderboard
    assert (report.title, board.board, board.seeds) == ("3 agents on 6x7x4", "6x7x4", (1,))
    assert [standing.agent for standing in board.standings()] == ["winblock", "greedy", "random"]
    assert set(board.seconds_per_move) == {"random", "greedy", "winblock"}
    distinct = len({(record.first, record.second, record.moves) for record in store.games()})
    assert board.cross.distinct_games == distinct
    assert f"60 games, {distinct} distinct" in report_page(report)
    assert len(report.games) == 3
    for replayed in report.games:
        assert [review.ply for review in replayed.reviews] == list(range(1, len(replayed.record.actions) + 1))
    assert report == report_from_store(store, "connect4", games=3, analyse=analyse, command="again")


def test_the_report_of_a_tournament_is_about_its_games_only(tmp_path):
    spec = GameSpec.parse("tictactoe")
    plans = [plan_tournament(["random", "greedy"], spec, MatchSettings(games=games, seed=5)) for games in (4, 10)]
    other = plan_tournament(["random", "winblock"], spec, MatchSettings(games=4, seed=6))
    with Store(make_store(tmp_path / "lab.sqlite", "greedy", "winblock", board="3x3x3/free")) as store:
        for plan in (*plans, other):
            play_planned(plan, store)
        for agent in ("greedy", "winblock"):
            store.add_grade(AgentIdentity.parse(agent), "tictactoe", "exhaustive", GRADE)
        survey, seen = GameSurvey(), []
        summary = summarise_tournament(plans[0], store, lambda record: (survey.add(record), seen.append(record)))
        report = report_from_tournament(summary, survey, store, command="again")
        ratings = {row.agent: row.rating for row in play_planned(plans[0], store).standings}
    board = report.leaderboard
    assert (report.title, board.seeds, report.command) == ("2 agents on 3x3x3/free", (5,), "again")
    assert board.cross.games == len(seen) == 4
    assert board.cross.distinct_games == len({(record.first, record.moves) for record in seen})
    assert list(board.grades) == ["greedy"]
    assert {row.agent: row.rating for row in board.standings()} == ratings
    assert set(board.seconds_per_move) == {"random", "greedy"}


def test_a_board_without_results_is_refused_with_those_there_are(store):
    with pytest.raises(StoreError, match=r"no games or grades on 3x3x3/free; it has 6x7x4"):
        report_from_store(store, "tictactoe")


def test_grades_are_read_and_the_newest_counts(tmp_path):
    agent = AgentIdentity.parse("random")
    with Store(tmp_path / "lab.sqlite") as store:
        store.add_grade(agent, "connect4", "old", {**GRADE, "outcome_accuracy": 0.1})
        store.add_grade(agent, "connect4", "new", GRADE)
        report = report_from_store(store, "connect4")
        assert [(grade.suite, grade.outcome_accuracy) for grade in report.leaderboard.grades.values()] == [
            ("new", 0.75)
        ]
        assert "75.0 % (66.0 to 83.0)" in report_page(report)
        store.add_grade(agent, "connect4", "bad", {"positions": "many"})
        with pytest.raises(StoreError, match="grade of 'random' cannot be read"):
            report_from_store(store, "connect4")


def test_a_grade_on_the_usual_suite_comes_before_newer_ones_on_others(tmp_path):
    agent = AgentIdentity.parse("random")
    with Store(tmp_path / "lab.sqlite") as store:
        for suite, accuracy in (("mine.npz", 0.1), ("standard", 0.2), ("standard", 0.3), ("mine.npz", 0.4)):
            store.add_grade(agent, "connect4", suite, {**GRADE, "outcome_accuracy": accuracy})
        report = report_from_store(store, "connect4")
    assert [(grade.suite, grade.outcome_accuracy) for grade in report.leaderboard.grades.values()] == [
        ("standard", 0.3)
    ]


def test_agents_of_one_name_stay_apart(tmp_path):
    old, new = (AgentIdentity("q", "q", "{}", content_hash) for content_hash in ("1", "2"))
    rival = AgentIdentity.parse("random")
    with Store(tmp_path / "lab.sqlite") as store:
        for agent in (old, new):
            match = MatchEntry(key=str(agent), board="connect4", a=agent, b=rival, seed=1)
            store.add_games(store.add_match(match), [(0, game(first="q", second="random"))])
        report = report_from_store(store, "connect4")
    assert {standing.agent for standing in report.leaderboard.standings()} == {"q", "q (2)", "random"}
    assert {replayed.record.first for replayed in report.games} == {"q", "q (2)"}


def test_the_rarest_results_are_replayed_first():
    usual, longer, upset = game("1122334"), game("71726364", "b", "a"), game("7766554", "b", "a")
    survey = GameSurvey()
    for record in (usual, longer, upset):
        survey.add(record)
    assert survey.interesting_games(8) == [upset, longer]
    assert survey.interesting_games(1) == [upset]


def test_moves_are_reviewed_back_to_the_first_unsolved_position():
    def solves_late(position):
        analysis = analyse(position)
        return analysis if position.ply >= 4 else replace(analysis, score=None)

    assert [review.ply for review in review_end(game(), solves_late)] == [5, 6, 7]


def test_time_per_move_is_the_median_of_decided_moves(tmp_path):
    plies = tuple(Ply(seconds=seconds) for seconds in (1.0, 5.0, 2.0, 6.0, 9.0))
    record = replace(game(first="random", second="greedy"), opening=2, plies=plies)
    agents = [AgentIdentity.parse(name) for name in ("random", "greedy")]
    with Store(tmp_path / "lab.sqlite") as store:
        match = MatchEntry(key="m", board="connect4", a=agents[0], b=agents[1], seed=1)
        store.add_games(store.add_match(match), [(0, record)])
        assert report_from_store(store, "connect4").leaderboard.seconds_per_move == {"random": 2.0, "greedy": 5.5}


# --- pages ---


def full(**changes) -> ReportData:
    curve = tuple(PlyAccuracy(ply=ply, positions=10, outcome_accuracy=ply / 10) for ply in range(4, 9))
    grade = Grade(
        agent="a",
        board="6x7x4",
        suite="s",
        positions=9,
        outcome_accuracy=0.9,
        critical_accuracy=None,
        optimal_accuracy=0.5,
        mean_regret=0.25,
        by_ply=curve,
    )
    known = {"grades": {"a": grade}, "seconds_per_move": {"a": 0.5, "b": 1e-5, "c": 0.002}}
    games = (ReplayGame(game(), review_end(game(), analyse)), ReplayGame(game("4453")))
    return data(RESULTS, games, **(known | changes))


GRADED = full().leaderboard.grades["a"]
ONE_PLY = replace(
    GRADED, by_ply=(PlyAccuracy(ply=4, positions=1, outcome_accuracy=1.0), PlyAccuracy(ply=5, positions=0))
)
PARTS = {
    "everything": full(),
    "nothing": data(),
    "no grades": full(grades={}),
    "no ratings": data((("a", "b", 1, 0, 0), ("c", "d", 0, 1, 0)), grades={"a": GRADED}),
    "only grades": data(grades={"a": GRADED}),
    "one game": data(games=(ReplayGame(game()),)),
    "a grade without curve": data(grades={"a": replace(GRADED, by_ply=())}),
    "one ply": data(grades={"a": ONE_PLY}),
    "a clock that stands still": full(seconds_per_move={"a": 0.0, "b": 0.0}),
}


@pytest.mark.parametrize("name", PARTS)
def test_whatever_is_known_makes_a_whole_page(name):
    page = read(report_page(PARTS[name]))
    assert page.seen[0] == ("html", {"lang": "en"})
    assert not any({"src", "srcset", "action"} & set(attributes) for _, attributes in page.seen)
    assert [attributes["href"] for _, attributes in page.seen if "href" in attributes] == ["data:,"]
    assert "nan" not in report_page(PARTS[name])
    assert report_markdown(PARTS[name]).startswith("# A test\n")


def test_agents_that_never_met_are_not_rated_together():
    rows = PARTS["no ratings"].leaderboard.standings()
    assert [(row.agent, row.rating) for row in rows] == [("a", None), ("c", None), ("d", None), ("b", None)]
    assert "No ratings: no games link " in report_page(PARTS["no ratings"])
    groups = PARTS["no ratings"].leaderboard.group_standings()
    assert [{row.agent for row in group} for group in groups] == [{"a", "b"}, {"c", "d"}]
    assert all(row.rating for group in groups for row in group)


@pytest.mark.parametrize("board", ["1x2x2", "3x3x3/free", "12x12x5", "12x12x5/free", "6x7x4"])
@pytest.mark.parametrize("plies", [0, 1, 2])
def test_every_board_can_be_replayed(board, plies):
    spec = GameSpec.parse(board)
    position = Position.start(spec)
    while position.ply < plies:
        position = position.play(position.legal_actions[-1])
    page = read(analysis_page(ReplayGame(game(position.moves, board=board)), command="", version="0"))
    stones = [attributes for tag, attributes in page.seen if tag == "g" and "data-ply" in attributes]
    places = [attributes["data-action"] for tag, attributes in page.seen if "data-action" in attributes]
    assert [stone["data-ply"] for stone in stones] == [str(ply) for ply in range(1, plies + 1)]
    assert places == [str(action) for action in range(spec.actions)]


def test_what_comes_from_data_is_escaped():
    record = replace(game(), first=HOSTILE)
    report = data(
        [(HOSTILE, "b", 1, 0, 2)],
        (ReplayGame(record, review_end(record, analyse)),),
        grades={HOSTILE: replace(GRADED, agent=HOSTILE, suite=HOSTILE)},
        seconds_per_move={HOSTILE: 1.0, "b": 2.0},
    )
    report = replace(report, title=HOSTILE, command=HOSTILE)
    for text in (report_page(report), analysis_page(report.games[0], command=HOSTILE, version=HOSTILE)):
        page = read(text)
        assert "<script>alert" not in text
        assert HOSTILE in "".join(page.text)
        assert [tag for tag, _ in page.seen].count("script") == 2  # the game's data and ours
    assert "<script>" not in report_markdown(report)


def test_a_replay_reports_every_ply():
    record = game("1122334")
    page = analysis_page(ReplayGame(record, review_end(record, analyse)), command="", version="0")
    document = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page)[1])
    assert len(document["captions"]) == len(document["scores"]) == 8
    assert document["captions"][0] == "The empty board. X to move."
    assert document["captions"][-1].endswith("X wins.")
    assert document["scores"][0] == [score.replace("-", MINUS) for score in ("-2", "-1", "0", "+1", "0", "-1", "-2")]
    assert document["best"][0] == [3]
    assert document["scores"][-1] == []


def test_front_scale_and_ticks():
    assert pareto_front([(3, 5), (1, 1), (2, 4), (2, 3), (4, 5)]) == [(1, 1), (2, 4), (3, 5)]
    assert Scale(0, 10, 0, 100).ticks() == [0, 2, 4, 6, 8, 10]
    assert Scale(1e-6, 1e-3, 0, 90, is_log=True)(1e-5) == pytest.approx(30)
    assert Scale(1e-5, 1e-1, 0, 90, is_log=True).ticks() == pytest.approx([1e-5, 1e-4, 1e-3, 1e-2, 1e-1])


# --- text ---


@pytest.mark.parametrize("x", range(44, 360, 4))
def test_a_long_label_is_written_wherever_its_point_is(x):
    plot, label = new_plot(270, "costs"), "mcts:simulations=1000…"
    _label_points(plot, [(x, 100)], [label])
    (text,) = plot
    assert text.text == label
    assert 0 <= float(text.get("x")) <= WIDTH - 7 * len(label)


def test_markdown_has_the_tables():
    lines = report_markdown(full()).splitlines()
    assert "| 1 | a | " in "\n".join(lines)
    assert any(re.match(r"\| 1 \| a \|  \| \d+ % \d-\d-\d \|", line) for line in lines)
    assert "| a | s | 9 | 90.0 % | 50.0 % | 0.25 |" in lines


def test_csv_has_plain_numbers():
    file = io.StringIO()
    write_csv(full().leaderboard, file)
    rows = {row["agent"]: row for row in csv.DictReader(io.StringIO(file.getvalue()))}
    a = rows["a"]
    assert (a["rank"], a["games"], a["wins"], a["draws"], a["losses"]) == ("1", "13", "7", "2", "4")
    assert float(a["score"]) == pytest.approx(8 / 13)
    assert float(a["elo_low"]) < float(a["elo"]) < float(a["elo_high"])
    assert (a["seconds_per_move"], a["outcome_accuracy"], rows["b"]["outcome_accuracy"]) == ("0.5", "0.9", "")


# --- commands ---


def test_the_command_writes_all_three(store_path, tmp_path):
    names = ("r.html", "r.md", "r.csv")
    out, markdown, csv_file = (tmp_path / name for name in names)
    result = inarow(
        *("report", str(store_path.parent), "--out", str(out), "--markdown", str(markdown), "--csv", str(csv_file)),
        *("--games", "1"),
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "3 agents on 6x7x4, 60 games, 1 to replay" in result.stdout
    assert "inarow report" in "".join(read(out.read_text()).text)
    assert markdown.read_text().count("| winblock |") == 2
    assert len(csv_file.read_text().splitlines()) == 4


def test_the_command_reports_programs_what_it_wrote(store_path, tmp_path):
    out = tmp_path / "r.html"
    made = document("report", str(store_path), "--out", str(out), "--games", "2")
    assert made == {"file": str(out), "board": "6x7x4", "games": 60, "replays": 2}
    assert out.stat().st_size > 1000


BAD = {
    "no store": ((["report", "nowhere.sqlite"]), "there is no results store at nowhere.sqlite"),
    "an empty folder": (["report", "."], "holds 0 results stores"),
    "negative games": (["report", "--games", "-1"], "games is -1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_report_that_cannot_be_made_is_one_line_and_leaves_nothing(name, tmp_path):
    args, reason = BAD[name]
    result = inarow(*args, cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert reason in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_analyse_writes_a_page(tmp_path):
    out = tmp_path / "game.html"
    result = inarow("analyse", "14253", "--board", "tictactoe", "--html", str(out))
    assert result.returncode == 0
    assert "1 mistake" in result.stdout
    text = "".join(read(out.read_text()).text)
    assert "X (first) against O (second): 1-0" in text
    assert "Move 2: O plays 4 (mistake; best was 5). X to move." in text
