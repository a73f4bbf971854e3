"""Results as tables: rows, frames of pandas, CSV."""

import csv
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

import inarow
from inarow.arena.leaderboard import Leaderboard
from inarow.arena.training_run import Curve
from inarow.games.record import GameRecord, from_json_line, to_json_line
from inarow.results import Result, ResultTable
from inarow.studies.comparison import Agreement, Estimate
from inarow.studies.report import Row, Section, StudyReport, Table

BOARD = "tictactoe"
AGENTS = ("random", "winblock", "minimax:depth=2")


@pytest.fixture(scope="module")
def tournament() -> inarow.Tournament:
    return inarow.play_tournament(AGENTS, BOARD, games=6, seed=3, progress=False)


@pytest.fixture(scope="module")
def match() -> inarow.Match:
    return inarow.play_match("minimax:depth=2", "winblock", BOARD, games=6, seed=3, progress=False)


def study_report() -> StudyReport:
    rows = (
        Row("wins", 52.0, Estimate(51.0, (49.0, 53.0), 1.0, 3), Estimate(60.0), agreement=Agreement(True, "equal")),
        Row("draws", None, Estimate(3.0)),
    )
    section = Section(title="Rates", tables=(Table("Table 1", rows),))
    about = {"study": "dice", "title": "Dice", "source": "a book", "scale": "small", "version": "1", "command": ""}
    return StudyReport(**about, variants=("corrected",), seed=0, experiments=3, sections=(section,))


def all_results(tournament: inarow.Tournament, match: inarow.Match) -> list[Result]:
    return [
        tournament,
        tournament.pairings(),
        tournament.ratings(),
        tournament.summary.leaderboard,
        match,
        match.records[0],
        inarow.grade("winblock", BOARD, progress=False),
        inarow.analyse(inarow.Position.parse("15", BOARD)),
        inarow.make_agent("mcts:simulations=20").decide(inarow.Position.parse("15", BOARD)),
        Curve("run", ({"episode": 100, "wins": 0.25}, {"episode": 200, "wins": None})),
        study_report(),
    ]


def test_results_have_short_representations(tmp_path):
    match = inarow.play_match("random", "winblock", "4x4x3", games=20, seed=1)
    league = inarow.play_tournament(["random", "winblock"], "4x4x3", games=20, seed=1)
    run = inarow.train("tictactoe-q", out=tmp_path / "run", phases__0__episodes=1000)
    assert repr(match) == f"<Match random - winblock on 4x4x3: {match.summary.points:g} of 20 points>"
    assert repr(league) == "<Tournament of 2 agents on 4x4x3: 20 games>"
    assert repr(run) == f"<TrainingRun {run.folder}: q on tictactoe, 1 points>"
    assert repr(run.curve).startswith("<Curve run: 1 points of phase, generation, episode")
    assert repr(inarow.review("44")) == "<GameReview of 44 on 6x7x4>"


def test_every_row_of_a_result_has_the_same_columns_and_a_frame_has_them_too(tournament, match):
    for result in all_results(tournament, match):
        rows = result.rows()
        assert rows, result
        assert {tuple(row) for row in rows} == {tuple(rows[0])}, type(result)
        frame = result.to_frame()
        assert (len(frame), tuple(frame.columns)) == (len(rows), tuple(rows[0]))


def test_every_result_is_written_as_csv(tournament, match, tmp_path):
    for number, result in enumerate(all_results(tournament, match)):
        path = tmp_path / f"{number}.csv"
        result.to_csv(str(path))
        with path.open(newline="") as file:
            header, *lines = csv.reader(file)
        games = isinstance(result, inarow.Match | inarow.Tournament)
        assert len(lines) == (len(result.records) if games else len(result.rows()))
        assert all(len(line) == len(header) for line in lines)


def test_a_csv_file_is_written_atomically(tmp_path):
    class Broken(Result):
        def rows(self):
            return [{"a": 1}, None]

    path = tmp_path / "table.csv"
    with pytest.raises(AttributeError):
        Broken().to_csv(path)
    assert list(tmp_path.iterdir()) == []


