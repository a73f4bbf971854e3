"""What `--help` says about every command."""

import ast
import inspect
import textwrap
from collections.abc import Iterator

import pytest
from cyclopts import App

from inarow.cli.app import COMMANDS as NAMES
from inarow.cli.app import app
from tests.cli.command_line import inarow


def commands(parent: App, path: str = "inarow") -> Iterator[tuple[str, App]]:
    """Every command that does something, those below others included."""
    for name in parent:
        if not name.startswith("-"):
            command = parent[name]
            if command.default_command is not None:
                yield f"{path} {name}", command
            yield from commands(command, f"{path} {name}")


COMMANDS = dict(commands(app))


def test_commands_below_others_are_found():
    assert {"inarow tournament", "inarow book build", "inarow suite build"} <= COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_parameter_has_a_description(name):
    arguments = COMMANDS[name].assemble_argument_collection(parse_docstring=True)
    assert len(arguments) > 0
    assert [argument.name for argument in arguments if not argument.parameter.help] == []


def test_help_names_every_command():
    result = inarow("--help")
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    for name in NAMES:
        assert any(line.split()[1:2] == [name] for line in lines), name


@pytest.mark.parametrize("name", NAMES)
def test_every_command_explains_itself(name):
    result = inarow(name, "--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(f"Usage: inarow {name} ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_a_seed_and_uses_it_or_says_that_it_does_not(name):
    arguments = COMMANDS[name].assemble_argument_collection(parse_docstring=True)
    (seed,) = [argument for argument in arguments if argument.name == "--seed"]
    function = inspect.unwrap(COMMANDS[name].default_command)
    body = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0].body
    is_used = any(isinstance(node, ast.Name) and node.id == "seed" for part in body for node in ast.walk(part))
    assert is_used != seed.parameter.help.startswith("Accepted for uniformity; ")
