"""`inarow train` for AlphaZero, from the command line to a graded agent."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inarow.cli.train import train
from inarow.errors import ConfigError
from tests.cli.command_line import document, inarow

SMALL = """
learner = "alphazero"
board = "tictactoe"
iterations = 6
iteration_games = 40
workers = 1
graded_simulations = 8
network = { channels = 8, blocks = 1 }
selfplay = { games = 16, simulations = 8, first_simulations = 8, random_plies = 3, cache = 1 }
learning = { batch = 16, smallest_window = 200, largest_window = 1000 }
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    path = tmp_path_factory.mktemp("config") / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture(scope="module")
def finished(config, tmp_path_factory):
    """The JSON of a run, and what its log told."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    result = inarow("train", str(config), "--out", str(folder), "--seed", "3", "--json")
    assert result.returncode == 0
    return json.loads(result.stdout), result.stderr


def test_a_run_reports_its_curve(finished):
    made, log = finished
    assert (made["iterations"], made["board"]) == (6, "tictactoe")
    assert made["games"] >= 240
    assert made["curve"][-1]["search_accuracy"] > 0.5
    assert made["bytes"]["replay"] > 0
    assert "training on tictactoe with 1 processes" in log
    assert log.count("policy") == len(made["curve"])


def test_a_trained_net_is_graded(finished, tmp_path):
    suite = str(tmp_path / "suite.npz")
    assert inarow("suite", "build", suite, "--board", "tictactoe", "--positions", "200").returncode == 0
    agent = f"alphazero:net={finished[0]['net']},simulations=20"
    graded = document("grade", agent, "--board", "tictactoe", "--suite", suite)
    assert graded["critical_accuracy"] > 0.8
    assert graded["faults"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"settings": ("iterations=20",)}, "does not extend a run"),
        ({"settings": ("iterations=+2.5",)}, "does not extend a run"),
        ({"settings": ("seed=1",)}, "'seed=1' cannot be changed after the start of a run"),
        ({"settings": ("network.blocks=9",)}, "cannot be changed after the start of a run"),
        ({"settings": ("learning.largest_window=9",)}, "cannot be changed after the start of a run"),
        ({"settings": ("selfplay.games=none",)}, "selfplay.games"),
        ({"settings": ("minutes=+1",)}, "extend it by iterations"),
        ({"seed": 1}, "keeps its config"),
    ],
)
def test_a_run_can_only_be_given_more(finished, arguments, message):
    with pytest.raises(ConfigError, match=message):
        train(resume=Path(finished[0]["folder"]), **arguments)


def test_a_finished_run_is_extended(finished):
    made = finished[0]
    more = document("train", "--resume", made["folder"], "--set", "iterations=+2")
    assert more["iterations"] == 8
    assert more["games"] > made["games"]
    assert more["steps"] > made["steps"]


def test_ctrl_c_keeps_what_was_learnt(config, tmp_path):
    folder = tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-m", "inarow", "train", str(config), "--out", str(folder), "--set", "iterations=100000"],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and not (folder / "games.csv").exists():
        time.sleep(0.05)
    while time.monotonic() < deadline and (folder / "games.csv").stat().st_size < 10_000:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert f"inarow train --resume {folder}" in errors
    assert "Traceback" not in errors
    assert json.loads((folder / "state.json").read_bytes())["games"] > 0
