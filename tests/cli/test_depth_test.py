import csv
import signal

import pytest

from inarow.arena import depth_test as module
from tests.cli.command_line import document, inarow

SMALL = ("--board", "tictactoe", "--games", "2", "--positions", "10")


def test_a_depth_test_is_printed_and_written(tmp_path):
    table, plot = tmp_path / "depths.csv", tmp_path / "depths.svg"
    files = ("--csv", str(table), "--plot", str(plot))
    result = inarow("depth-test", "minimax", "--depths", "1-2,4", *SMALL, *files, env={"COLUMNS": ""})
    assert (result.returncode, result.stderr) == (0, "")
    title, header, *rows = result.stdout.splitlines()
    assert title == "minimax on 3x3x3/free against winblock, suite exhaustive, seed 0"
    assert "keeps the outcome" in header
    assert [row.split()[0] for row in rows] == ["1", "2", "4"]
    with table.open(newline="") as file:
        assert [row["depth"] for row in csv.DictReader(file)] == ["1", "2", "4"]
    assert plot.read_text().startswith("<?xml")


def test_a_depth_test_fits_80_columns():
    result = inarow("depth-test", "minimax", "--depths", "1", *SMALL, env={"COLUMNS": "80"})
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_json_of_a_depth_test():
    made = document("depth-test", "minimax", "--depths", "2", *SMALL)
    assert (made["agent"], made["opponent"], made["suite"]) == ("minimax", "winblock", "exhaustive")
    (row,) = made["depths"]
    assert (row["depth"], row["games"], row["positions"], row["agent"]) == (2, 2, 10, "minimax:depth=2")


@pytest.mark.parametrize("depths", ["", "1-", "-3", "a", "1,,2", "1-1000", "3-1", "0-2"])
def test_bad_depths_are_one_line(depths):
    result = inarow("depth-test", "minimax", f"--depths={depths}", *SMALL)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert "depths" in result.stderr


def test_an_agent_without_depth_is_one_line():
    result = inarow("depth-test", "winblock", *SMALL)
    assert result.returncode == 2
    assert result.stderr.startswith("inarow: 'winblock' has no depth to test; agents with a depth are minimax, ")


def test_the_name_of_a_picture_is_checked_before_the_work(tmp_path):
    result = inarow("depth-test", "minimax", "--plot", str(tmp_path / "depths.pdf"))
    assert (result.returncode, result.stdout) == (2, "")
    assert "give a name that ends in .svg or .png" in result.stderr


def test_ctrl_c_prints_the_finished_depths(monkeypatch):
    work = module._do

    def interrupted(task):
        if task.player.depth == 2:
            raise KeyboardInterrupt
        return work(task)

    monkeypatch.setattr(module, "_do", interrupted)
    result = inarow("depth-test", "minimax", "--depths", "1-2", *SMALL)
    assert result.returncode == 128 + signal.SIGINT
    assert result.stdout.splitlines()[-1].split()[0] == "1"
    assert result.stderr.splitlines() == ["stopped after 1 of 2 depths", "inarow: interrupted"]
