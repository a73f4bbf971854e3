"""Completion in shells."""

import os
import shutil
import subprocess

import pytest

from inarow.cli.app import COMMANDS
from tests.cli.command_line import inarow


def candidates(*words: str) -> dict[str, str]:
    """What a shell offers for the last word, with descriptions."""
    result = inarow("__complete", *words)
    assert result.returncode == 0
    lines = result.stdout.partition("\x1fbegin\n")[2].splitlines()
    return {value: text for value, _, text in (line.partition("\t") for line in lines)}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_completes_the_commands(shell):
    result = inarow("completion", shell)
    assert (result.returncode, result.stderr) == (0, "")
    assert all(name in result.stdout for name in COMMANDS)
    if path := shutil.which(shell):
        done = subprocess.run([path, "-n"], input=result.stdout, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_bash_completes_a_command(tmp_path):
    script = tmp_path / "inarow.bash"
    script.write_text(inarow("completion", "bash").stdout)
    lines = f'. {script}; COMP_WORDS=(inarow tour); COMP_CWORD=1; _inarow; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", lines], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["tournament"]


def test_names_of_agents_presets_studies_and_suites_are_completed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").touch()
    assert "Monte Carlo" in candidates("match", "")["mcts"]
    assert "mcts" in candidates("match", "random", "")
    assert "solver" in candidates("play", "--second", "")
    assert {"tictactoe-q", "mine.toml"} <= candidates("train", "").keys()
    assert "harman" in candidates("reproduce", "")
    assert {"standard", "exhaustive"} == candidates("grade", "random", "--suite", "").keys()
    assert "solve" in candidates("bench", "--only", "")
    assert "tictactoe" in candidates("perft", "3", "--board", "")


def test_the_script_is_installed_in_the_home_folder(tmp_path):
    environment = {"HOME": str(tmp_path), "SHELL": "/bin/bash", "XDG_DATA_HOME": str(tmp_path / "data")}
    result = inarow("completion", "--install", env=environment)
    assert (result.returncode, result.stderr) == (0, "")
    (path,) = [line.split(": ")[0] for line in result.stdout.splitlines()]
    assert path.startswith(str(tmp_path))
    assert os.path.getsize(path) > 10_000


def test_an_unknown_shell_must_be_named():
    result = inarow("completion", env={"SHELL": "/bin/tcsh"})
    assert result.returncode == 2
    assert "name it: inarow completion bash, zsh or fish" in result.stderr
