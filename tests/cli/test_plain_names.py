"""Names of agents, files and folders are plain text: never markup, emoji codes or control sequences."""

import io

import pytest
from rich.table import Table

from inarow.cli.output import PlainConsole
from inarow.errors import InarowError, one_line, visible
from tests.cli.command_line import inarow

NASTY = ("[/b]", "[link=http://x]y[/link]", "[red]", ":smile:", "a\x1b[31mb", "\x1b]0;title\x07", "\u202egpj", "\x9b2J")


@pytest.mark.parametrize("name", NASTY)
def test_a_console_shows_names_as_they_are(name):
    file = io.StringIO()
    console = PlainConsole(file=file, force_terminal=True, width=80, color_system="standard")
    table = Table(title=name)
    table.add_column(name)
    table.add_row(name)
    console.print(name)
    console.print(table)
    shown = file.getvalue()
    assert shown.count(visible(name)) == 4
    for character in "\x07\x9b\u202e":
        assert character not in shown
    assert "\x1b]" not in shown  # neither titles nor links
    assert "\x1b[31m" not in shown


@pytest.mark.parametrize("name", NASTY)
def test_errors_show_control_characters_as_escapes(name):
    assert one_line(InarowError(f"no {name} here")).isprintable()
    assert one_line(FileNotFoundError(2, "No such file", name)).isprintable()


@pytest.mark.parametrize("name", ["[/b]", "\x1b[31mred", "[link=http://x]y"])
def test_a_folder_with_such_a_name_is_shown_as_it_is(tmp_path, name):
    folder = name.replace("/", "")
    settings = ("--set", "phases.0.episodes=2000")
    trained = inarow("train", "tictactoe-q", "--out", folder, *settings, cwd=tmp_path)
    assert (trained.returncode, "Traceback" in trained.stderr) == (0, False)
    result = inarow("match", f"q:table={folder}/table.npz", "random", "--board", "tictactoe", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "\x1b" not in trained.stdout + trained.stderr + result.stdout + result.stderr
    assert f"{visible(folder)}/table.npz - random" in result.stdout
