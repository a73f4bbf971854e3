import json

import pytest

from inarow.cli.benchmarks import rows
from inarow.cli.benchmarks.peers import compile_c_counter, count_in_c
from inarow.cli.benchmarks.stored_games import stored_games
from inarow.games.position import Position
from tests.cli.command_line import inarow


def test_rows_carry_the_peer_and_the_ratio(monkeypatch):
    monkeypatch.setattr(rows, "_SECONDS", 0.01)
    monkeypatch.setattr(rows, "_PERFT_DEPTH", 5)
    monkeypatch.setattr(rows, "_MIDGAME", range(22, 25))
    monkeypatch.setattr(rows, "_OPENING", range(22, 25))
    found = list(rows.run_benchmarks(peers=True))
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


def test_without_peers_nobody_else_is_measured():
    result = inarow("bench", "--only", "perft", "--json")
    (row,) = json.loads(result.stdout)
    assert (row["name"], row["unit"], row["peer"], row["ratio"]) == ("perft", "nodes/s", None, None)


def test_the_loop_in_c_counts_the_same():
    count = compile_c_counter()
    if count is None:
        pytest.skip("no C compiler on this machine")
    assert count_in_c(count, Position.start(), 7) == [7, 49, 343, 2401, 16807, 117649, 823536]


def test_a_round_of_games_counts_what_it_played():
    work = stored_games(Position.start())
    assert work() == work() == 500
