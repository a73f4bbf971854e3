"""Commands of other packages: plain functions behind entry points."""

import os

import pytest

from tests import outside
from tests.cli.command_line import inarow_process

MODULE = '''
from pathlib import Path


def hello(name: str, *, times: int = 1, out: Path | None = None, json: bool = False, seed: int = 0) -> None:
    """Greet somebody.

    Args:
        name: Whom to greet.
        times: How often.
        out: Write to this file, too.
        json: Print JSON.
        seed: Random seed.
    """
    text = ("hello " + name + chr(10)) * times
    print(text, end="")
    if out is not None:
        out.write_text(text + str(seed))
'''
ENTRY_POINTS = """
[inarow.commands]
hello = outside_commands:hello
perft = outside_commands:hello
broken = outside_commands:nothing
"""


@pytest.fixture
def run(tmp_path):
    folder = outside.install(tmp_path / "site", {"outside_commands.py": MODULE}, ENTRY_POINTS)
    environment = {**os.environ, "PYTHONPATH": outside.path_with(folder)}
    return lambda *args: inarow_process(*args, env=environment)


def test_a_command_from_outside_is_listed_and_run(run, tmp_path):
    listed = run("--help").stdout
    assert "hello" in listed
    assert "Greet somebody." in listed
    assert "broken" in listed
    assert "Whom to greet." in run("hello", "--help").stdout
    result = run("hello", "you", "--times", "2", "-o", str(tmp_path / "out.txt"), "--seed", "7")
    assert (result.returncode, result.stdout, result.stderr) == (0, "hello you\nhello you\n", "")
    assert (tmp_path / "out.txt").read_text() == "hello you\nhello you\n7"


def test_errors_of_a_command_from_outside_are_one_line(run):
    for arguments in (["hello"], ["hello", "you", "--seed", "-1"], ["hello", "you", "--times", "x"]):
        result = run(*arguments)
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    result = run("broken")
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "the command broken cannot be loaded from outside_commands:nothing" in result.stderr


def test_the_commands_of_inarow_cannot_be_replaced(run):
    assert "sequences" in run("perft", "1").stdout
    assert "hello, broken" in run("nothing").stderr
