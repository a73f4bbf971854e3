"""What `inarow train` prints, whatever it trains."""

import json
import shlex

import pytest

from inarow.arena.training import train
from inarow.cli.train import _hints_to_resume
from tests.cli.command_line import document, inarow
from tests.marks import MarkingAgent

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


Q_CONFIG = """
learner = "q"
board = "4x4x4"
[[phases]]
episodes = 3
opponent = "random"
[[phases]]
episodes = 3
opponent = {opponent}
"""
REFUSED = "executes a file; allow that with --allow-agent-files"


def test_a_config_runs_agent_files_only_if_that_is_allowed(tmp_path):
    agent, config, out = MarkingAgent(tmp_path, columns=4), tmp_path / "config.toml", str(tmp_path / "run")
    config.write_text(Q_CONFIG.format(opponent=json.dumps(agent.string)))
    refused = inarow("train", str(config), "--out", out)
    assert (refused.returncode, refused.stderr.count("\n"), agent.marks()) == (2, 1, 0)
    assert REFUSED in refused.stderr
    assert not (tmp_path / "run").exists()
    allowed = inarow("train", str(config), "--out", out, "--allow-agent-files")
    assert (allowed.returncode, agent.marks() > 0) == (0, True), allowed.stderr


@pytest.mark.parametrize("preset", ["4x4x4-q", "4x4x4-dqn"])
def test_a_setting_runs_agent_files_only_if_that_is_allowed(tmp_path, preset):
    """However the opponent is given, and in whatever form the agent string is."""
    agent = MarkingAgent(tmp_path, columns=4)
    part = "phases.0." if preset == "4x4x4-q" else ""
    for text in (agent.string, agent.string.replace("kaggle:", "kaggle:seconds=3,")):
        settings = ("--set", f"{part}opponent={text}", "--set", f"{part}episodes=3")
        refused = inarow("train", preset, "--out", str(tmp_path / "run"), *settings)
        assert (refused.returncode, refused.stderr.count("\n"), agent.marks()) == (2, 1, 0)
        assert REFUSED in refused.stderr


def test_a_run_folder_runs_agent_files_only_if_that_is_allowed(tmp_path):
    """Its config is a file like any other, perhaps someone else's."""
    agent, run = MarkingAgent(tmp_path, columns=4), tmp_path / "run"
    settings = {"episodes": 20, "lockstep": 1, "batch": 1, "opponent": agent.string}

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train("4x4x4-dqn", out=run, watch=stop, allow_agent_files=True, **settings)
    agent.forget()
    refused = inarow("train", "--resume", str(run))
    assert (refused.returncode, refused.stderr.splitlines()[1:], agent.marks()) == (2, [], 0)
    assert REFUSED in refused.stderr
    allowed = inarow("train", "--resume", str(run), "--allow-agent-files")
    assert (allowed.returncode, agent.marks() > 0) == (0, True), allowed.stderr
