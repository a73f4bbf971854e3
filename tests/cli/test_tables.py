"""Tables fit the terminal, whatever the names in them."""

import io
import re

import pytest

from inarow import terminal
from inarow.cli.tables import fitting
from inarow.terminal import PlainConsole, for_encoding, number_table, prefers_ascii
from tests.cli.command_line import inarow

LONG = "mcts:simulations=100000,c=1.4142135,final=score,threads=2"
ROWS = [(f"{number} {LONG}", *(f"{number * column}.5/100" for column in range(14))) for number in range(9)]


def printed(width: int, rows: list[tuple[str, ...]] = ROWS) -> list[str]:
    file = io.StringIO()
    console = PlainConsole(file=file, width=width)
    for part in fitting(number_table("agent", *map(str, range(14)), rows=rows, words=("agent",)), width):
        console.print(part)
    return file.getvalue().splitlines()


@pytest.mark.parametrize("width", [40, 80, 120, 400])
def test_no_cell_of_a_wide_table_is_cut(width):
    lines = printed(width)
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    assert all(words.count(cell) >= sum(row.count(cell) for row in ROWS) for row in ROWS for cell in row[1:])
    assert "".join(words).count("c=1.4142135") >= len(ROWS)


def test_a_narrow_table_stays_as_it_is():
    rows = [("a", *"12345678901234")]
    assert len(printed(80, rows)) == 2
    assert len(fitting(number_table("agent", "Elo", rows=[("a", "1")]), 80)) == 1


def test_a_long_name_is_broken_after_commas():
    file = io.StringIO()
    (part,) = fitting(number_table("agent", "points", rows=[(LONG, "5")], words=("agent",)), 50)
    PlainConsole(file=file, width=50).print(part)
    assert [line.split()[0] for line in file.getvalue().splitlines()[1:]] == [
        "mcts:simulations=100000,c=1.4142135,",
        "final=score,threads=2",
    ]


def test_a_command_fits_the_columns_of_the_environment(tmp_path):
    agents = ["random", "greedy", *(f"minimax:depth=1,tie=random,memory={number}" for number in range(4))]
    command = ("tournament", *agents, "--board", "tictactoe", "--games", "2", "--store", str(tmp_path / "lab.sqlite"))
    result = inarow(*command, env={"COLUMNS": "80"})
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert result.stdout.count("memory=3") == 2


# --- ASCII ---


def test_signs_that_an_encoding_lacks_become_ascii():
    assert for_encoding("▁█ 5 µs … ┌─┐", "ascii") == "_# 5 us ... +-+"
    assert for_encoding("▁█ 5 µs", "utf-8") == "▁█ 5 µs"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"LANG": "C"}, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),
        ({"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, True),
        ({"TERM": "dumb", "LANG": "en_US.UTF-8"}, True),
        ({"LANG": "en_US.UTF-8", "TERM": "xterm"}, False),
        ({}, False),
    ],
)
def test_a_terminal_that_expects_ascii_is_known_by_its_environment(environment, expected):
    assert prefers_ascii(environment) is expected


def test_a_table_for_an_ascii_terminal_is_ascii(monkeypatch):
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    table = number_table("time", rows=[("5 µs",)], caption="▁▂▃")
    PlainConsole(file=file, width=80).print(table)
    file.flush()
    assert re.sub(r"\s+", " ", file.buffer.getvalue().decode()).strip() == "time 5 us _.-"
    assert terminal.can_show("é", "latin-1")
