"""The command line as its users meet it: its output, its files, its exit code."""

import io
import json
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from inarow.arena.store import Store
from inarow.cli.output import print_json
from inarow.games.pgn import from_pgn, split_games
from inarow.games.record import from_json_line
from tests.cli.command_line import document, inarow, inarow_process, process_command, start_inarow


def test_a_hint_is_given():
    result = inarow("play", "--second", "human", "--moves", "44455554221", stdin="h\n")
    assert "best: 1 2 3 4 5 6 7 (score -15, 2 plies to the end)" in result.stdout


def test_a_piped_game_is_played_to_its_end():
    result = inarow("play", "--second", "human", stdin="4\n3\n4\n3\nu\n3\n4\n2\n4\n")
    assert (result.returncode, result.stderr) == (0, "")
    assert "[X]" in result.stdout
    assert result.stdout.endswith("X (human) wins after 7 moves: 4343424\n")
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("options", "players"),
    [
        ((), "X (human) against O (solver:level=2)"),
        (("--first", "winblock"), "X (winblock) against O (human)"),
        (("--second", "human"), "X (human) against O (human)"),
    ],
)
def test_a_person_plays_against_a_friendly_level_unless_told_otherwise(options, players):
    result = inarow("play", *options, stdin="q\n")
    assert result.returncode == 0
    first, welcome = result.stdout.splitlines()[:2]
    assert first == players
    assert welcome == "Type a move and press Enter; columns are 1 to 7. h: hint, u: undo, q: quit."


def test_the_end_of_the_input_leaves_the_game():
    result = inarow("play", "--second", "winblock", stdin="4\n")
    assert result.returncode == 0
    assert "left after 2 moves: 4" in result.stdout


def test_a_game_of_agents_follows_from_the_seed():
    record = document("play", "--first", "winblock", "--second", "greedy", "--seed", "5", "--board", "5x6x4")
    assert record == document("play", "--first", "winblock", "--second", "greedy", "--seed", "5", "--board", "5x6x4")
    assert (record["board"], record["first"], record["second"]) == ("5x6x4", "winblock", "greedy")
    assert from_json_line(json.dumps(record)).termination == "normal"


def test_a_document_is_in_the_pipe_before_the_command_ends(monkeypatch):
    pipe = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe))
    print_json({"address": "here"})
    assert json.loads(pipe.getvalue()) == {"address": "here"}


def test_match_json_keeps_its_contract(tmp_path):
    summary = document("match", "winblock", "random", "--games", "20", "--seed", "1")
    for key in ("a", "b", "board", "games", "distinct_games", "wins", "draws", "losses", "as_first", "as_second"):
        assert key in summary
    for key in ("score", "score_interval", "elo", "elo_interval", "los", "seed"):
        assert key in summary
    assert summary["games"] == 20
    assert summary["as_first"]["games"] == 10


def test_match_writes_its_games(tmp_path):
    for name in ("games.pgn", "games.jsonl"):
        out = tmp_path / name
        assert (
            inarow("match", "random", "greedy", "--games", "4", "--out", str(out), "--board", "tictactoe").returncode
            == 0
        )
        text = out.read_text()
        records = (
            [from_pgn(game) for game in split_games(text)]
            if name.endswith("pgn")
            else [from_json_line(line) for line in text.splitlines()]
        )
        assert [record.first for record in records] == ["random", "greedy"] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.jsonl", "games.pgn"]


def test_an_interrupted_match_keeps_what_was_played(tmp_path):
    out, store = tmp_path / "games.jsonl", tmp_path / "lab.sqlite"
    command = f"match winblock winblock --games 40000 --workers 2 --out {out} --store {store} --json"
    with start_inarow(*command.split()) as process:
        try:
            wait_for_games(store, 100)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Traceback" not in stderr
    played = len(out.read_text().splitlines())
    assert 100 <= json.loads(stdout)["games"] <= played < 40_000


def wait_for_games(store: Path, games: int) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        time.sleep(0.2)
        if store.exists():
            with Store(store) as results:
                if sum(1 for _ in results.games()) >= games:
                    return
    pytest.fail(f"{games} games take too long")


def test_match_stops_when_the_test_is_decided(tmp_path):
    store = str(tmp_path / "lab.sqlite")
    command = ("match", "winblock", "random", "--sprt", "-50", "100", "--games", "1000", "--store", store)
    summary = document(*command)
    assert summary["sprt"]["accepted"] == "H1"
    assert summary["games"] < 200
    assert "SPRT -50 to +100 Elo: +100 Elo is accepted" in inarow(*command).stdout
    assert document("leaderboard", "--store", store)["groups"][0]["table"][0]["agent"] == "winblock"