def test_a_table_without_rows_is_an_empty_file(tmp_path):
    ResultTable("nothing", ()).to_csv(tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text() == ""


def test_a_text_that_looks_like_a_formula_is_none_in_a_table(tmp_path):
    ResultTable("names", ({"agent": "=1+1"},)).to_csv(tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text() == "agent\n'=1+1\n"


def test_a_game_has_a_row_for_each_ply(match):
    record = match.records[0]
    rows = record.rows()
    assert [row["ply"] for row in rows] == list(range(1, len(record.actions) + 1))
    assert "".join(str(row["move"]) for row in rows) == record.moves
    assert [row["is_opening"] for row in rows].count(True) == record.opening
    assert [row["seconds"] for row in rows[record.opening :]] == [ply.seconds for ply in record.plies]
    assert {row["agent"] for row in rows if row["side"] == 1} == {record.first}
    assert all(row["depth"] is None for row in rows if row["agent"] == "winblock")


def test_a_game_without_reports_has_rows_without_them():
    record = GameRecord.of_position(inarow.Position.parse("4453"), "a", "b", opening=1)
    assert [(row["move"], row["nodes"]) for row in record.rows()] == [(move, None) for move in "4453"]


def test_a_record_is_still_a_value(match):
    record = match.records[0]
    assert from_json_line(to_json_line(record)) == record
    assert pickle.loads(pickle.dumps(record)) == record
    assert replace(record) == record
    assert not hasattr(record, "__dict__")


def test_an_analysis_has_a_row_for_each_action_and_knows_its_position():
    position = inarow.Position.parse("15", BOARD)
    analysis = inarow.analyse(position)
    assert analysis.position == position
    assert [row["score"] for row in analysis.rows()] == list(analysis.scores)
    assert [row["action"] for row in analysis.rows() if row["is_best"]] == list(analysis.best)
    assert replace(analysis, position=None) == analysis


def test_the_pairings_add_up_to_the_standings(tournament):
    pairings = tournament.pairings()
    assert len(pairings) == 3
    frame = pairings.to_frame()
    for standing in tournament.standings:
        wins = frame[frame.a == standing.agent].wins.sum() + frame[frame.b == standing.agent].losses.sum()
        assert wins == standing.tally.wins
    assert (frame.score_low <= frame.score).all()
    assert (frame.score <= frame.score_high).all()
    assert (frame[frame.a == "minimax:depth=2"].a_median_nodes_per_move > 0).all()


def test_the_median_is_beside_the_mean_in_the_costs_of_a_match(match):
    cost = match.summary.cost["a"]
    nodes = sorted(
        ply.nodes
        for number, record in enumerate(match.records)
        for ply in record.plies[(number - record.opening) % 2 :: 2]
    )
    middle = len(nodes) // 2
    assert cost.median_nodes_per_move == (nodes[middle] + nodes[~middle]) / 2
    assert cost.nodes_per_move == sum(nodes) / len(nodes)
    assert match.summary.cost["b"].median_nodes_per_move is None
    assert cost.median_seconds_per_move > 0


def test_a_store_has_a_row_for_each_game(tmp_path, match):
    path = tmp_path / "lab.sqlite"
    inarow.play_match("random", "winblock", BOARD, games=4, store=path, progress=False)
    inarow.play_match("random", "winblock", "3x4x3", games=2, store=path, progress=False)
    with inarow.Store(path) as store:
        assert len(store.to_frame()) == 6
        frame = store.to_frame(board=BOARD)
        assert tuple(frame.columns) == tuple(match.to_frame().columns)
        assert list(frame.moves) == [record.moves for record in store.games(board=BOARD)]


def test_a_leaderboard_is_ranked_in_its_rows(tournament):
    board = tournament.summary.leaderboard
    assert isinstance(board, Leaderboard)
    assert [row["agent"] for row in board.rows()] == [standing.agent for standing in tournament.standings]


def test_a_study_has_a_row_for_each_quantity():
    wins, draws = study_report().rows()
    assert (wins["published"], wins["as_published"], wins["as_published_low"], wins["agrees"]) == (52, 51, 49, True)
    assert (draws["published"], draws["corrected"], draws["corrected_runs"]) == (None, None, 0)


def test_ratings_have_the_likelihood_against_the_next(tournament):
    ratings = tournament.ratings()
    one, two, last = ratings.rows()
    assert one["los"] == ratings.los(str(one["agent"]), str(two["agent"]))
    assert last["los"] is None


def test_the_files_of_a_tournament_are_in_its_folder(tmp_path):
    from tests.cli.command_line import document

    folder = Path(tmp_path / "league")
    made = document("tournament", "random", "winblock", "--board", BOARD, "--games", "4", "--out", str(folder))
    games = list(csv.DictReader((folder / "games.csv").open(newline="")))
    (pairing,) = csv.DictReader((folder / "pairings.csv").open(newline=""))
    assert len(games) == made["games"] == 4
    assert all(len(game["moves"]) == int(game["plies"]) for game in games)
    assert (pairing["a"], pairing["games"]) == ("random", "4")
