import json
import sys

import pytest

from inarow.cli import bench as benchmarks
from inarow.games.position import Position
from inarow_peers.peers import compile_c_counter, count_in_c
from tests.cli.command_line import inarow


def test_rows_carry_the_peer_and_the_ratio(monkeypatch):
    monkeypatch.setattr(benchmarks, "_SECONDS", 0.01)
    monkeypatch.setattr(benchmarks, "PERFT_DEPTH", 5)
    for unit in benchmarks.SOLVE_SAMPLES:
        monkeypatch.setitem(benchmarks.SOLVE_SAMPLES, unit, (range(22, 25), 8))
    found = list(benchmarks.run_benchmarks(peers=True))
    assert [(row.name, row.board) for row in found] == [
        ("playouts", "6x7x4"),
        ("playouts", "12x12x5"),
        ("perft", "6x7x4"),
        ("mcts", "6x7x4"),
        ("mcts", "12x12x5"),
        ("minimax", "tictactoe"),
        ("minimax", "tictactoe"),
        ("minimax", "6x7x4"),
        ("minimax", "12x12x5"),
        ("solve", "6x7x4"),
        ("solve", "6x7x4"),
        ("q-episodes", "tictactoe"),
        ("q-episodes", "6x7x4"),
        ("selections", "6x7x4"),
        ("network", "6x7x4"),
        ("selfplay", "6x7x4"),
        ("selfplay", "6x7x4"),
        ("games", "6x7x4"),
    ]
    for row in found:
        assert row.value > 0
        if row.peer is not None:
            assert row.ratio == pytest.approx(row.value / row.peer_value)
    assert {row.name for row in found if row.peer == "plain Python"} == {"q-episodes"}


def test_without_peers_nobody_else_is_measured():
    result = inarow("bench", "--only", "perft", "--json")
    (row,) = json.loads(result.stdout)
    assert (row["name"], row["unit"], row["peer"], row["ratio"]) == ("perft", "nodes/s", None, None)


@pytest.mark.parametrize("command", [["bench", "--peers"], ["book", "verify", "none.npz", "--peer"]])
def test_without_a_clone_one_line_says_where_peers_are(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "inarow_peers", None)
    result = inarow(*command)
    assert (result.returncode, result.stdout) == (2, "")
    line = "inarow: inarow_peers is missing: peers are measured from a clone of the repository, where it is in tools/\n"
    assert result.stderr == line


def test_the_loop_in_c_counts_the_same():
    count = compile_c_counter()
    if count is None:
        pytest.skip("no C compiler on this machine")
    assert count_in_c(count, Position.start(), 7) == [7, 49, 343, 2401, 16807, 117649, 823536]


def test_a_round_of_games_counts_what_it_played():
    work = benchmarks.stored_games(Position.start())
    assert work() == work() == 500
