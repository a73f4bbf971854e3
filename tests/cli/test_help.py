"""What `--help` tells about every command."""

from collections.abc import Iterator

import pytest
from cyclopts import App

from inarow.cli.app import app


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
