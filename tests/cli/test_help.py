"""What `--help` says about every command."""

import ast
import inspect
import re
import shlex
import textwrap
from collections.abc import Iterator

import pytest
from cyclopts import App, CycloptsError

from inarow.agents.registry import registry
from inarow.cli.app import COMMANDS as NAMES
from inarow.cli.app import GROUPS, app
from inarow.cli.help import FIRST_STEPS, examples_of
from inarow.learning.config import presets
from inarow.studies.catalogue import studies
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


def help_of(*words: str) -> str:
    result = inarow(*words, "--help")
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def section(text: str, title: str) -> str:
    """The indented lines below a title."""
    found = re.search(rf"^{title}:\n((?:  .*\n)+)", text, re.MULTILINE)
    assert found, f"there is no section {title}"
    return found[1]


def test_commands_below_others_are_found():
    assert {"inarow tournament", "inarow book build", "inarow suite build"} <= COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_parameter_has_a_description(name):
    arguments = COMMANDS[name].assemble_argument_collection(parse_docstring=True)
    assert len(arguments) > 0
    assert [argument.name for argument in arguments if not argument.parameter.help] == []


def test_help_names_every_command_below_its_group():
    text = help_of()
    lines = text.splitlines()
    for name in NAMES:
        assert any(line.split()[1:2] == [name] for line in lines), name
    assert [title for line in lines for title in GROUPS if f"─ {title} ─" in line] == list(GROUPS)
    assert section(text, "Examples")


def test_the_command_alone_greets_with_first_commands():
    result = inarow()
    assert result.returncode == 0
    for line in FIRST_STEPS:
        assert line in result.stdout
    assert "inarow --help" in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_within_80_columns(name):
    words = name.split()[1:]
    text = help_of(*words)
    assert text.startswith(f"Usage: {name} ")
    assert max(map(len, text.splitlines())) <= 80
    assert all(line.split()[0] == "inarow" for line in section(text, "Examples").splitlines())
    assert "--seed" not in text or "Random seed" in text


@pytest.mark.parametrize("name", [name for name in NAMES if f"inarow {name}" in COMMANDS])
def test_the_list_of_commands_has_the_first_line_of_each_help(name):
    assert inspect.getdoc(COMMANDS[f"inarow {name}"].default_command).splitlines()[0] == NAMES[name]


def test_help_of_a_group_has_an_example_of_each_command():
    assert len(section(help_of("book"), "Examples").splitlines()) == 3


def test_help_of_a_word_is_the_help_of_the_command():
    assert inarow("help", "perft").stdout == help_of("perft")


def examples() -> Iterator[str]:
    for line in [*FIRST_STEPS, *(line for command in COMMANDS.values() for line in examples_of(command))]:
        yield re.split(r"\s+[#<>]", line)[0]


EXAMPLES = tuple(examples())


@pytest.mark.parametrize("line", EXAMPLES)
def test_every_example_is_a_valid_command(line):
    try:
        app.parse_args(shlex.split(line)[1:], exit_on_error=False, print_error=False)
    except CycloptsError as error:
        pytest.fail(f"{line}: {error}")


FAST = re.compile(
    r"inarow (perft|agents|analyse \d|completion \w+$|leaderboard$|runs list|quantum theory)|.* (--list|--show-config)"
)


@pytest.mark.parametrize("line", [line for line in EXAMPLES if FAST.match(line)])
def test_fast_examples_run(line, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "runs").mkdir()
    (tmp_path / "sweeps").mkdir()
    result = inarow(*shlex.split(line)[1:], cwd=tmp_path)
    if line == "inarow leaderboard":
        assert "there is no results store" in result.stderr
    else:
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout


def test_help_lists_the_names_that_arguments_may_have():
    for words, title, names in (
        ("match", "Agents", registry()),
        ("play", "Agents", registry()),
        ("train", "Presets", presets()),
        ("reproduce", "Studies", studies()),
    ):
        listed = section(help_of(words), title)
        assert all(name in listed for name in names), words
    assert "--show-config" in section(help_of("train"), "Keys for --set")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_a_seed_and_shows_it_if_it_uses_it(name):
    arguments = COMMANDS[name].assemble_argument_collection(parse_docstring=True)
    (seed,) = [argument for argument in arguments if argument.name == "--seed"]
    function = inspect.unwrap(COMMANDS[name].default_command)
    body = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0].body
    is_used = any(isinstance(node, ast.Name) and node.id == "seed" for part in body for node in ast.walk(part))
    assert is_used != seed.parameter.help.startswith("Accepted for uniformity; ")
    assert is_used == seed.show


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_has_two_flags(flag):
    result = inarow(flag)
    assert (result.returncode, result.stderr) == (0, "")
    assert re.fullmatch(r"\d+\.\d+\.\d+.*\n", result.stdout)