def test_tournament_writes_its_files_and_feeds_the_leaderboard(tmp_path):
    out, store = tmp_path / "out", str(tmp_path / "lab.sqlite")
    command = ("tournament", "random", "greedy", "winblock", "--board", "tictactoe", "--games", "6", "--store", store)
    summary = document(*command, "--out", str(out))
    assert json.loads((out / "results.json").read_text()) == summary
    assert (summary["games"], summary["board"], len(summary["matches"])) == (18, "3x3x3/free", 3)
    assert len([from_json_line(line) for line in (out / "games.jsonl").read_text().splitlines()]) == 18
    ratings = (out / "ratings.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in ratings[1:]] == [row["agent"] for row in summary["standings"]]
    header, *rows = (line.split(",") for line in (out / "crosstable.csv").read_text().splitlines())
    assert header == ["agent", "random", "greedy", "winblock", "points", "games"]
    assert sum(float(row[-2]) for row in rows) == 18
    assert rows[0][1] == ""
    text = inarow(*command).stdout
    assert "18 games" in text
    assert "random is 0" in text
    ranking = document("leaderboard", "--store", store, "--board", "tictactoe")
    (group,) = ranking["groups"]
    assert (ranking["games"], ranking["distinct_games"]) == (18, summary["distinct_games"])
    assert [row["agent"] for row in group["table"]] == [row["agent"] for row in summary["standings"]]
    assert [row["score"] for row in group["table"]] == [row["score"] for row in summary["standings"]]
    assert {row["outcome_accuracy"] for row in group["table"]} == {None}
    made = document("grade", "random", "--board", "tictactoe", "--store", store)
    (group,) = document("leaderboard", "--store", store, "--board", "tictactoe")["groups"]
    accuracies = {row["agent"]: row["outcome_accuracy"] for row in group["table"]}
    assert accuracies == {"winblock": None, "greedy": None, "random": made["outcome_accuracy"]}
    assert all(row["seconds_per_move"] > 0 for row in group["table"])
    text = inarow("leaderboard", "--store", store, "--board", "tictactoe").stdout
    assert f"{made['outcome_accuracy'] * 100:.1f} %" in text
    assert f"18 games, {summary['distinct_games']} distinct" in text
    assert "there are no games on 6x7x4 yet" in inarow("leaderboard", "--store", store).stdout


def test_a_tournament_with_a_folder_keeps_its_store_and_its_report_there(tmp_path):
    out = tmp_path / "out"
    command = ("tournament", "random", "greedy", "--board", "tictactoe", "--games", "6", "--out", str(out))
    environment = {"XDG_DATA_HOME": str(tmp_path / "data")}
    summary = document(*command, env=environment)
    assert not (tmp_path / "data").exists()
    tables = {"crosstable.csv", "ratings.csv", "games.csv", "pairings.csv"}
    files = {"results.json", "games.jsonl", "report.html", "report.md", "lab.sqlite", *tables}
    assert {path.name for path in out.iterdir()} == files
    page, text = (out / "report.html").read_text(), (out / "report.md").read_text()
    assert "2 agents · 6 games" in page
    assert "<svg" in page
    for row in summary["standings"]:
        assert f"| {row['agent']} | {row['elo']:.0f} |".replace("-", "\N{MINUS SIGN}") in text
    assert document(*command, env=environment) == summary  # timings included: nothing was played again
    assert inarow("report", str(out), "--board", "tictactoe", cwd=tmp_path).returncode == 0


def test_an_interrupted_tournament_continues_where_it_stopped(tmp_path):
    def command(store: Path) -> list[str]:
        agents = "mcts:simulations=300 greedy random"
        return f"tournament {agents} --board tictactoe --games 800 --seed 3 --store {store}".split()

    store = tmp_path / "lab.sqlite"
    with start_inarow(*command(store)) as process:
        try:
            wait_for_games(store, 200)
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "of 2400 games; the same command" in stderr
    assert "Traceback" not in stderr
    before = stored_games(store)
    assert 200 <= len(before) < 2400
    document(*command(store))
    after = stored_games(store)
    assert len(after) == 2400
    assert before.items() <= after.items()  # times included: nothing was played again
    whole = tmp_path / "whole.sqlite"
    document(*command(whole))
    moves, moves_of_whole = ([moves for moves, _ in games.values()] for games in (after, stored_games(whole)))
    assert sorted(moves) == sorted(moves_of_whole)


def stored_games(path: Path) -> dict[int, tuple[str, bytes]]:
    """Moves and details of every game in a store, by its number."""
    with closing(sqlite3.connect(path)) as connection:
        return {
            id: (moves, details) for id, moves, details in connection.execute("SELECT id, moves, details FROM games")
        }


def test_perft_json_keeps_its_contract():
    assert document("perft", "3", "--distinct")["positions"] == [1, 7, 49, 238]
    counts = document("perft", "9", "--board", "tictactoe", "--distinct")
    assert sum(counts["positions"]) == 5478
    assert sum(counts["games"]) == 255_168
    assert counts["sequences"][-1] == 127_872


def test_solve_json_keeps_its_contract():
    found = document("solve", "44455554221")
    assert found["score"] == -15
    assert found["plies"] == 2
    assert found["scores"] == [-15] * 7
    assert found["best"] == [1, 2, 3, 4, 5, 6, 7]
    assert (found["board"], found["moves"]) == ("6x7x4", "44455554221")
    full = document("solve", "1111112222223")
    assert full["scores"][:2] == [None, None]
    assert None not in full["scores"][2:]


def test_solve_reads_a_position_a_line():
    lines = "44455554221\n4444444\nx\n1212121\n121212\n"
    result = inarow("solve", "-", stdin=lines)
    assert result.returncode == 1
    assert result.stdout == "44455554221 -15\n\n\n\n121212 18\n"
    assert [line.split(":")[1] for line in result.stderr.splitlines()] == [" line 2", " line 3", " line 4"]
    good = inarow("solve", "-", "--scores", stdin="44455554221\n1111112222223\n")
    assert good.returncode == 0
    assert good.stdout.splitlines()[0] == "44455554221 -15 -15 -15 -15 -15 -15 -15"
    assert good.stdout.splitlines()[1].startswith("1111112222223 - - ")
    weak = inarow("solve", "-", "--weak", stdin="44455554221\n121212\n")
    assert weak.stdout == "44455554221 -1\n121212 1\n"


def test_a_position_that_is_not_solved_gets_bounds():
    found = document("solve", "", "--board", "9x9x5", "--nodes", "5000")
    assert found["score"] is None
    assert found["bounds"][0] < 0 < found["bounds"][1]
    assert "not solved within the limits" in inarow("solve", "", "--board", "9x9x5", "--nodes", "5000").stdout


def test_analyse_labels_every_move(tmp_path):
    review = document("analyse", "14253", "--board", "tictactoe")
    assert [ply["label"] for ply in review["plies"]] == ["best", "mistake", "best", "good", "best"]
    out = tmp_path / "games.pgn"
    inarow("match", "random", "winblock", "--games", "4", "--board", "tictactoe", "--out", str(out))
    second = document("analyse", str(out), "--number", "2")
    assert len(second["plies"]) == len(second["moves"])
    assert inarow("analyse", str(out), "--number", "5").returncode == 2
    assert "1 mistake" in inarow("analyse", "14253", "--board", "tictactoe").stdout


def test_analyse_keeps_its_limits(tmp_path):
    page = tmp_path / "game.html"
    command = ("analyse", "4455", "--board", "8x7x4", "--nodes", "2000", "--html", str(page))
    review = document(*command)
    assert [(ply["before"], ply["label"], ply["best"]) for ply in review["plies"]] == [(None, None, [])] * 4
    text = inarow(*command).stdout
    assert text.count("?") == 12
    assert "Move 4: O plays 5." in page.read_text()
    assert document("analyse", "14253", "--board", "tictactoe", "--seconds", "60")["plies"][1]["label"] == "mistake"


def test_a_book_is_built_verified_exported_and_used(tmp_path):
    out = tmp_path / "book.npz"
    made = document("book", "build", str(out), "--board", "4x5x4", "--plies", "4", "--workers", "2")
    assert (made["board"], made["plies"]) == ("4x5x4", 4)
    assert document("book", "verify", str(out), "--plies", "3")["checked"] == made["entries"]
    rows = inarow("book", "export", str(out), "--csv").stdout.splitlines()
    assert rows[0] == "key,moves,ply,score"
    assert len(rows) == made["entries"] + 1
    assert document("solve", "12", "--board", "4x5x4", "--book", str(out))["nodes"] == 0
    broken = tmp_path / "broken.npz"
    broken.write_bytes(out.read_bytes()[:-50])
    result = inarow("solve", "12", "--board", "4x5x4", "--book", str(broken), "--json")
    assert result.returncode == 0
    assert result.stderr.count("\n") == 1
    assert "continuing without a book" in result.stderr
    assert json.loads(result.stdout)["nodes"] > 0


def test_grade_json_keeps_its_contract(tmp_path):
    store = tmp_path / "lab.sqlite"
    made = document("grade", "winblock", "--board", "tictactoe", "--seed", "1", "--store", str(store))
    assert (made["agent"], made["board"], made["suite"]) == ("winblock", "3x3x3/free", "exhaustive")
    assert made["positions"] == 4520
    assert made["positions"] > made["critical"] > 0
    assert made["intervals"].keys() == {"outcome_accuracy", "critical_accuracy", "optimal_accuracy", "mean_regret"}
    for name, (low, high) in made["intervals"].items():
        assert low < made[name] < high
    assert [row["ply"] for row in made["by_ply"]] == list(range(9))
    assert made["by_side"].keys() == {"first", "second"}
    with Store(store, readonly=True) as results:
        (entry,) = results.grades("tictactoe")
    assert (entry.agent.name, entry.suite, entry.grade) == ("winblock", "exhaustive", made)


def test_a_suite_is_built_and_used(tmp_path):
    out = tmp_path / "suite.npz"
    made = document("suite", "build", str(out), "--board", "3x4x3", "--positions", "30")
    assert (made["board"], made["positions"]) == ("3x4x3", 30)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["suite.npz"]
    graded = document("grade", "solver", "--board", "3x4x3", "--suite", str(out))
    assert (graded["suite"], graded["suite_checksum"]) == ("suite.npz", made["checksum"])
    assert (graded["optimal_accuracy"], graded["mean_regret"]) == (1, 0)
    broken = tmp_path / "broken.npz"
    broken.write_bytes(out.read_bytes()[:-50])
    result = inarow("grade", "solver", "--board", "3x4x3", "--suite", str(broken))
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "is not a suite" in result.stderr


def test_kernels_work_when_they_come_from_the_cache():
    """Numba has compiled kernels that crash when loaded again; so warm up twice, and solve."""
    for _ in range(2):
        assert inarow_process("warmup").returncode == 0
    assert json.loads(inarow_process("solve", "44455554221", "--json").stdout)["score"] == -15


def test_agents_json_lists_parameters():
    agents = {agent["name"]: agent for agent in document("agents")}
    assert {"random", "minimax", "mcts", "solver", "human", "paranji-2025/minimax"} <= set(agents)
    assert agents["mcts"]["parameters"][0]["kind"] == "integer|auto"
    assert agents["winblock"]["parameters"][0] == {
        "name": "epsilon",
        "kind": "number",
        "default": 0.0,
        "minimum": 0,
        "maximum": 1,
        "summary": "probability of a uniformly random move instead",
    }


def test_agents_shows_the_rated_levels_of_the_solver():
    solver = next(agent for agent in document("agents") if agent["name"] == "solver")
    assert [row["level"] for row in solver["levels"]] == list(range(1, 11))
    assert solver["levels_source"]["anchor"] == "random"
    lines = [line.split() for line in inarow("agents").stdout.splitlines()]
    for row in solver["levels"]:
        assert [str(row["level"]), f"{row['elo']:.0f}"] in [line[:2] for line in lines]


def test_warmup_reports_what_it_compiled():
    assert document("warmup")["seconds"] > 0


@pytest.mark.parametrize(
    "command",
    [
        ["agents"],
        ["perft", "4", "--distinct"],
        ["match", "random", "greedy", "--games", "4"],
        ["grade", "random", "--board", "tictactoe"],
    ],
)
def test_people_get_a_table(command):
    result = inarow(*command)
    assert result.returncode == 0
    assert len(result.stdout.splitlines()) > 3


@pytest.mark.parametrize("command", ["perft 5", "perft 5 --json", "agents", "solve --help", "completion bash"])
def test_a_closed_pipe_ends_a_command_quietly_with_the_code_of_sigpipe(command):
    line = f"{shlex.join(process_command(*command.split()))} | true; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (141, "")
