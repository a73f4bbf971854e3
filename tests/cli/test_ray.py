"""`--ray` on the command line: the same result, and one line for what is wrong."""

import json
import subprocess
import sys

import pytest


def inarow(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "inarow", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=180)


@pytest.mark.xdist_group("cluster")
def test_a_local_cluster_plays_the_same_match_and_says_nothing():
    match = ["match", "winblock:epsilon=0.2", "greedy", "--games", "20", "--seed", "4", "--json"]
    alone, cluster = inarow(*match), inarow(*match, "--ray", "local")
    assert (cluster.returncode, cluster.stderr) == (0, "")
    results = [json.loads(each.stdout) for each in (alone, cluster)]
    for result in results:
        del result["cost"]  # seconds
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["match", "random", "greedy", "--ray", "127.0.0.1:9"], "no cluster answers at '127.0.0.1:9': "),
        (["grade", "random", "--ray", "cluster"], "'cluster' is not a cluster address; give HOST:PORT, auto or local"),
        (["match", "random", "greedy", "--ray", "local", "--workers", "0"], "workers is 0; it must be 1 to 100000"),
        (["train", "tictactoe-q", "--ray", "local"], "--ray is for alphazero: other learners play in one process"),
    ],
)
def test_what_is_wrong_is_one_line(arguments, line, tmp_path):
    if arguments[0] == "train":
        arguments = [*arguments, "--out", str(tmp_path / "run")]
    result = inarow(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"inarow: {line}")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_run_that_could_not_reach_its_cluster_says_how_to_continue(tmp_path):
    folder = tmp_path / "run"
    result = inarow("train", "tictactoe", "--ray", "127.0.0.1:9", "--out", str(folder))
    assert result.returncode == 2
    assert result.stderr.endswith(f"the run was started; resume with: inarow train --resume {folder} --ray ADDRESS\n")
