"""The command line as its users meet it: a process, its output, its exit code."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest

from inarow.arena.store import Store
from inarow.games.pgn import from_pgn, split_games
from inarow.games.record import from_json_line


def inarow(*args: str, stdin: str = "", timeout: float = 120, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inarow", *args], input=stdin, capture_output=True, text=True, timeout=timeout, **options
    )


def document(*args: str, **options):
    result = inarow(*args, "--json", **options)
    assert result.returncode == 0
    return json.loads(result.stdout)


SMALL_BOOK = str(files("inarow.search") / "books" / "6x6x4.npz")
SUITE = str(files("inarow.arena") / "suites" / "6x7x4.npz")
BAD = {
    "unknown agent": (["match", "nobody", "random"], "there is no agent 'nobody'; agents are random"),
    "unknown key": (["match", "winblock:depth=3", "random"], "winblock has no key 'depth'; its keys are epsilon"),
    "out of range": (["match", "winblock:epsilon=2", "random"], "it must be a number from 0 to 1"),
    "no rows": (["perft", "2", "--board", "0x7x4"], "rows is 0"),
    "no line": (["perft", "2", "--board", "6x7x9"], "no line of 9 fits"),
    "no column": (["perft", "2", "--moves", "8"], "'8' is no move on 6x7x4; columns are 1 to 7"),
    "full column": (["perft", "2", "--moves", "4444444"], "column 4 is full"),
    "after the end": (["play", "--moves", "12121211"], "the game is over"),
    "letters": (["perft", "2", "--moves", "xyz"], "'x' is no move"),
    "empty board": (["perft", "2", "--board", ""], "board ''"),
    "empty agent": (["match", "", "random"], "there is no agent ''"),
    "10,000 characters": (["perft", "2", "--moves", "4" * 10_000], "10000 moves do not fit"),
    "10,000 characters of board": (["perft", "2", "--board", "4" * 10_000], "is not ROWSxCOLUMNSxINAROW"),
    "10,000 characters of number": (["perft", "x" * 10_000], "DEPTH"),
    "garbage": (["perft", "2", "--moves", "\udcff\udcfe\x01"], "is no move"),
    "garbage agent": (["match", "\udcff\x02", "random"], "there is no agent"),
    "garbage command": (["\udcff\x02"], "there is no command"),
    "negative games": (["match", "random", "random", "--games", "-4"], "games is -4"),
    "odd games": (["match", "random", "random", "--games", "3"], "it must be even"),
    "no number": (["match", "random", "random", "--games", "many"], "many"),
    "negative seed": (["match", "random", "random", "--seed", "-1"], "seed is -1"),
    "negative seed in play": (["play", "--first", "random", "--second", "random", "--seed", "-1"], "seed is -1"),
    "more memory than there is": (["solve", "4453", "--memory", "10000000"], "Unable to allocate"),
    "a folder to write to": (["match", "random", "random", "--games", "2", "--out", "/"], "is a folder"),
    "a folder for a book": (["book", "build", "/", "--board", "4x4x4", "--plies", "1"], "is a folder"),
    "negative entries": (["book", "build", "b.npz", "--plies", "1", "--entries", "-1"], "entries is -1"),
    "negative sample": (["book", "verify", SMALL_BOOK, "--sample", "-1"], "sample is -1"),
    "no workers": (["match", "random", "random", "--workers", "0"], "workers is 0"),
    "depth": (["perft", "43"], "depth is 43"),
    "human in a match": (["match", "human", "random"], "human needs somebody to ask"),
    "unknown option": (["perft", "2", "--colour", "red"], "--colour"),
    "unknown command": (["solv"], "there is no command 'solv'"),
    "unknown sub-command": (["book", "burn"], "burn"),
    "unknown benchmark": (["bench", "--only", "speed"], "there is no benchmark 'speed'"),
    "missing argument": (["match", "random"], "requires an argument"),
    "a finished game": (["solve", "1212121"], "is over after '1212121'"),
    "no memory": (["solve", "4453", "--memory", "0"], "memory is 0 bytes"),
    "no threads": (["solve", "4453", "--threads", "0"], "threads is 0"),
    "no nodes": (["solve", "4453", "--nodes", "0"], "nodes is 0"),
    "negative seconds": (["solve", "4453", "--seconds", "-1"], "seconds is -1"),
    "a bad game to analyse": (["analyse", "4x"], "move 2: 'x' is no move"),
    "no book": (["book", "verify", "/nowhere/book.npz"], "is not a book"),
    "a book without gravity": (
        ["book", "build", "b.npz", "--board", "tictactoe", "--plies", "2"],
        "there are no books",
    ),
    "unknown study": (["reproduce", "paranji"], "there is no study 'paranji'; studies are paranji-2025"),
    "unknown scale": (["reproduce", "paranji-2025", "--scale", "huge"], "huge"),
    "no workers for a study": (["reproduce", "paranji-2025", "--workers", "0"], "workers is 0"),
    "results that are none": (["reproduce", "paranji-2025", "--out", "/dev/null"], "/dev/null"),
    "no agent to grade": (["grade", "nobody"], "there is no agent 'nobody'"),
    "human to grade": (["grade", "human"], "human needs somebody to ask"),
    "no workers to grade": (["grade", "random", "--workers", "0"], "workers is 0"),
    "no suite": (["grade", "random", "--suite", "/nowhere/suite.npz"], "is not a suite"),
    "a book for a suite": (["grade", "random", "--suite", SMALL_BOOK], "has format inarow-book 1, not inarow-suite 1"),
    "a suite for another board": (
        ["grade", "random", "--suite", SUITE, "--board", "tictactoe"],
        "is a suite for 6x7x4, not for 3x3x3/free",
    ),
    "no standard suite": (["grade", "random", "--suite", "standard", "--board", "tictactoe"], "use exhaustive"),
    "too many positions": (["grade", "random", "--suite", "exhaustive"], "more than 200,000 positions"),
    "a folder for a store": (["grade", "random", "--board", "tictactoe", "--store", "/"], "is not a file"),
    "a folder for a suite": (["suite", "build", "/"], "is a folder"),
    "a suite in a folder that is not there": (["suite", "build", "nowhere/s.npz"], "in one that is not there"),
    "no positions": (["suite", "build", "s.npz", "--positions", "0"], "positions is 0"),
    "unknown agent in a tournament": (["tournament", "random", "nobody"], "there is no agent 'nobody'"),
    "odd games in a tournament": (["tournament", "random", "greedy", "--games", "3"], "it must be even"),
    "a tournament of one": (["tournament", "random"], "at least 2 agents; there is 1"),
    "a tournament of none": (["tournament"], "at least 2 agents; there are none"),
    "an agent twice": (["tournament", "random", "greedy", "random"], "'random' takes part more than once"),
    "no workers in a tournament": (["tournament", "random", "greedy", "--workers", "0"], "workers is 0"),
    "a store of others": (["tournament", "random", "greedy", "--store", SMALL_BOOK], "not a database"),
    "a match in a store of others": (["match", "random", "greedy", "--store", SMALL_BOOK], "not a database"),
    "no store": (["leaderboard", "--store", "/nowhere/lab.sqlite"], "there is no results store"),
    "hypotheses": (["match", "random", "greedy", "--sprt", "5", "0"], "SPRT from 5 to 0 Elo"),
    "half a hypothesis": (["match", "random", "greedy", "--sprt", "5"], "--sprt"),
    "no time to move": (["match", "random", "greedy", "--move-seconds", "0"], "move-seconds is 0"),
    "unknown openings": (["match", "random", "greedy", "--openings", "nice"], "--openings"),
    "a folder that is not there": (["match", "random", "random", "--out", "/nowhere/games.pgn"], "/nowhere"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_and_exit_code_2(name, tmp_path):
    args, reason = BAD[name]
    result = inarow(*args, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []  # nothing is left behind
    assert result.returncode == 2
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 500
    assert result.stdout == ""


@pytest.mark.parametrize("lines", ["8\n", "x\n", "\n", "4\n" * 7, "9" * 10_000 + "\n", "\x00\x01\n", "4\n" * 6 + "4\n"])
def test_a_bad_move_from_a_pipe_is_an_error(lines):
    result = inarow("play", stdin=lines)
    assert result.returncode == 2
    assert result.stderr.startswith("inarow: line ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["play", "solve -"])
def test_bytes_that_are_no_text_are_a_bad_line(command):
    result = subprocess.run(
        [sys.executable, "-m", "inarow", *command.split()], input=b"\xff\xfe\x00\n", capture_output=True, check=False
    )
    assert result.returncode == (2 if command == "play" else 1)
    assert result.stderr.count(b"\n") == 1
    assert b"is no move" in result.stderr


def test_a_hint_is_given():
    result = inarow("play", "--moves", "44455554221", stdin="h\n")
    assert "best: 1 2 3 4 5 6 7 (score -15, 2 plies to the end)" in result.stdout


def test_help_names_every_command():
    result = inarow("--help")
    assert result.returncode == 0
    games = ("play", "match", "tournament", "leaderboard", "grade", "report")
    for command in (*games, "solve", "analyse", "agents", "perft", "bench", "warmup"):
        assert command in result.stdout
        assert "--seed" in inarow(command, "--help").stdout


def test_a_piped_game_is_played_to_its_end():
    result = inarow("play", stdin="4\n3\n4\n3\nu\n3\n4\n2\n4\n")
    assert (result.returncode, result.stderr) == (0, "")
    assert "[X]" in result.stdout
    assert result.stdout.endswith("X (human) wins after 7 moves: 4343424\n")
    assert "\x1b" not in result.stdout


def test_the_end_of_the_input_leaves_the_game():
    result = inarow("play", "--second", "winblock", stdin="4\n")
    assert result.returncode == 0
    assert "left after 2 moves: 4" in result.stdout


def test_a_game_of_agents_follows_from_the_seed():
    record = document("play", "--first", "winblock", "--second", "greedy", "--seed", "5", "--board", "5x6x4")
    assert record == document("play", "--first", "winblock", "--second", "greedy", "--seed", "5", "--board", "5x6x4")
    assert (record["board"], record["first"], record["second"]) == ("5x6x4", "winblock", "greedy")
    assert from_json_line(json.dumps(record)).termination == "normal"


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
    with subprocess.Popen(
        [sys.executable, "-m", "inarow", *command.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
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
            with Store.open(store) as results:
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
    (group,) = document("leaderboard", "--store", store, "--board", "tictactoe")["groups"]
    assert [row["agent"] for row in group["table"]] == [row["agent"] for row in summary["standings"]]
    assert [row["score"] for row in group["table"]] == [row["score"] for row in summary["standings"]]
    assert {row["outcome_accuracy"] for row in group["table"]} == {None}
    made = document("grade", "random", "--board", "tictactoe", "--store", store)
    (group,) = document("leaderboard", "--store", store, "--board", "tictactoe")["groups"]
    accuracies = {row["agent"]: row["outcome_accuracy"] for row in group["table"]}
    assert accuracies == {"winblock": None, "greedy": None, "random": made["outcome_accuracy"]}
    assert all(row["seconds_per_move"] > 0 for row in group["table"])
    assert (
        f"{made['outcome_accuracy'] * 100:.1f} %"
        in inarow("leaderboard", "--store", store, "--board", "tictactoe").stdout
    )
    assert "there are no games on 6x7x4 yet" in inarow("leaderboard", "--store", store).stdout


def test_a_tournament_with_a_folder_keeps_its_store_and_its_report_there(tmp_path):
    out = tmp_path / "out"
    command = ("tournament", "random", "greedy", "--board", "tictactoe", "--games", "6", "--out", str(out))
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    summary = document(*command, env=environment)
    assert not (tmp_path / "data").exists()
    files = {"results.json", "games.jsonl", "crosstable.csv", "ratings.csv", "report.html", "report.md", "lab.sqlite"}
    assert {path.name for path in out.iterdir()} == files
    page, text = (out / "report.html").read_text(), (out / "report.md").read_text()
    assert "2 agents · 6 games" in page
    assert "<svg" in page
    for row in summary["standings"]:
        assert f"| {row['agent']} | {row['elo']:.0f} |".replace("-", "\N{MINUS SIGN}") in text
    assert document(*command, env=environment) == summary  # timings included: nothing was played again
    assert inarow("report", str(out), "--board", "tictactoe", cwd=tmp_path).returncode == 0


def test_an_interrupted_tournament_goes_on(tmp_path):
    store = tmp_path / "lab.sqlite"
    command = f"tournament winblock greedy --games 100000 --store {store}"
    process = subprocess.Popen([sys.executable, "-m", "inarow", *command.split()], stderr=subprocess.PIPE, text=True)
    while not store.exists() or not inarow("leaderboard", "--store", str(store)).stdout.startswith("#"):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "of 100000 games; the same command goes on" in stderr
    assert "Traceback" not in stderr


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
    assert "going on without a book" in result.stderr
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
    with Store.open(store, readonly=True) as results:
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
        assert inarow("warmup", timeout=600).returncode == 0
    assert json.loads(inarow("solve", "44455554221", "--json").stdout)["score"] == -15


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
        "summary": "chance of a uniformly random move instead",
    }


def test_agents_shows_the_rated_levels_of_the_solver():
    solver = next(agent for agent in document("agents") if agent["name"] == "solver")
    assert [row["level"] for row in solver["levels"]] == list(range(1, 11))
    assert solver["levels_source"]["anchor"] == "random"
    lines = [line.split() for line in inarow("agents").stdout.splitlines()]
    for row in solver["levels"]:
        assert [str(row["level"]), f"{row['elo']:.0f}"] in [line[:2] for line in lines]


def test_warmup_tells_what_it_compiled():
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


def test_a_closed_pipe_is_no_fault():
    command = f"{sys.executable} -m inarow perft 5 | true"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=os.environ)
    assert result.stderr == ""
