"""What `inarow train` prints, whatever it trains."""

import shlex

import pytest

from inarow.cli.train import _hints_to_resume
from tests.cli.command_line import document, inarow

LONG_NAME = "a folder with a long name " * 6


def next_steps(shown: str) -> dict[str, list[str]]:
    """The commands that are printed after a run, by their purpose."""
    told = [line.partition(": inarow ") for line in shown.splitlines()]
    return {purpose: shlex.split(command) for purpose, colon, command in told if colon}


def test_a_run_ends_with_commands_that_work(tmp_path):
    folder = tmp_path / LONG_NAME.strip()
    result = inarow("train", "4x4x4-q", "--set", "phases.0.episodes=200", "--out", str(folder))
    assert result.returncode == 0, result.stderr
    steps = next_steps(result.stdout)
    assert list(steps) == ["play it", "measure it", "export it"]
    agent = f"q:table={folder / 'table.npz'}"
    assert steps["play it"] == ["play", "--board", "4x4x4", "--second", agent]
    assert document(*steps["play it"], "--first", "random")["second"] == agent
    assert document(*steps["measure it"], "--games", "2")["a"] == agent
    assert document(*steps["export it"])["file"] == str(folder / "kaggle.py")


def test_what_kaggle_cannot_play_is_not_offered_for_export(tmp_path):
    result = inarow("train", "tictactoe-q", "--set", "phases.0.episodes=200", "--out", str(tmp_path / "run"))
    assert list(next_steps(result.stdout)) == ["play it", "measure it"]


def test_an_interrupted_run_says_in_one_line_how_to_resume(tmp_path, capsys):
    folder = tmp_path / LONG_NAME.strip()
    with pytest.raises(KeyboardInterrupt), _hints_to_resume(folder):
        raise KeyboardInterrupt
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert shlex.split(told.partition("resume with: ")[2]) == ["inarow", "train", "--resume", str(folder)]
