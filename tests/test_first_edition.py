"""Files written by version 0.1.0 (see tests/data/first_edition): every one still opens, and has the same content."""

import csv
import io
import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

import inarow
from inarow.web.job import load_jobs
from tests.cli import command_line

DATA = Path(__file__).parent / "data" / "first_edition"
DECISIONS = json.loads((DATA / "decisions.json").read_text())


@pytest.fixture
def files(tmp_path) -> Path:
    """A copy, which may be changed."""
    return Path(shutil.copytree(DATA, tmp_path / "files"))


def run(files: Path, *arguments: str) -> str:
    """What a command that succeeds in the folder of the files prints."""
    result = command_line.inarow(*arguments, cwd=files)
    assert result.returncode == 0, result.stderr
    return result.stdout


def document(files: Path, *arguments: str):
    return json.loads(run(files, *arguments, "--json"))


def test_a_book_has_the_exact_scores(files):
    about = document(files, "book", "verify", "book.npz", "--plies", "4")
    assert (about["board"], about["plies"], about["entries"], about["checked"]) == ("4x5x4", 4, 243, 243)
    assert about["checksum"] == "671d20e7d5c2009033899b4d48e32ef3"
    entries = list(csv.DictReader(io.StringIO(run(files, "book", "export", "book.npz"))))
    assert len(entries) == 243
    spec = inarow.GameSpec.parse("4x5x4")
    for entry in entries[::40]:
        position = inarow.Position.parse(entry["moves"], spec)
        assert inarow.solve(position, book=None).score == int(entry["score"])


def test_a_journal_is_resumed(files):
    command = ("book", "build", "book-stopped.npz", "--board", "5x6x4", "--memory", "4")
    refused = command_line.inarow(*command, "--plies", "3", cwd=files)
    assert refused.returncode == 2
    assert "belongs to another computation ('book 5x6x4 4', not book 5x6x4 3)" in refused.stderr
    about = document(files, *command, "--plies", "4")
    assert (about["entries"], about["checksum"]) == (430, "d9270767ca1e4311f363e56d0925fc31")
    assert not (files / "book-stopped.npz.journal").exists()


def test_a_suite_has_its_positions_and_their_scores(files):
    grade = document(files, "grade", "solver", "--suite", "suite.npz", "--board", "4x4x3")
    assert (grade["positions"], grade["critical"], grade["optimal_accuracy"]) == (5040, 3016, 1.0)
    assert document(files, "grade", "random", "--suite", "suite.npz", "--board", "4x4x3")["optimal_accuracy"] < 0.9


def test_a_store_has_the_games_of_a_tournament(files):
    arguments = ("random", "winblock", "minimax:depth=2", "--board", "4x4x3", "--games", "6", "--seed", "1")
    run(files, "tournament", *arguments, "--store", "store.sqlite", "--out", "again")
    # Equal to the last digit of the times, so no game was played again.
    assert (files / "again" / "games.jsonl").read_text() == (DATA / "tournament" / "games.jsonl").read_text()
    expected = json.loads((DATA / "tournament" / "results.json").read_text())
    rows = document(files, "leaderboard", "--store", "store.sqlite", "--board", "4x4x3")["groups"][0]["table"]
    assert len(rows) == len(expected["standings"]) == 3
    for row, standing in zip(rows, expected["standings"], strict=True):
        assert (row["agent"], row["games"], row["score"]) == (standing["agent"], standing["games"], standing["score"])
        assert row["elo"] == pytest.approx(standing["elo"], abs=0.01)
        assert row["interval"] == pytest.approx(standing["elo_interval"], abs=0.01)


def test_a_store_has_the_games_of_a_match(files):
    arguments = ("random", "greedy", "--board", "tictactoe", "--games", "6", "--seed", "1", "--store", "store.sqlite")
    found, expected = document(files, "match", *arguments), json.loads((DATA / "match.json").read_text())
    for side, cost in expected["cost"].items():  # which has got more figures since
        found["cost"][side] = {name: found["cost"][side][name] for name in cost}
        seconds = found["cost"][side].pop("seconds_per_move")
        assert seconds == pytest.approx(cost.pop("seconds_per_move"))  # from 3.12 on, Python rounds sums otherwise
    assert {name: found[name] for name in expected} == expected


def test_a_store_has_the_grade_of_an_agent(files):
    run(files, "match", "winblock", "greedy", "--board", "tictactoe", "--games", "2", "--store", "store.sqlite")
    board = document(files, "leaderboard", "--store", "store.sqlite", "--board", "tictactoe")
    accuracy = {row["agent"]: row["outcome_accuracy"] for group in board["groups"] for row in group["table"]}
    expected = json.loads((DATA / "grade.json").read_text())["outcome_accuracy"]
    assert accuracy == {"winblock": pytest.approx(expected), "greedy": None, "random": None}


def numbers(found) -> list[float]:
    """A number or a sequence as a list, NaN where nothing is known."""
    return [math.nan if each is None else float(each) for each in (np.atleast_1d(np.asarray(found, object)))]


@pytest.mark.parametrize("known", DECISIONS, ids=lambda known: f"{known['agent'].partition(':')[0]} {known['moves']}")
def test_tables_and_nets_play_as_before(files, known, monkeypatch):
    monkeypatch.chdir(files)
    position = inarow.Position.parse(known["moves"], inarow.GameSpec.parse(known["board"]))
    decision = inarow.make_agent(known["agent"], seed=1).decide(position)
    assert decision.action == known["action"]
    for name in ("value", "scores", "policy"):
        assert numbers(getattr(decision, name)) == pytest.approx(numbers(known[name]), abs=1e-3, nan_ok=True)


def test_a_stopped_q_run_is_finished(files):
    before = (files / "run-q-stopped" / "curve.csv").read_text()
    assert before.splitlines()[-1].startswith("0,0,700000,")
    about = document(files, "train", "--resume", "run-q-stopped")
    assert (about["episodes"], about["positions"]) == (2_000_000, 2310)
    last = about["curve"][-1]
    assert (last["episode"], last["reward"], last["wins"]) == (2_000_000, 0.0009, 0.38156)
    assert (files / "run-q-stopped" / "curve.csv").read_text().startswith(before)


def test_finished_runs_stay_as_they_are(files):
    assert document(files, "train", "--resume", "run-q")["positions"] == 2257
    about = document(files, "train", "--resume", "run-deep-q")
    assert (about["episodes"], about["positions"]) == (300, 901)


def test_an_alphazero_run_is_extended(files):
    games = (files / "run-alphazero" / "games.csv").read_text()
    about = document(files, "train", "--resume", "run-alphazero", "--set", "iterations=+1")
    assert about["iterations"] == 11
    assert about["games"] > 719
    extended = (files / "run-alphazero" / "games.csv").read_text()
    assert extended.startswith(games)
    assert extended.count("\n") == about["games"] + 1


def test_jobs_of_the_web_lab_are_read(files):
    arena, training = load_jobs(files / "jobs").values()
    assert (arena.id, arena.status, arena.done, arena.plan.board) == (1, "finished", 18, "4x4x3")
    assert arena.plan.agents == ("random", "winblock", "minimax:depth=2")
    assert (training.id, training.status, training.done) == (2, "interrupted", 1000)
    assert training.plan.document == {"learner": "q", "board": "tictactoe", "phases": [{"episodes": 3000}]}
