"""Names of agents, files and folders are plain text: never markup, emoji codes or control sequences."""

import csv
import io
import json
from dataclasses import replace

import pytest
from rich.table import Table

from inarow import terminal
from inarow.arena.export import write_crosstable, write_csv, write_json_lines, write_pgn, write_ratings
from inarow.arena.leaderboard import rank_agents
from inarow.arena.tally import CrossTable
from inarow.cli import output
from inarow.cli.output import PlainConsole, json_text
from inarow.errors import InarowError, one_line, visible
from inarow.games.pgn import from_pgn
from inarow.games.position import Position
from inarow.games.record import GameRecord, from_json_line
from inarow.report.markup import element, standalone_page
from inarow.report.tables import Table as ReportTable
from inarow.report.tables import write_csv as write_leaderboard
from inarow.storage.csv_text import write_csv_rows
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


def test_json_shows_control_characters_as_escapes_and_stays_the_same():
    names = [*NASTY, "\x7f", "\U000e0001", "Zürich"]
    text = json_text(names)
    assert json.loads(text) == names
    assert text.replace("\n", "").isprintable()
    assert "Zürich" in text


@pytest.mark.parametrize("name", NASTY)
def test_exports_show_control_characters_as_escapes(name):
    record = replace(GameRecord.of_position(Position.parse("4453"), name, "random"), fault=f"no {name}")
    lines, games, table = io.StringIO(), io.StringIO(), io.StringIO()
    write_json_lines([record], lines)
    write_pgn([record], games)
    write_csv([record], table)
    for file in (lines, games, table):
        assert file.getvalue().replace("\n", "").isprintable()
    assert from_json_line(lines.getvalue()) == record
    assert from_pgn(games.getvalue()).first == visible(name)


@pytest.mark.parametrize("name", NASTY)
def test_pages_and_tables_show_control_characters_as_escapes(name):
    table = ReportTable(("agent", "Elo"), ((name, "1"),))
    page = standalone_page(name, element("main", table.to_html(), title=name))
    assert all(character.isprintable() or character == "\n" for character in page)
    assert table.to_markdown().replace("\n", "").isprintable()


@pytest.mark.parametrize("title", NASTY)
def test_progress_bars_show_control_characters_as_escapes(monkeypatch, title):
    file = io.StringIO()
    for module in (terminal, output):
        monkeypatch.setattr(module, "stderr", PlainConsole(file=file, force_terminal=True, width=200))
    with output.progress_bar(title) as progress:
        progress(1, 2)
    with output.spinner(title):
        pass
    shown = file.getvalue()
    assert shown.count(visible(title)) >= 2
    assert not set("\x07\x9b\u202e") & set(shown)


FORMULAS = ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(1)")


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_of_a_csv_file_is_a_formula(name):
    record = GameRecord.of_position(Position.parse("1213141"), name, "random")
    cross = CrossTable.of([record])
    tables = [io.StringIO() for _ in range(4)]
    write_csv([record], tables[0])
    write_crosstable([name, "random"], cross, tables[1])
    leaderboard = rank_agents("6x7x4", cross)
    write_ratings(leaderboard.standings(), tables[2])
    write_leaderboard(leaderboard, tables[3])
    for table in tables:
        cells = [cell for row in csv.reader(io.StringIO(table.getvalue())) for cell in row]
        assert f"'{visible(name)}" in cells
        assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in cells)


def test_numbers_of_a_csv_file_stay_numbers():
    file = io.StringIO()
    write_csv_rows(file, [[-1, -1.5, "-2", "+3.5", "1e3", "-x", None]])
    assert file.getvalue() == "-1,-1.5,-2,+3.5,1e3,'-x,\n"
