"""What `inarow sweep` and `inarow runs` print."""

import json
import shlex

import pytest

from inarow.arena import sweep_trial
from tests.cli.command_line import document, inarow

CONFIG = """
base = "tictactoe-q"
trials = 2
settings = { "phases.0.episodes" = 400, report = 100 }
search = { alpha = { low = 0.05, high = 0.9, log = true } }
objective = { kind = "curve", column = "draws" }
"""
pytestmark = pytest.mark.compiled


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "tune.toml"
    path.write_text(CONFIG)
    return path


def test_a_sweep_ends_with_the_command_of_the_best_settings(config, tmp_path):
    result = inarow("sweep", str(config), "--out", str(tmp_path / "sweep"))
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["trial", "state", "draws", "alpha"]
    purpose, _, command = lines[-1].partition(": inarow ")
    assert purpose == "train it again"
    again = document(*shlex.split(command), "--out", str(tmp_path / "again"))
    best = document("sweep", str(config), "--out", str(tmp_path / "sweep"))["best"]
    assert again["curve"][-1]["draws"] == best["value"]


def test_the_default_folder_has_the_name_of_the_config(config, tmp_path):
    found = document("sweep", str(config), "--trials", "1", cwd=tmp_path)
    assert found["folder"] == "sweeps/tune"
    assert (tmp_path / "sweeps" / "tune" / "trial-0000" / "table.npz").exists()


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_continue(config, tmp_path, monkeypatch):
    value, calls = sweep_trial._value, []

    def interrupt_second(*arguments):
        calls.append(0)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return value(*arguments)

    monkeypatch.setattr(sweep_trial, "_value", interrupt_second)
    result = inarow("sweep", str(config), "--out", str(tmp_path / "sweep"))
    assert result.returncode == 130
    assert result.stderr.splitlines() == [
        "stopped after 1 of 2 trials; the same command continues",
        "inarow: interrupted",
    ]
    found = document("sweep", str(config), "--out", str(tmp_path / "sweep"))
    assert [trial["state"] for trial in found["trials"]] == ["complete", "complete"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("alpha =", "alfa ="), "unknown field `alfa`"),
        (("low = 0.05", "low = 0.95"), "low = 0.95 is not below high = 0.9"),
        (('"draws"', '"search_accuracy"'), "the curve of q has no column 'search_accuracy'"),
        (("trials", "trails"), "unknown field `trails`"),
        (("[", "]]"), "is not TOML"),
    ],
)
def test_a_bad_config_is_one_line_and_exit_code_2(config, tmp_path, change, reason):
    config.write_text(CONFIG.replace(*change) if change[0] in CONFIG else "]]")
    result = inarow("sweep", str(config), "--out", str(tmp_path / "sweep"))
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert reason in result.stderr
    assert not (tmp_path / "sweep").exists()


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("sweep", "nowhere.toml"), "nowhere.toml"),
        (("sweep", "tictactoe-q"), "needs a .toml file"),
        (("runs", "list", "nowhere"), "there is no folder nowhere"),
        (("runs", "compare", "nowhere", "nowhere"), "nowhere has no training run"),
        (("runs", "compare"), "at least 2 runs; there are none"),
        (("runs", "compare", "a", "b", "--out", "curves.gif"), "must end in .svg, .png or .html"),
        (("runs", "compare", "a", "b", "--out", "nowhere/curves.svg"), "there is no folder nowhere"),
    ],
)
def test_what_is_not_there_is_one_line_and_exit_code_2(tmp_path, command, reason):
    result = inarow(*command, cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert reason in result.stderr


def test_the_trials_of_a_sweep_are_listed_and_compared(config, tmp_path):
    folder = tmp_path / "sweep"
    assert inarow("sweep", str(config), "--out", str(folder)).returncode == 0
    listed = inarow("runs", "list", str(folder), env={"COLUMNS": ""})
    assert [line.split()[:3] for line in listed.stdout.splitlines()[1:]] == [
        ["trial-0000", "q", "tictactoe"],
        ["trial-0001", "q", "tictactoe"],
    ]
    assert [run["done"] for run in document("runs", "list", str(folder))["runs"]] == [400, 400]
    names = [str(folder / f"trial-000{number}") for number in (0, 1)]
    compared = inarow("runs", "compare", *names, "--column", "draws", "--out", str(tmp_path / "curves.html"))
    assert compared.returncode == 0
    assert [line.split()[0] for line in compared.stdout.splitlines()[1:]] == [
        *("seed", "alpha", "points", "seconds", "draws", "draws_best")
    ]
    assert (tmp_path / "curves.html").exists()
    facts = json.loads(inarow("runs", "compare", *names, "--json").stdout)
    assert [run["settings"]["seed"] for run in facts["runs"]] == [0, 1]


def test_a_folder_without_runs_is_no_error(tmp_path):
    (tmp_path / "runs").mkdir()
    assert inarow("runs", "list", cwd=tmp_path).stdout == "there are no training runs in runs\n"
    assert document("runs", "list", cwd=tmp_path) == {"folder": "runs", "runs": []}
